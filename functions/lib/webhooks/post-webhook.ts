import { lookup as dnsLookup } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, connect as netConnect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { DELIVERY_TRY_MS } from '../../../shared/service/due-times.ts';
import { cutText, printable } from '../../../shared/text.ts';
import { redactText } from '../redact.ts';
import { entriesFor } from '../targets/allowed-hosts.ts';
import { addressesOf, type Connect, dialFirst, type Lookup, unlessAborted } from '../targets/dial.ts';
import { isLoopbackHost, type Refusal, refusalOf, type TargetPolicy, targetOf } from '../targets/public-addresses.ts';
import { targetRules } from '../targets/target-rules.ts';

/** Bytes of a receiver's answer that are read, and characters of them that are kept. */
const MAX_READ_BYTES = 4096;
const MAX_RESPONSE = 500;
/** Interim answers (status 100 to 199) that a receiver may send before its answer. */
const MAX_INTERIM = 10;

/** Answer of a receiver, or why there is none. */
export type Posted =
  | { status: number; response: string | null; retryAfterMs: number | null }
  | { status: null; error: string };

type Options = {
  targets: TargetPolicy;
  /** Authorities that may issue a receiver's certificate. By default those that Node.js trusts. */
  ca?: string[] | undefined;
  lookup?: Lookup;
  connect?: Connect;
  timeoutMs?: number;
  now?: () => Date;
};

/** Returns why a webhook can't have this URL, or undefined. Only a host that the operator allows may do without TLS. */
export const webhookRefusal = (url: string, targets: TargetPolicy): Refusal | undefined => {
  const refusal = refusalOf(url, targets);
  if (refusal) return refusal;
  const { host } = targetOf(new URL(url));
  if (new URL(url).protocol === 'https:' || isLoopbackHost(host) || entriesFor(host, targets).length > 0)
    return undefined;
  return { code: 'invalid-request', message: 'The URL of a webhook must start with https://.' };
};

/**
 * Returns a function that sends one POST to a webhook. It resolves the name, and dials only addresses that it checked. It
 * follows no redirect, and reads only the start of the answer.
 */
export const postWebhook =
  ({ targets, timeoutMs = DELIVERY_TRY_MS, now = () => new Date(), ...network }: Options) =>
  async (url: string, headers: Record<string, string>, body: string): Promise<Posted> => {
    const signal = AbortSignal.timeout(timeoutMs);
    let socket: Socket | undefined;
    try {
      const target = new URL(url);
      socket = await dial(target, { targets, ...network }, signal);
      const answer = await unlessAborted(exchange(target, socket, headers, body), signal);
      const retryAfterMs = retryAfterOf(answer.headers['retry-after'], now());
      return { status: answer.statusCode as number, response: await startOf(answer, signal), retryAfterMs };
    } catch (error) {
      return { status: null, error: signal.aborted ? timedOut(timeoutMs) : messageOf(error as NodeJS.ErrnoException) };
    } finally {
      socket?.destroy();
    }
  };

export type PostWebhook = ReturnType<typeof postWebhook>;

const timedOut = (ms: number) => `The receiver did not answer within ${ms / 1000} s.`;

const NO_ADDRESS = 'The host name does not resolve to an address.';

/** A reason not to connect, in a sentence for the owner of the webhook. */
class RefusedError extends Error {}

const messageOf = ({ code, message }: NodeJS.ErrnoException): string => {
  if (code === undefined) return message;
  return /TLS|CERT|SSL|VERIFY|SELF_SIGNED/.test(code)
    ? `The TLS connection failed (${code}).`
    : `The connection failed (${code}).`;
};

/** Opens a connection to a checked address of a host. */
const dial = async (
  target: URL,
  { targets, ca, lookup = (host) => dnsLookup(host, { all: true }), connect = netConnect }: Options,
  signal: AbortSignal,
): Promise<Socket> => {
  const { host, port } = targetOf(target);
  const refusal = webhookRefusal(target.href, targets);
  if (refusal) throw new RefusedError(refusal.message);
  const judge = targetRules({ ...targets, url: target.href }, (name) => addressesOf(name, lookup, signal));
  const judged = await judge({ host, port }, signal);
  if ('outcome' in judged) throw new RefusedError(judged.outcome === 'refused' ? judged.reason : NO_ADDRESS);
  const socket = await dialFirst(judged.addresses, port, connect, signal);
  if (target.protocol === 'http:') return socket;
  const name = isIP(host) ? {} : { servername: host };
  const tls = tlsConnect({ socket, host, ...name, ca, ALPNProtocols: ['http/1.1'] });
  signal.addEventListener('abort', () => tls.destroy(), { once: true });
  return tls;
};

const exchange = (target: URL, socket: Socket, headers: Record<string, string>, body: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const bytes = Buffer.from(body);
    const request = send(target, {
      method: 'POST',
      createConnection: () => socket, // and no agent, which would open a connection of its own
      headers: {
        'content-type': 'application/json',
        'content-length': bytes.length,
        'accept-encoding': 'identity',
        'user-agent': 'page-audit-webhooks',
        connection: 'close',
        ...headers,
      },
    });
    let interim = 0;
    request.on('information', () => {
      if (++interim > MAX_INTERIM) reject(new RefusedError('The receiver sends interim answers without an end.'));
    });
    request.on('upgrade', resolve); // status 101, which nobody has asked for
    request.on('response', resolve).on('error', reject).end(bytes);
  });

/** Returns the start of the answer's body as a text without secrets, or null for a body that is no text. */
const startOf = async (answer: IncomingMessage, signal: AbortSignal): Promise<string | null> => {
  const chunks: Buffer[] = [];
  const read = async () => {
    for await (const chunk of answer) {
      chunks.push(chunk as Buffer);
      if (Buffer.concat(chunks).length >= MAX_READ_BYTES) return;
    }
  };
  await unlessAborted(read(), signal).catch(() => {}); // the status counts, and the body may end early
  const type = answer.headers['content-type'] ?? 'text/plain';
  if (
    chunks.length === 0 ||
    answer.headers['content-encoding'] ||
    !/^(text\/|application\/([\w.-]+\+)?json)/i.test(type)
  )
    return null;
  const text = Buffer.concat(chunks).subarray(0, MAX_READ_BYTES).toString('utf8');
  return cutText(redactText(printable(text)), MAX_RESPONSE);
};

/** Returns the time that the receiver asks to wait for, in seconds or until a date. */
const retryAfterOf = (header: string | undefined, now: Date): number | null => {
  if (header === undefined) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? ms : null;
};
