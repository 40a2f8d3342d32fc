import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Starts a proxy that serves a service under a path of its host: it removes the path, and answers 404 outside of it. Each
 * request waits for `before`.
 */
export const startStrippingProxy = async (
  service: string,
  base: string,
  before: (path: string) => Promise<void> | void = () => {},
) => {
  const outside: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    await before(url);
    if (!url.startsWith(`${base}/`)) {
      outside.push(url);
      outgoing.writeHead(404).end();
      return;
    }
    const forwarded = request(service + url.slice(base.length), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Paths outside of the base that were requested. */
    outside,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
