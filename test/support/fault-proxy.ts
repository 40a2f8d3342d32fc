import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Stands before an engine and can be told to break: `failFrom(n)` cuts every connection from the n-th matching request on,
 * until `heal`. What is cut never reaches the engine; what `loseResponseOf` names does, and only its answer is cut.
 */
export const startFaultProxy = async (target: string, matches: (headers: Record<string, unknown>) => boolean) => {
  let allowed = Number.POSITIVE_INFINITY;
  let passed = 0;
  let lost = 0;
  let before = async (_nth: number): Promise<void> => {};
  const server = createServer(async (incoming, answer) => {
    if (matches(incoming.headers) && passed >= allowed) return incoming.socket.destroy();
    const nth = matches(incoming.headers) ? ++passed : 0;
    if (nth > 0) await before(nth);
    const { hostname, port } = new URL(target);
    const options = { hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers };
    const outgoing = request(options, (reply) => {
      if (nth > 0 && nth === lost) return incoming.socket.destroy();
      answer.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failFrom: (n: number) => {
      allowed = n;
      passed = 0;
    },
    /** Once: the n-th matching request from now on. */
    loseResponseOf: (n: number) => {
      lost = n;
      passed = 0;
    },
    /** Is waited for before each matching request goes on, with its number since the last `failFrom`. */
    before: (act: typeof before) => {
      before = act;
    },
    heal: () => {
      before = async () => {};
      allowed = Number.POSITIVE_INFINITY;
      lost = 0;
    },
    /** Matching requests that reached the engine since the last `failFrom`. */
    passed: () => passed,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
