import type { McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { cutText } from '../../shared/text.ts';
import type { Client } from '../api/client.ts';
import { ServiceError } from '../api/service-error.ts';
import { commandSteps, type ErrorSteps, serviceErrorText } from '../words/service-error.ts';
import { MAX_BYTES } from './fit.ts';
import { readable } from './json-schema.ts';
import { NextStepError } from './run-check.ts';

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

export type Call = Pick<ServerContext['mcpReq'], 'signal' | '_meta' | 'notify'> &
  Pick<Reach, 'waitUntil'> & { site: string };

type Tool<Inputs extends z.ZodObject> = {
  title: string;
  description: string;
  inputs: Inputs;
  outputs: z.ZodRawShape;
  /** By default the tool reads, and no page of the web is loaded. */
  annotations?: ToolAnnotations;
  work: (client: Client, inputs: z.output<Inputs>, call: Call) => Promise<object>;
};
type AddTool = (server: McpServer, name: string, reach: Reach) => void;

const readOnly = { readOnlyHint: true, openWorldHint: false } as const;

/** Returns how to add a tool whose answer is a JSON object, as structured content and as text for clients that know no other. */
export const tool = <Inputs extends z.ZodObject>({
  title,
  description,
  inputs,
  outputs,
  annotations = readOnly,
  work,
}: Tool<Inputs>): AddTool => {
  const about = { title, description, annotations };
  const schemas = { inputSchema: readable(inputs), outputSchema: readable(z.looseObject(outputs)) };
  return (server, name, { connect, site, steps, waitUntil }) => {
    server.registerTool(name, { ...about, ...schemas }, async (given, { mcpReq }) => {
      try {
        const client = await connect();
        const result = await work(client, given, { ...mcpReq, site: site ?? client.url, waitUntil });
        return {
          content: [{ type: 'text' as const, text: JSON.stringify(result) }],
          structuredContent: { ...result },
        };
      } catch (error) {
        // An error is a result, so that the agent reads what to do next.
        const text = cutText(errorText(error, steps), MAX_BYTES);
        return { isError: true, content: [{ type: 'text' as const, text }] };
      }
    });
  };
};

/** Next steps after an error of the service that only an agent can do, by the code of the error. */
const toolSteps: Readonly<Record<string, string>> = {
  'not-found': 'list_checks has the ids of the checks.',
  'report-not-ready': 'To wait for it, call get_check with waitSeconds.',
};

const errorText = (error: unknown, steps: ErrorSteps = commandSteps): string => {
  if (error instanceof NextStepError) return `${errorText(error.cause, steps)} ${error.message}`;
  if (error instanceof ServiceError)
    return [serviceErrorText(error, steps), toolSteps[error.code ?? '']].filter(Boolean).join(' ');
  return error instanceof Error ? error.message : String(error);
};
