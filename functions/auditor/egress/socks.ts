import { once } from 'node:events';
import type { Socket } from 'node:net';
import { bareHost, type Target } from '../../lib/targets/public-addresses.ts';
import type { Outcome } from '../messages.ts';

/** Reply codes of RFC 1928, by the code of the error or else by outcome. */
const REPLY_CODES = {
  refused: 0x02,
  'dns-failure': 0x04,
  unreachable: 0x04,
  'over-cap': 0x01,
  ENETUNREACH: 0x03,
  ECONNREFUSED: 0x05,
} as Record<Exclude<Outcome, 'allowed'>, number> & Partial<Record<string, number>>;
/** Time that a refused client has to read its reply, in milliseconds. */
const LINGER_MS = 1000;

/** Reads the target of a SOCKS5 request, or returns the reply that refuses it. Rejects if the client leaves. */
export const readRequest = async (client: Socket, signal: AbortSignal): Promise<Target | Buffer> => {
  const read = (size: number) => readExactly(client, size, signal);
  const [version, methods = 0] = await read(2);
  if (version !== 5) throw new Error('the client does not speak SOCKS5');
  if (!(await read(methods)).includes(0)) return Buffer.of(5, 0xff); // the client requires authentication
  client.write(Buffer.of(5, 0));

  const [requestVersion, command, , type] = await read(4);
  if (requestVersion !== 5) throw new Error('the client does not speak SOCKS5');
  let host: string;
  if (type === 1) host = (await read(4)).join('.');
  else if (type === 3) host = (await read((await read(1)).readUInt8())).toString('latin1');
  else if (type === 4)
    host = new URL(`http://[${(await read(16)).toString('hex').replace(/.{4}(?=.)/g, '$&:')}]`).hostname;
  else return reply(0x08);
  const port = (await read(2)).readUInt16BE();
  return command === 1 ? { host: bareHost(host), port } : reply(0x07);
};

/** Reads exactly `size` bytes. The bytes after them stay in the socket. */
const readExactly = async (socket: Socket, size: number, signal: AbortSignal): Promise<Buffer> => {
  let bytes = Buffer.alloc(0);
  while (bytes.length < size) {
    // Read a partial request too. If it stays in the socket, 'readable' fires at once, in an endless loop.
    const part: Buffer | null = socket.read(Math.min(size - bytes.length, socket.readableLength || 1));
    if (part) bytes = Buffer.concat([bytes, part]);
    else await once(socket, 'readable', { signal });
  }
  return bytes;
};

const reply = (code: number): Buffer => Buffer.of(5, code, 0, 1, 0, 0, 0, 0, 0, 0);
export const SUCCESS_REPLY = reply(0x00);
export const failureReply = ({ outcome, reason }: { outcome: Exclude<Outcome, 'allowed'>; reason: string }): Buffer =>
  reply(REPLY_CODES[reason] ?? REPLY_CODES[outcome]);

/** Sends a reply and closes the connection. Drops further input, because unread input would turn the close into a reset. */
export const refuse = (client: Socket, answer: Buffer): void => {
  client.resume().end(answer);
  setTimeout(() => client.destroy(), LINGER_MS).unref();
};
