import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { cutText } from '../../shared/text.ts';
import type { Client } from '../api/client.ts';
import { ServiceError } from '../api/service-error.ts';
import { commandSteps, type ErrorSteps, serviceErrorText } from '../words/service-error.ts';
import { MAX_BYTES } from './fit.ts';
import { KeptCheckError } from './run-check.ts';

/** How the tools reach the service. */
export type Reach = {
  /** Returns the client of the service. A tool calls it at each use. */
  connect: () => Promise<Client>;
  /** Address at which people reach the service. Default: that of the client. */
  site?: string | undefined;
  /** Next steps after errors of the service. Default: those of the command. */
  steps?: ErrorSteps | undefined;
  /** Time of the last reading of an unfinished check, in milliseconds of `performance.now()`. Default: `run_check` waits for its end. */
  waitUntil?: number | undefined;
};

export type Call = RequestHandlerExtra<ServerRequest, ServerNotification> & { site: string };

type Tool<Inputs extends z.ZodObject> = {
  title: string;
  description: string;
  inputs: Inputs;
  outputs: z.ZodRawShape;
  annotations: ToolAnnotations;
  work: (client: Client, inputs: z.output<Inputs>, call: Call) => Promise<object>;
};

/** Adds a tool whose answer is a JSON object, as structured content and as text for clients that know no other. */
export const addTool = <Inputs extends z.ZodObject>(
  server: McpServer,
  { connect, site, steps }: Reach,
  name: string,
  { title, description, inputs, outputs, annotations, work }: Tool<Inputs>,
): void => {
  const outputSchema = z.looseObject(outputs);
  const run = async (given: unknown, extra: RequestHandlerExtra<ServerRequest, ServerNotification>) => {
    try {
      const client = await connect();
      const result = await work(client, given as z.output<Inputs>, { ...extra, site: site ?? client.url });
      return {
        content: [{ type: 'text' as const, text: JSON.stringify(result) }],
        structuredContent: { ...result },
      };
    } catch (error) {
      // An error is a result, so that the agent reads what to do next.
      const text = cutText(errorText(error, steps), MAX_BYTES);
      return { isError: true, content: [{ type: 'text' as const, text }] };
    }
  };
  server.registerTool<z.ZodObject, z.ZodObject>(
    name,
    { title, description, inputSchema: inputs, outputSchema, annotations },
    run,
  );
};

const errorText = (error: unknown, steps: ErrorSteps = commandSteps): string => {
  if (error instanceof KeptCheckError) return `${errorText(error.cause, steps)} ${error.message}`;
  if (error instanceof ServiceError) return serviceErrorText(error, steps);
  return error instanceof Error ? error.message : String(error);
};
