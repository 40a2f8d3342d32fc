/** Longest time in which this process handled no event, and longest work that kept it from doing so, in milliseconds. */
export type LoopDelay = { lateMs: number; heldMs: number };

/**
 * Watches how late this process handles events. The page's proxy is in this process, so nothing answers the page meanwhile.
 * A look misses up to an interval of a delay. The clock of the day goes on while a machine sleeps, and the monotonic clock
 * while a process is stopped. Work is CPU time, because a wait for a CPU is none.
 */
export const watchLoop = (intervalMs: number, signal: AbortSignal): (() => LoopDelay) => {
  const read = () => {
    const { user, system } = process.threadCpuUsage();
    return { now: performance.now(), day: Date.now(), workedMs: (user + system) / 1000 };
  };
  let [seen, longest] = [read(), { lateMs: 0, heldMs: 0 }];
  const look = (): LoopDelay => {
    const [before, after] = [seen, read()];
    const lateMs = Math.max(after.now - before.now, after.day - before.day) - intervalMs;
    const heldMs = Math.min(lateMs, after.workedMs - before.workedMs);
    longest = { lateMs: Math.max(longest.lateMs, lateMs), heldMs: Math.max(longest.heldMs, heldMs) };
    seen = after;
    return longest;
  };
  const timer = setInterval(look, intervalMs);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return look;
};
