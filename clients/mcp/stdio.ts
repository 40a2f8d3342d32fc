import { serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import { mcpServer } from './server.ts';

type Options = Parameters<typeof mcpServer>[0] & { signal: AbortSignal };

/** Serves the tools over standard input and output until the agent closes the input or the signal aborts. */
export const serveStdio = async ({ signal, ...options }: Options): Promise<void> => {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const served = serve(() => mcpServer(options));
  process.stdin.once('close', close);
  signal.addEventListener('abort', () => close());
  await closed;
  await served.close();
};
