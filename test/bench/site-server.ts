import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { siteFiles } from './site.ts';

/*
 * Child process of the bench that serves the pages on loopback. It sends its URL to the bench once it listens, and exits
 * with the bench. It reads and compresses every file before the first request, so that all responses take equally long.
 *
 * Each response takes 20 ms, like one of a nearby server. Chromium needs 2 ms to speak to a SOCKS proxy. If a server is
 * faster than that, Lighthouse sees a response time of 0 and assumes 30 ms instead. With `?waitMs=300` it takes as long as that.
 */
const RESPONSE_MS = 20;
const responses = new Map(
  [...siteFiles()].map(([path, { type, body }]) => {
    const compressible = /^text\/|json|svg/.test(type);
    const headers = {
      'content-type': type,
      'cache-control': type.startsWith('text/html') ? 'no-cache' : 'public, max-age=31536000, immutable',
      ...(compressible && { vary: 'accept-encoding' }),
    };
    return [path, { headers, body, gzip: compressible ? gzipSync(body) : undefined }];
  }),
);

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
  await pause(Number(searchParams.get('waitMs') ?? RESPONSE_MS));
  const found = responses.get(pathname);
  if (!found) return response.writeHead(404, { 'content-type': 'text/plain' }).end('File not found.');
  const { headers, body, gzip } = found;
  const asGzip = gzip && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  return asGzip
    ? response.writeHead(200, { ...headers, 'content-encoding': 'gzip', 'content-length': gzip.length }).end(gzip)
    : response.writeHead(200, { ...headers, 'content-length': body.length }).end(body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('disconnect', () => process.exit(0));
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
