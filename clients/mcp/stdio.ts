import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { mcpServer } from './server.ts';

/** Serves the tools over standard input and output until the agent closes the input. */
export const serveStdio = async (options: Parameters<typeof mcpServer>[0]): Promise<void> => {
  const server = mcpServer(options);
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    process.stdin.once('end', () => server.close());
  });
  await server.connect(new StdioServerTransport());
  await closed;
};
