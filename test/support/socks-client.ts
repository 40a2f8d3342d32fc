import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { bareHost, targetOf } from '../../functions/lib/targets/public-addresses.ts';

const TIMEOUT_MS = 15_000; // longer than the proxy takes to look a name up and to connect

export type Response = { status: number; location: string | undefined; body: string };

/** Requests a URL through a SOCKS5 proxy, as Chromium does: the proxy looks the name up. Throws if the proxy refuses. */
export const fetchThroughProxy = async (url: URL, proxyPort: number): Promise<Response> => {
  const { host, port } = targetOf(url);
  const socket = await connectThroughProxy(host, port, proxyPort);
  try {
    const stream = url.protocol === 'https:' ? await encrypted(socket, host) : socket;
    const path = `${url.pathname}${url.search}`;
    const sent = request({ createConnection: () => stream, path, headers: { host: url.host } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, location: response.headers.location, body: await text(response) };
  } finally {
    socket.destroy();
  }
};

/** The proxy is under test, not the server's certificate. */
const encrypted = async (socket: Socket, host: string) => {
  const options: ConnectionOptions = { socket, rejectUnauthorized: false };
  const stream = connectTls(isIP(host) ? options : { ...options, servername: host });
  await once(stream, 'secureConnect');
  return stream;
};

/** Asks a SOCKS5 proxy (RFC 1928) for a connection. */
const connectThroughProxy = async (host: string, port: number, proxyPort: number): Promise<Socket> => {
  const socket = connect(proxyPort, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(Buffer.of(5, 1, 0));
  await read(socket, 2);
  socket.write(Buffer.concat([Buffer.of(5, 1, 0), addressOf(host), Buffer.of(port >> 8, port & 255)]));
  const [, code] = await read(socket, 10);
  if (code === 0) return socket;
  socket.destroy();
  throw new Error(`The proxy refused ${host}:${port} with code ${code}.`);
};

const addressOf = (host: string): Buffer => {
  const family = isIP(bareHost(host));
  if (family === 0) return Buffer.concat([Buffer.of(3, host.length), Buffer.from(host, 'latin1')]);
  return Buffer.of(family === 4 ? 1 : 4, ...ipaddr.parse(bareHost(host)).toByteArray());
};

const read = async (socket: Socket, size: number): Promise<Buffer> => {
  for (;;) {
    const bytes: Buffer | null = socket.read(size);
    if (bytes) return bytes;
    if (socket.readableEnded) throw new Error('The proxy closed the connection.');
    await once(socket, 'readable', { signal: AbortSignal.timeout(TIMEOUT_MS) });
  }
};
