import type { Client } from '../../api/client.ts';
import { serveStdio } from '../../mcp/stdio.ts';
import { type Context, withClient } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import manifest from '../package.json' with { type: 'json' };

/** Serves the tools for agents over standard input and output. The first use of a tool starts the command's service. */
export const mcp = async (context: Context, { data }: { data?: string }): Promise<number> => {
  let leave = () => {};
  const agentLeft = new Promise<void>((resolve) => {
    leave = resolve;
  });
  let service: Promise<void> | undefined;
  let client: Promise<Client> | undefined;
  const connect = (): Promise<Client> => {
    client ??= new Promise((resolve, reject) => {
      service = withClient(context, data, (connected, _, ended) => {
        resolve(connected);
        return Promise.race([agentLeft, failureOf(ended)]);
      });
      service.catch((error) => {
        client = undefined; // the next use of a tool starts another service
        reject(error);
      });
    });
    return client;
  };
  const signal = AbortSignal.any([context.signal, context.stdoutLost]);
  await serveStdio({ version: manifest.version, connect, signal });
  leave();
  await service?.catch(() => undefined); // its caller has the error
  return exitCodes.good;
};

const failureOf = (ended: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => ended?.addEventListener('abort', () => reject(ended.reason)));
