import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { mcpServer } from './server.ts';

type Options = Parameters<typeof mcpServer>[0] & { signal: AbortSignal };

/** Serves the tools over standard input and output until the agent closes the input or the signal aborts. */
export const serveStdio = async ({ signal, ...options }: Options): Promise<void> => {
  const server = mcpServer(options);
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
  });
  const close = () => server.close();
  process.stdin.once('end', close);
  signal.addEventListener('abort', close);
  await server.connect(new StdioServerTransport());
  await closed;
};
