import type { Server } from 'node:http';

/**
 * Stops listening, closes idle connections, waits for running requests, and closes their connections after `graceMs`.
 */
export const closeServer = async (server: Server, graceMs = 1000): Promise<void> => {
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  const slow = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(idle);
  clearTimeout(slow);
};

/** Lets a server survive a connection that it could not accept, for example without free file descriptors. */
export const keepAccepting = (server: Server): void => {
  server.on('error', (error) => console.error(`A connection was not accepted: ${error.message}`));
};
