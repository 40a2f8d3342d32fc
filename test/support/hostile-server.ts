import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Category } from '../../shared/options/audit-options.ts';
import type { RunProblemCode } from '../../shared/problems.ts';

/** A page that hinders its auditor, and the expected result of its audit. */
export type HostilePage = {
  /** Name of the page, as the subject of a sentence. */
  is: string;
  /** Expected results: `succeeded`, the error code of a failed run, or the code of a rejected POST. */
  verdicts: readonly Verdict[];
  /** A warning of every run that succeeds, or of every run if none can. */
  warning?: RegExp;
  /** A warning of versions before the given one. */
  warningBefore?: readonly [version: number, RegExp];
  /** A stop rule ends the audit, long before Lighthouse would: this many seconds after its load began, or at once. */
  early?: true | number;
  /** Expected number of attempts, if not one. A page with several right results may take any number. */
  attempts?: number;
  /** Requested categories, if not all. */
  categories?: readonly Category[];
  /** Every audit version audits the page in `npm run test:full`. */
  common?: true;
  /** Version 9 does not audit the page: it takes long for the same result, or lacks the feature. */
  not9?: true;
  /** The page takes the whole machine: it is audited alone, and a perfect page after it. */
  alone?: true;
  /** Added to the address of the page. The page serves all addresses that begin with its own. */
  path?: string;
  /** Loopback host in the address of the page, if not 127.0.0.1. */
  host?: string;
} & (
  | { serve: Serve; files?: Record<string, Serve>; ownServer?: true }
  | { at: (ports: { http: number; tls: number }) => string }
);
export type Verdict = 'succeeded' | RunProblemCode;

/** Returns how many attempts a page takes, on a busy machine too. Undefined if that depends on its result. */
export const attemptsOn = ({ attempts, verdicts }: HostilePage): number | undefined =>
  attempts ?? (verdicts.length === 1 ? 1 : undefined);

/**
 * Responds for a page. `nth` counts the visits of this run from 1. `otherPort` and `otherOrigin` are origins of other
 * servers on this machine (see `answerElsewhere`). `hangUp` stops the page's server, if it has its own.
 */
export type Serve = (visit: Visit) => unknown;
export type Visit = {
  request: IncomingMessage;
  response: ServerResponse;
  query: string;
  nth: number;
  otherPort: string;
  otherOrigin: string;
  hangUp: () => void;
};

/** Returns a page without faults, with the given content added. */
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

/** A good page with a script that runs `ms` after load. */
export const afterLoad = (ms: number, source: string): Serve =>
  script(`addEventListener('load', () => setTimeout(() => { ${source} }, ${ms}))`);

export const redirect =
  (to: string, status = 302): Serve =>
  ({ response }) =>
    response.writeHead(status, { location: to }).end();

/** Sends raw bytes, then calls `then` with the connection. */
export const raw =
  (bytes: string | Buffer, then: (socket: Socket) => unknown = (socket) => socket.end()): Serve =>
  ({ request: { socket } }) =>
    socket.write(bytes, () => then(socket));

/** Sends a text again and again, at least `bytes` in all, as fast as the client reads. */
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
    await sent.catch(() => {}); // the client closed the connection
  };

const pem = readFileSync(new URL('test-certificate.pem', import.meta.url));

/**
 * Serves hostile pages on loopback. `url` returns a new URL for each run of a page, so that runs don't share visits. All
 * pages share one origin. Pages with their own server or without a path don't.
 */
export const serveHostilePages = async (cases: Record<string, HostilePage>) => {
  const visits = new Map<string, number>();
  const servers: (Server & { closeAllConnections(): void })[] = [];
  const sockets = new Set<Socket>();
  let runs = 0;

  const open = async (server: (typeof servers)[number], host = '127.0.0.1'): Promise<number> => {
    servers.push(server);
    server.on('connection', (socket: Socket) => {
      sockets.add(socket.on('error', () => {}));
      socket.once('close', () => sockets.delete(socket));
    });
    server.listen(0, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };

  const answer = (request: IncomingMessage, response: ServerResponse, server: Server): void => {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    const [, name = '', , file = ''] = path.split('/');
    const found = cases[name];
    const serve = found && 'serve' in found ? (file && !found.path ? found.files?.[file] : found.serve) : undefined;
    if (!serve) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    const nth = (visits.get(path) ?? 0) + 1;
    visits.set(path, nth);
    const hangUp = () => void server.close();
    serve({ request, response, query, nth, otherPort, otherOrigin, hangUp });
  };
  const pageServer = () => {
    const server = createServer((request, response) => answer(request, response, server));
    return server.on('upgrade', acceptWebSocket);
  };

  const tlsServer = () => createTlsServer({ key: pem, cert: pem }, (_, response) => response.end(good()));
  const http = await open(pageServer());
  const otherPort = `http://127.0.0.1:${await open(createServer(answerElsewhere))}`;
  const otherOrigin = `http://localhost:${await open(createServer(answerElsewhere), ipv6Loopback())}`;

  const url = async (name: string): Promise<string> => {
    const found = cases[name];
    if (!found) throw new Error(`There is no hostile page ${name}.`);
    if ('at' in found) return found.at({ http: await open(pageServer()), tls: await open(tlsServer()) });
    const port = found.ownServer ? await open(pageServer()) : http;
    return `http://${found.host ?? '127.0.0.1'}:${port}/${name}/${++runs}/${found.path ?? ''}`;
  };
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await Promise.all(
      servers.filter(({ listening }) => listening).map((server) => new Promise((done) => server.close(done))),
    );
  };
  return { url, close, [Symbol.asyncDispose]: close };
};

/** Answers as the API, the style sheets and the pages of a site whose parts have ports of their own. */
const answerElsewhere = ({ url = '/' }: IncomingMessage, response: ServerResponse): void => {
  const [type, text] = elsewhere[url] ?? ['text/plain', undefined];
  response.writeHead(text ? 200 : 404, { 'content-type': type, 'access-control-allow-origin': '*' }).end(text);
};
const elsewhere: Record<string, [type: string, text: string]> = {
  '/': ['text/html; charset=utf-8', good()],
  '/products': ['application/json', '["tea"]'],
  '/style.css': ['text/css', 'h1 { color: rgb(1, 2, 3) }'],
};

/** Returns ::1, on which a server is reached by the name localhost only, or 127.0.0.1 on a machine without IPv6. */
export const ipv6Loopback = (): string =>
  Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1')) ? '::1' : '127.0.0.1';

/** Accepts a WebSocket (RFC 6455) and sends one message, or messages without end at the path `flood`. */
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
  pipeline(frames, socket).catch(() => {}); // the client closed the connection
};
