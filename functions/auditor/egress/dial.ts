import type { Socket, TcpNetConnectOpts } from 'node:net';
import { isIP } from 'node:net';
import { slots } from '../../lib/slots.ts';

export type Lookup = (host: string) => Promise<readonly { address: string }[]>;
export type Connect = (options: TcpNetConnectOpts) => Socket;

const HEAD_START_MS = 300; // RFC 8305: each address gets this long before the next is tried beside it

/**
 * One look-up a name and audit, as a browser's own cache would have it; what failed may be pending for again. A few at once:
 * a look-up can't be ended, and the names of one page that nobody results for must not have the threads of all others.
 */
export const cachedLookup = (lookup: Lookup, maxConcurrent: number) => {
  const results = new Map<string, ReturnType<Lookup>>();
  const takeSlot = slots(maxConcurrent);
  return async (host: string, signal: AbortSignal): Promise<string[]> => {
    if (isIP(host)) return [host];
    if (!results.has(host)) {
      const release = await takeSlot(signal);
      if (results.has(host))
        release(); // by another connection meanwhile
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

/** The first of these addresses that accepts. Rejects with the last one's error, or with the signal's reason. */
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
    waiting.length = 0; // or the winner's own end would have the next one dialled
    for (const socket of attempts) if (socket !== winner) socket.destroy();
  }
};

export const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
