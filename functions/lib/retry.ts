import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from './aws-client.ts';
import { log } from './log.ts';
import { UnknownFormatError } from './store/format.ts';

type Invocation = {
  /** Delay after each try, in milliseconds. The last one also follows all later tries. */
  retryDelaysMs: readonly number[];
  /** Returns the time that the invocation has left, in milliseconds. */
  remainingMs: () => number;
  /** Ends the retries during a delay. */
  signal: AbortSignal;
};

/** Shortest time of a try, in milliseconds. */
const MIN_TRY_MS = 1000;

/**
 * Retries a write until it succeeds, or until another try would not end before the invocation has `keptMs` left. A try may
 * take half of the time until then, so that a silent server leaves time for a second one. Throws the error of the last
 * try, or the reason of `signal`.
 */
export const retry = async <T>(
  write: () => Promise<T>,
  { retryDelaysMs, remainingMs, signal }: Invocation,
  keptMs: number,
): Promise<T> => {
  for (let tries = 0; ; tries++) {
    try {
      return await withDeadline(Math.max(MIN_TRY_MS, (remainingMs() - keptMs) / 2), write);
    } catch (error) {
      if (error instanceof UnknownFormatError) throw error; // only another release can help
      const delay = retryDelaysMs[Math.min(tries, retryDelaysMs.length - 1)] ?? 0;
      if (remainingMs() - keptMs < delay + MIN_TRY_MS) throw error;
      log.warn('The write failed and is retried.', { error: error as Error });
      await pause(delay, signal);
    }
  }
};

/** Waits. Throws the reason of `signal` when it aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
