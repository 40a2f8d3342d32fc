import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WaitEnv } from '../../../shared/service/env.ts';

/** Observation of one check. It ends with its disposal. */
export type Watch = Disposable & {
  /** Resolves if the check may have changed since the last call, after `ms` milliseconds, or when the signal aborts. */
  next: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
};
export type WatchCheck = (checkId: string) => Watch;

const announced = new EventEmitter().setMaxListeners(Number.POSITIVE_INFINITY);

/** Wakes the watches of a check in this process. The store calls it after each write whose change a client can see. */
export const announceChange = (checkId: string): void => void announced.emit(checkId);

/** Watches a check that only this process writes. Between changes, the watch causes no reads. */
export const watchAnnounced: WatchCheck = (checkId) => {
  let change = Promise.withResolvers<void>();
  const wake = () => change.resolve();
  announced.on(checkId, wake);
  return {
    next: async (ms, signal) => {
      if (signal?.aborted) return;
      const timer = setTimeout(wake, ms);
      signal?.addEventListener('abort', wake);
      await change.promise;
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      change = Promise.withResolvers();
    },
    [Symbol.dispose]: () => void announced.off(checkId, wake),
  };
};

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 3000;

/** Watches a check that other processes write. The caller reads the check with a backoff. */
export const watchByPolling: WatchCheck = () => {
  let pause = FIRST_PAUSE_MS;
  return {
    next: async (ms, signal) => {
      await sleep(Math.min(pause, ms), undefined, { signal }).catch(() => {}); // rejects only if the signal aborts
      pause = Math.min(1.5 * pause, MAX_PAUSE_MS);
    },
    [Symbol.dispose]: () => {},
  };
};

/** Returns how to watch checks that these processes write. */
export const watchOf = ({ CHANGES_FROM }: WaitEnv): WatchCheck =>
  CHANGES_FROM === 'process' ? watchAnnounced : watchByPolling;
