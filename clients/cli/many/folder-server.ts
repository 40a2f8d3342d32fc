import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { UsageError } from '../exit-codes.ts';

/** Types by extension. A type with a charset or of XML is a text, which is compressed. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.wasm': 'application/wasm',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.mp3': 'audio/mpeg',
  '.pdf': 'application/pdf',
};
const isText = (type: string): boolean => /charset|xml/.test(type);

/** Serves a folder on a free port of loopback, as Lighthouse CI does: compressed, and with `index.html` for a folder. */
export const serveFolder = async (folder: string, isSinglePageApplication: boolean) => {
  const root = resolve(folder);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`ci.collect.staticDistDir is no folder: ${root}. Build the site, or correct the path.`);
  }
  const server = createServer((request, response) => {
    try {
      answer(root, isSinglePageApplication, request, response);
    } catch {
      response.writeHead(500).end(); // the path is too long for a file, or the file is not readable
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  return { port: (server.address() as AddressInfo).port, close };
};

const answer = (root: string, isSinglePageApplication: boolean, request: IncomingMessage, response: ServerResponse) => {
  const [pathname = '/'] = (request.url ?? '/').split('?', 1); // `//` is a path of a request, and no URL
  const found = fileAt(root, pathname) ?? fileAt(root, pathname.replace(/^\/app(?=\/|$)/, '') || '/');
  if (found === 'folder') return response.writeHead(301, { location: `${pathname}/` }).end();
  const file = found ?? (isSinglePageApplication ? fileAt(root, '/index.html') : undefined);
  if (file === undefined || file === 'folder') {
    return response.writeHead(404, { 'content-type': 'text/plain' }).end(`The folder has no ${pathname}`);
  }
  const type = types[extname(file).toLowerCase()] ?? 'application/octet-stream';
  const content = readFileSync(file);
  const isGzipped =
    isText(type) && content.length > 1024 && /\bgzip\b/.test(String(request.headers['accept-encoding']));
  const body = isGzipped ? gzipSync(content) : content;
  response.writeHead(200, {
    'content-type': type,
    'content-length': body.length,
    vary: 'accept-encoding',
    'cache-control': 'public, max-age=0',
    ...(isGzipped && { 'content-encoding': 'gzip' }),
  });
  return response.end(request.method === 'HEAD' ? undefined : body);
};

/** Returns the file of a path, or `folder` if the path of a folder lacks its slash. Hidden files are served to nobody. */
const fileAt = (root: string, pathname: string): string | undefined => {
  const path = decoded(pathname);
  if (path === undefined || path.includes('\0') || path.split(/[\\/]/).some((part) => part.startsWith('.')))
    return undefined;
  const file = join(root, path.endsWith('/') ? `${path}index.html` : path);
  if (!file.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return undefined;
  const status = statSync(file, { throwIfNoEntry: false });
  if (status?.isDirectory()) return statSync(join(file, 'index.html'), { throwIfNoEntry: false }) && 'folder';
  return status?.isFile() ? file : undefined;
};

const decoded = (pathname: string): string | undefined => {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
};

const ignoredFolders = ['node_modules', 'bower_components', 'jspm_packages', 'web_modules', 'tmp'];

/** Returns the HTML files of a folder and of the folders in it, in the order of Lighthouse CI. */
export const htmlFilesIn = (folder: string, depth: number, prefix = ''): string[] => {
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = entries.filter((each) => each.isFile() && /\.html?$/.test(each.name)).map(({ name }) => prefix + name);
  if (depth === 0) return files;
  const folders = entries.filter(
    (each) => each.isDirectory() && !each.name.includes('.') && !ignoredFolders.includes(each.name),
  );
  const deeper = folders.flatMap(({ name }) => htmlFilesIn(join(folder, name), depth - 1, `${prefix}${name}/`));
  return [...files, ...deeper];
};
