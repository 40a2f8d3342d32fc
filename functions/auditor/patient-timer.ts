/** Most by which a timer is extended, as a multiple of its time. So every audit ends. */
const MOST_EXTENSIONS = 3;
/** Share of a timer's time below which a lost time doesn't matter. On a quiet machine, a timer elapses at its time. */
const NEGLIGIBLE = 0.1;

type Start = (callback: () => void, ms: number) => NodeJS.Timeout;
type Options = { maxMs?: number; start?: Start };

/**
 * Starts a timer that does not count the time that was lost meanwhile: `lostMs` returns all lost time until now. `maxMs` is
 * the longest extension. Returns the timer, which others know, and a function that stops it.
 */
export const startPatiently = (
  callback: () => void,
  ms: number,
  lostMs: () => number,
  { maxMs = MOST_EXTENSIONS * ms, start = setTimeout }: Options = {},
): { timer: NodeJS.Timeout; stop: () => void } => {
  const before = lostMs();
  let granted = 0;
  const elapse = () => {
    const owed = Math.min(lostMs() - before, maxMs) - granted;
    if (owed <= NEGLIGIBLE * ms) return callback();
    granted += owed;
    current = start(elapse, owed);
  };
  const timer = start(elapse, ms);
  let current = timer;
  return { timer, stop: () => clearTimeout(current) };
};
