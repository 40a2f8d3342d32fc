import { startPatiently } from '../patient-timer.ts';
import type { TimerName } from '../stop-rules.ts';

type Options = {
  /** Returns all time so far that no timer counts. */
  lostMs: () => number;
  /** Longest extension of the time limit of an attempt, in milliseconds. */
  maxAttemptMs: number;
};

/** Creates timers by name. Starting a timer that is running restarts it. */
export const namedTimers = (onElapsed: (timer: TimerName) => void, { lostMs, maxAttemptMs }: Options) => {
  const running = new Map<TimerName, () => void>();
  return {
    start: (timer: TimerName, ms: number): void => {
      running.get(timer)?.();
      const options = timer === 'attempt' ? { maxMs: maxAttemptMs } : {};
      running.set(timer, startPatiently(() => onElapsed(timer), ms, lostMs, options).stop);
    },
    clear: (): void => {
      for (const stop of running.values()) stop();
    },
  };
};
