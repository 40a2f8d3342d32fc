import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

const real = timers.setTimeout;

/** Simulates the time of a test, also for the timers that return promises. `vi.advanceTimersByTimeAsync` lets it pass. */
export const simulateTimers = (): void => {
  vi.useFakeTimers();
  timers.setTimeout = (ms, value, { signal } = {}) =>
    new Promise((resolve, reject) => {
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve(value as never);
      }, ms);
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.useRealTimers();
    timers.setTimeout = real;
    syncBuiltinESMExports();
  });
};

/** Lets simulated time pass until the work has ended. Returns how long the work took, in simulated milliseconds. */
export const simulatedMsOf = async (work: Promise<unknown>): Promise<number> => {
  const start = performance.now();
  let end: number | undefined;
  const ended = work.finally(() => {
    end = performance.now();
  });
  ended.catch(() => {}); // the caller gets the error below
  while (end === undefined) await vi.advanceTimersByTimeAsync(10);
  await ended;
  return end - start;
};
