/** Interval between two looks at the clocks, in milliseconds. */
const LOOK_MS = 250;

/**
 * Watches for the time in which this process stood still: it was stopped, its machine slept, or a virtual machine was paused.
 * Returns a function that returns the longest one, in milliseconds. The page's proxy is in this process, so nothing answered
 * the page meanwhile. The clock of the day goes on while a machine sleeps, and the monotonic clock while a process is stopped.
 */
export const watchStandstill = (signal: AbortSignal): (() => number) => {
  let [seen, day, longest] = [performance.now(), Date.now(), 0];
  const look = (): number => {
    const gap = Math.max(performance.now() - seen, Date.now() - day) - LOOK_MS;
    [seen, day, longest] = [performance.now(), Date.now(), Math.max(longest, gap)];
    return longest;
  };
  const timer = setInterval(look, LOOK_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return look;
};
