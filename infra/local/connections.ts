import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Connections at the same time. A browser opens up to six, and each wait of a client needs one. */
const MAX_CONNECTIONS = 256;
/** Requests that a connection may send before the answers of earlier ones. Common clients send none ahead. */
const MAX_AHEAD = 8;
/** Time that a client has to receive an answer, in milliseconds. A slow network needs longer for a large one. */
const answerTime = (bytes: number): number => 30_000 + bytes / 256;
/** Time in which the gateway discards the rest of a body that it doesn't need, in milliseconds. */
const DISCARD_MS = 5000;

export type ConnectionLimits = { maxConnections?: number; answerMs?: (bytes: number) => number; discardMs?: number };

/** Limits what the connections of a server may hold: their number, their requests, and the time of each answer. */
export const limitConnections = (server: Server, limits: ConnectionLimits = {}) => {
  const { maxConnections = MAX_CONNECTIONS, answerMs = answerTime, discardMs = DISCARD_MS } = limits;
  server.maxConnections = maxConnections;
  reportDrops(server);
  const connections = new WeakMap<Socket, { ahead: number; last: Promise<void> }>();

  return {
    /**
     * Waits until the connection has sent the answers of its earlier requests. Returns false if the connection is closed,
     * for example because it has sent too many requests ahead.
     */
    turn: async ({ socket }: IncomingMessage, response: ServerResponse): Promise<boolean> => {
      const connection = connections.get(socket) ?? { ahead: 0, last: Promise.resolve() };
      connections.set(socket, connection);
      const { last } = connection;
      connection.ahead += 1;
      connection.last = new Promise((resolve) => {
        response.once('close', () => {
          connection.ahead -= 1;
          resolve();
        });
      });
      if (connection.ahead > MAX_AHEAD) socket.resetAndDestroy();
      await last;
      return !socket.destroyed;
    },

    /** Closes the connection unless the client receives the answer, and ends its request, in time. */
    expectReceipt: (request: IncomingMessage, response: ServerResponse, bytes: number): void => {
      const close = () => request.socket.resetAndDestroy(); // a plain close keeps unsent bytes in the kernel
      const late = setTimeout(close, answerMs(bytes));
      response.once('close', () => clearTimeout(late));
      if (request.complete) return;
      // A close right after the answer would reset a client that still sends its body, and it could lose the answer.
      request.resume();
      response.once('finish', () => {
        const endless = setTimeout(close, discardMs);
        request.once('close', () => clearTimeout(endless));
      });
    },
  };
};

/** Reports at most once a minute that the server closes connections over its limit. */
const reportDrops = (server: Server): void => {
  let reportedAt = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    if (performance.now() - reportedAt < 60_000) return;
    reportedAt = performance.now();
    console.error(`The API has ${server.maxConnections} connections, its limit. It closes further ones.`);
  });
};
