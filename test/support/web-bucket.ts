import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a proxy before the local bucket that lets pages read from it, as the bucket on AWS does. */
export const startWebBucket = async (target: string) => {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, answer) => {
    const { method, url, headers } = incoming;
    const outgoing = request({ hostname, port, method, path: url, headers, agent: false }, (reply) => {
      answer.writeHead(reply.statusCode as number, { ...reply.headers, 'access-control-allow-origin': '*' });
      reply.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};
