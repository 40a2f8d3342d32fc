import type { TimerName } from '../stop-rules.ts';

/**
 * Extends the time limit of an attempt by the time for which its auditor was confined, because the auditor was slower then.
 * `next` returns the milliseconds that were not granted before. The total is at most `maxMs`.
 */
export const extensionOf = (confinedMs: () => number, maxMs: number) => {
  const before = confinedMs();
  let granted = 0;
  return {
    next: (): number => {
      const ms = Math.max(0, Math.ceil(Math.min(confinedMs() - before, maxMs) - granted));
      granted += ms;
      return ms;
    },
  };
};

/** Creates timers by name. Starting a timer that is running restarts it. */
export const namedTimers = (onElapsed: (timer: TimerName) => void) => {
  const running = new Map<TimerName, NodeJS.Timeout>();
  return {
    start: (timer: TimerName, ms: number): void => {
      clearTimeout(running.get(timer));
      running.set(timer, setTimeout(onElapsed, ms, timer));
    },
    clear: (): void => {
      for (const timer of running.values()) clearTimeout(timer);
    },
  };
};
