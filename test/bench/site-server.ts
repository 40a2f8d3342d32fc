import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { siteFiles } from './site.ts';

/*
 * The pages to measure with, on loopback, in a process of their own: what serves them is neither the bench nor the
 * service. All is read and compressed before the first request, so that each answer is the same and as quick as the next:
 * 20 ms, which a server that is near takes. One that takes less than the 2 ms that Chromium needs to speak to a SOCKS proxy
 * has for Lighthouse a response time of 0, and Lighthouse counts 30 ms for that.
 * A child of the bench: tells its URL once it listens, and ends when the bench does.
 */
const ANSWER_MS = 20;
const answers = new Map(
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
  await pause(ANSWER_MS);
  const answer = answers.get(new URL(request.url ?? '/', 'http://site').pathname);
  if (!answer) return response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such file.');
  const { headers, body, gzip } = answer;
  const asGzip = gzip && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  return asGzip
    ? response.writeHead(200, { ...headers, 'content-encoding': 'gzip', 'content-length': gzip.length }).end(gzip)
    : response.writeHead(200, { ...headers, 'content-length': body.length }).end(body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('disconnect', () => process.exit(0));
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
