import type { Socket, TcpNetConnectOpts } from 'node:net';
import { isIP } from 'node:net';
import { slots } from '../slots.ts';

export type Lookup = (host: string) => Promise<readonly { address: string }[]>;
export type Connect = (options: TcpNetConnectOpts) => Socket;

/** Time that an address has before the next address is dialled in parallel (RFC 8305), in milliseconds. */
const HEAD_START_MS = 300;

/**
 * Returns a lookup that resolves each name once per audit, like a browser's cache, and retries failed names. It limits
 * concurrent lookups: a lookup can't be aborted and holds a thread, so unresponsive names could block all other audits.
 */
export const cachedLookup = (lookup: Lookup, maxConcurrent: number) => {
  const results = new Map<string, ReturnType<Lookup>>();
  const takeSlot = slots(maxConcurrent);
  return async (host: string, signal: AbortSignal): Promise<string[]> => {
    if (isIP(host)) return [host];
    if (!results.has(host)) {
      const release = await takeSlot(signal);
      if (results.has(host))
        release(); // another connection started the lookup meanwhile
      else {
        const pending = lookup(host);
        const drop = () => results.delete(host);
        pending.catch(drop).finally(release);
        results.set(host, pending);
      }
    }
    return ((await results.get(host)) ?? []).map(({ address }) => address);
  };
};

/**
 * Connects to the first of these addresses that accepts. Rejects with the error of the last failed address, or with the
 * signal's reason.
 *
 * Node's `autoSelectFamily` is no replacement. It closes the first attempt after its timeout instead of racing both. A
 * server that is 350 ms away and has two addresses would then lose its first connection, and only the second would count.
 */
export const dialFirst = async (
  addresses: readonly string[],
  port: number,
  connect: Connect,
  signal: AbortSignal,
): Promise<Socket> => {
  const waiting = [...addresses];
  const attempts = new Set<Socket>();
  let headStart: NodeJS.Timeout | undefined;
  let winner: Socket | undefined;
  const first = new Promise<Socket>((resolve, reject) => {
    const next = () => {
      clearTimeout(headStart);
      const host = waiting.shift();
      if (!host) return;
      const socket = connect({ host, port, autoSelectFamily: false, allowHalfOpen: true });
      attempts.add(socket);
      socket.once('connect', () => resolve(socket));
      socket.once('error', (error) => {
        attempts.delete(socket);
        if (waiting.length > 0) next();
        else if (attempts.size === 0) reject(error);
      });
      headStart = setTimeout(next, HEAD_START_MS);
    };
    next();
  });
  try {
    winner = await unlessAborted(first, signal);
    return winner;
  } finally {
    waiting.length = 0; // an error of the winner must not dial the next address
    for (const socket of attempts) if (socket !== winner) socket.destroy();
  }
};

/** Settles like `work`, or rejects with the signal's reason as soon as `signal` aborts. */
export const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });

/** Returns the addresses of a name, or the code of the failed lookup. */
export const addressesOf = async (host: string, lookup: Lookup, signal: AbortSignal): Promise<string[] | string> => {
  if (isIP(host)) return [host];
  const found = await unlessAborted(lookup(host), signal).catch((error: NodeJS.ErrnoException) => error);
  return found instanceof Error ? String(found.code ?? found.message) : found.map(({ address }) => address);
};
