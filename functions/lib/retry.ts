import { setTimeout as sleep } from 'node:timers/promises';
import { log } from './log.ts';

/** Retries a write after each delay until it succeeds. Throws its last error, or the reason of `signal` during a delay. */
export const retry = async <T>(
  write: () => Promise<T>,
  delaysMs: readonly number[],
  signal: AbortSignal,
): Promise<T> => {
  for (const delay of delaysMs) {
    try {
      return await write();
    } catch (error) {
      log.warn('a write is retried', { error: error as Error });
      await pause(delay, signal);
    }
  }
  return write();
};

/** Waits. Throws the reason of `signal` when it aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
