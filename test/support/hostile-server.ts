import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Category } from '../../shared/audit-options.ts';
import type { RunProblemCode } from '../../shared/problems.ts';

/** A page that is no friend of its auditor, and what may be said of it. */
export type Case = {
  /** What it is, as the beginning of a sentence. */
  is: string;
  /** Right answers: `succeeded`, the error code of a failed run, or that of a POST which is refused. */
  verdicts: readonly Verdict[];
  /** Said to a client whose run succeeded, as its scores are not the whole story. */
  warning?: RegExp;
  /** Said by versions before that one alone. */
  warningBefore?: readonly [version: number, RegExp];
  /** No document can come of it: told at once, and not when Lighthouse's patience ends. */
  early?: true;
  /** No attempt takes longer. */
  seconds?: number;
  /** As many attempts, where more would mean a fault of ours; and alone, none for which the machine was taken for busy. */
  attempts?: number;
  /** What is asked for, where that is not all. */
  categories?: readonly Category[];
  /** So ordinary that every audit version must judge it rightly. */
  common?: true;
  /** Version 9 is not asked: it does what 13 does, slowly, or does not know the matter. */
  not9?: true;
  /** It takes the whole machine: audited with nothing beside it, and followed by a perfect page. */
  alone?: true;
  /** Its audit takes half a minute or more: left out where not every page is audited. */
  slow?: true;
} & (
  | { serve: Serve; files?: Record<string, Serve>; ownServer?: true }
  | { at: (ports: { http: number; tls: number }) => string }
);
export type Verdict = 'succeeded' | RunProblemCode;

/** Answers for a page. `nth` is how often it was asked for, in this run; `hangUp` ends its server, if it has its own. */
export type Serve = (visit: Visit) => unknown;
export type Visit = {
  request: IncomingMessage;
  response: ServerResponse;
  query: string;
  nth: number;
  otherOrigin: string;
  hangUp: () => void;
};

/** A page with nothing to find fault with, but for what is put into it. */
export const good = ({ head = '', body = '' } = {}): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="A good page, but for one thing.">
<title>A good page</title>
<link rel="icon" href="data:,">
${head}
</head>
<body>
<main>
<h1>A good page</h1>
<p>It has enough text to be painted, to be measured and to be read by whoever comes along.</p>
${body}
</main>
</body>
</html>
`;

export const html =
  (document: string | Buffer = good(), headers: Record<string, string> = {}, status = 200): Serve =>
  ({ response }) =>
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(document);

/** A good page with a script in its head. */
export const script = (source: string): Serve => html(good({ head: `<script>${source}</script>` }));

/** A good page with a script that runs so long after its load. */
export const afterLoad = (ms: number, source: string): Serve =>
  script(`addEventListener('load', () => setTimeout(() => { ${source} }, ${ms}))`);

export const redirect =
  (to: string, status = 302): Serve =>
  ({ response }) =>
    response.writeHead(status, { location: to }).end();

/** Bytes on the wire as they are, then what becomes of the connection. */
export const raw =
  (bytes: string | Buffer, then: (socket: Socket) => unknown = (socket) => socket.end()): Serve =>
  ({ request: { socket } }) =>
    socket.write(bytes, () => then(socket));

/** An answer of so many bytes of the same text, or of more; as fast as the client takes them. */
export const endless =
  (text: string, bytes: number, { zipped = false } = {}): Serve =>
  async ({ response }) => {
    const chunk = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
    const body = Readable.from(
      (function* () {
        yield Buffer.from(good());
        for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
      })(),
    );
    const type = { 'content-type': 'text/html; charset=utf-8' };
    response.writeHead(200, zipped ? { ...type, 'content-encoding': 'gzip' } : type);
    const sent = zipped ? pipeline(body, createGzip({ level: 1 }), response) : pipeline(body, response);
    await sent.catch(() => {}); // the client has had enough
  };

const pem = readFileSync(new URL('test-certificate.pem', import.meta.url));

/**
 * Serves hostile pages on loopback. `url` gives a case an address that no other run has, so that what a page remembers of
 * its visits is its own; `askedAt` tells when it was first asked for, or connected to where it has no path, in epoch ms. All
 * share one origin, as loopback targets are held to theirs, but for those that end their server or have no path.
 */
export const serveHostilePages = async (cases: Record<string, Case>) => {
  const visits = new Map<string, number>();
  const firstAt = new Map<string, number>(); // by path, and by port
  const noteFirst = (key: string) => firstAt.has(key) || firstAt.set(key, Date.now());
  const servers: (Server & { closeAllConnections(): void })[] = [];
  const sockets = new Set<Socket>();
  let runs = 0;

  const open = async (server: (typeof servers)[number]): Promise<number> => {
    servers.push(server);
    server.on('connection', (socket: Socket) => {
      noteFirst(`:${socket.localPort}`);
      sockets.add(socket.on('error', () => {}));
      socket.once('close', () => sockets.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };

  const answer = (request: IncomingMessage, response: ServerResponse, server: Server): void => {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    const [, name = '', , file = ''] = path.split('/');
    const found = cases[name];
    const serve = found && 'serve' in found ? (file ? found.files?.[file] : found.serve) : undefined;
    if (!serve) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    const nth = (visits.get(path) ?? 0) + 1;
    visits.set(path, nth);
    noteFirst(path);
    const hangUp = () => void server.close();
    serve({ request, response, query, nth, otherOrigin: `http://127.0.0.2:${http}`, hangUp });
  };
  const pageServer = () => {
    const server = createServer((request, response) => answer(request, response, server));
    return server.on('upgrade', acceptWebSocket);
  };

  const tlsServer = () => createTlsServer({ key: pem, cert: pem }, (_, response) => response.end(good()));
  const http = await open(pageServer());

  const url = async (name: string): Promise<string> => {
    const found = cases[name];
    if (!found) throw new Error(`no such case: ${name}`);
    if ('at' in found) return found.at({ http: await open(pageServer()), tls: await open(tlsServer()) });
    const port = found.ownServer ? await open(pageServer()) : http;
    return `http://127.0.0.1:${port}/${name}/${++runs}/`;
  };
  const askedAt = (page: string) => {
    const { pathname, port } = new URL(page);
    return firstAt.get(pathname === '/' ? `:${port}` : pathname);
  };
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await Promise.all(
      servers.filter(({ listening }) => listening).map((server) => new Promise((done) => server.close(done))),
    );
  };
  return { url, askedAt, close, [Symbol.asyncDispose]: close };
};

/** Takes a WebSocket (RFC 6455) and greets it once, or at the path `flood` without end. */
const acceptWebSocket = (request: IncomingMessage, socket: Socket): void => {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket.write(Buffer.from('\x81\x05hello', 'latin1'));
  if (!request.url?.endsWith('/flood')) return;
  const frame = Buffer.concat([Buffer.of(0x82, 126, 0xff, 0xff), Buffer.alloc(65_535)]);
  const frames = Readable.from(
    (function* () {
      for (;;) yield frame;
    })(),
  );
  pipeline(frames, socket).catch(() => {}); // the client has had enough
};
