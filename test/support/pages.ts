import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { text } from 'node:stream/consumers';

const folder = new URL('../pages/', import.meta.url);
const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** A value that a page reported: of web-vitals, or the time of its own `work`. */
export type Vital = { name: string; value: number; target?: string; navigationType?: string; url?: string };

export type Pages = {
  /** Returns the URL of a page, for example `url('/perfect')`. */
  url(path: string): string;
  /** Number of requests by path. */
  hits: Map<string, number>;
  /** Values that web-vitals reported from a page, in their order. */
  vitals: Vital[];
  close(): Promise<void>;
} & AsyncDisposable;

/**
 * Serves the files of test/pages on loopback, `perfect.html` as `/perfect`. Other paths get a 404. With `?waitMs=300` the
 * server waits before it answers.
 */
export const servePages = async (): Promise<Pages> => {
  const files = new Map<string, { type: string; body: Buffer }>();
  for (const name of await readdir(folder)) {
    const type = types[extname(name)];
    if (type) files.set(`/${name.replace(/\.html$/, '')}`, { type, body: await readFile(new URL(name, folder)) });
  }

  const webVitals = new URL('../../node_modules/web-vitals/dist/web-vitals.attribution.iife.js', import.meta.url);
  files.set('/web-vitals.js', { type: types['.js'] as string, body: await readFile(webVitals) });

  const vitals: Vital[] = [];
  const hits = new Map<string, number>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://pages');
    hits.set(pathname, (hits.get(pathname) ?? 0) + 1);
    if (pathname === '/vitals') {
      text(request).then((body) => vitals.push(JSON.parse(body)));
      return void response.writeHead(204).end();
    }
    const file = files.get(pathname);
    const caching = file?.type.startsWith('text/html') ? 'no-cache' : 'max-age=31536000, immutable';
    const answer = () => {
      if (file) response.writeHead(200, { 'content-type': file.type, 'cache-control': caching }).end(file.body);
      else response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    };
    const waitMs = Number(searchParams.get('waitMs'));
    if (waitMs > 0) setTimeout(answer, waitMs).unref();
    else answer();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: (path) => `http://127.0.0.1:${port}${path}`, hits, vitals, close, [Symbol.asyncDispose]: close };
};
