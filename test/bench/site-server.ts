import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { siteFiles } from './site.ts';

/*
 * The pages to measure with, on loopback, in a process of their own: what serves them is neither the bench nor the
 * service. All is read and compressed before the first request, so that each answer is the same and as quick as the next.
 * A child of the bench: tells its URL once it listens, and ends when the bench does.
 */
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

const server = createServer((request, response) => {
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
