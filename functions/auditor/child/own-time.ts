import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { startPatiently } from '../patient-timer.ts';

/** Shortest timer that limits something. A shorter one paces something. */
const LIMIT_MS = 1000;

/**
 * Makes the time limits of this process patient, also those of Lighthouse and of Puppeteer: a limit does not count the time
 * in which the browser was starved. Otherwise a page would be blamed for the load of its machine.
 */
export const makeTimersPatient = (starvedMs: () => number): void => {
  const { setTimeout: start, clearTimeout: clear } = globalThis;
  const stops = new WeakMap<object, () => void>();
  const patient = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    if (!(ms >= LIMIT_MS)) return start(callback, ms, ...args);
    const { timer, stop } = startPatiently(() => callback(...args), ms, starvedMs, { start });
    stops.set(timer, stop);
    return timer;
  };
  globalThis.setTimeout = Object.assign(patient, { [promisify.custom]: promisify(start) }) as unknown as typeof start;
  globalThis.clearTimeout = (timer) => {
    const stop = timer instanceof Object ? stops.get(timer) : undefined;
    if (timer instanceof Object) stops.delete(timer); // `stop` comes here too
    stop?.();
    clear(timer);
  };
};

/** Resolves after a time limit of this process. */
export const elapsed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Resolves after this process has listened to the browser for so long. An answer that came while the process computed is
 * still unread.
 */
export const listened = async (ms: number): Promise<void> => {
  const before = performance.eventLoopUtilization();
  for (let left = ms; left > 0; left = ms - performance.eventLoopUtilization(before).idle) await elapsed(left);
};
