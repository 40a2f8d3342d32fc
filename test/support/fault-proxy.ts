import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a proxy before a local engine. It can drop matching requests, or only their responses. */
export const startFaultProxy = async (target: string, matches: (headers: Record<string, unknown>) => boolean) => {
  let allowed = Number.POSITIVE_INFINITY;
  let passed = 0;
  let lost: readonly number[] = [];
  let before = async (_nth: number): Promise<void> => {};
  const server = createServer(async (incoming, answer) => {
    if (matches(incoming.headers) && passed >= allowed) return incoming.socket.destroy();
    const nth = matches(incoming.headers) ? ++passed : 0;
    if (nth > 0) await before(nth);
    const { hostname, port } = new URL(target);
    const options = { hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers };
    const outgoing = request(options, (reply) => {
      if (lost.includes(nth)) return incoming.socket.destroy();
      answer.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Drops every matching request after `n` more, until `heal`. */
    failAfter: (n: number) => {
      allowed = n;
      passed = 0;
    },
    /** Drops the responses of the n-th matching requests from now on. The engine has handled these requests. */
    loseResponseOf: (...nths: number[]) => {
      lost = nths;
      passed = 0;
    },
    /** Sets a function that runs before each matching request. It gets the request's number since the last `failAfter`. */
    before: (act: typeof before) => {
      before = act;
    },
    heal: () => {
      before = async () => {};
      allowed = Number.POSITIVE_INFINITY;
      lost = [];
    },
    /** Returns the number of matching requests that reached the engine since the last `failAfter`. */
    passed: () => passed,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
