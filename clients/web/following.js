// @ts-check
import { asRequestError, retryAfterOf } from './api.js';

/** Shortest time between two requests, in seconds, also if the service names a shorter one or none. */
const MIN_SECONDS = 2;
/** Time until the retry of a failed request, in seconds. The last one repeats. */
const FAILURE_SECONDS = [2, 5, 10];
/** Failures that a retry can end. */
const passing = ['offline', 'too-many', 'failed'];

/**
 * One reading. Without `data`, nothing has changed since the entity tag.
 * @typedef {{ data?: any, headers?: Headers }} Reading
 * @typedef {(last: { etag: string, signal: AbortSignal }) => Promise<Reading>} Load
 */

/**
 * Reads until the data is finished. Everything that the page reads repeatedly, it reads here: no request is sent before
 * the time that `Retry-After` of the last answer names.
 * @param {Load} load
 * @param {object} options
 * @param {(data: any) => boolean} options.isFinished
 * @param {(data: any) => void} options.show
 * @param {(error: import('./api.js').RequestError) => void} options.fail
 * @param {number} [options.refreshSeconds] time until the next reading. A hidden tab does not read
 * @param {AbortSignal} options.signal
 */
export const follow = async (load, { isFinished, show, fail, refreshSeconds = 0, signal }) => {
  let etag = '';
  for (let failures = 0; !signal.aborted; ) {
    const sentAt = performance.now();
    try {
      const { data, headers } = await load({ etag, signal });
      if (signal.aborted) return;
      if (data !== undefined) {
        show(data);
        if (isFinished(data)) return;
        etag = headers?.get('etag') ?? '';
      }
      failures = 0;
      const seconds = Math.max(MIN_SECONDS, refreshSeconds, (headers && retryAfterOf(headers)) ?? 0);
      // A service that has waited itself named the time between two requests.
      const from = headers?.has('preference-applied') ? sentAt : performance.now();
      const dueAt = from + seconds * 1000;
      await pause({ earliest: dueAt, latest: dueAt, onlyVisible: refreshSeconds > 0, signal });
    } catch (thrown) {
      if (signal.aborted) return;
      const error = asRequestError(thrown);
      fail(error);
      const { kind, retryAfter } = error;
      if (!passing.includes(kind)) return;
      const now = performance.now();
      const seconds = retryAfter ?? FAILURE_SECONDS[failures] ?? 10;
      const latest = now + Math.max(MIN_SECONDS, seconds) * 1000;
      await pause({ earliest: kind === 'offline' ? now + MIN_SECONDS * 1000 : latest, latest, signal });
      failures += 1;
    }
  }
};

/**
 * Resolves at the latest time, or when the signal aborts. If the connection returns or the tab becomes visible, resolves
 * at the earliest time: browsers delay the timers of hidden tabs.
 * @param {{ earliest: number, latest: number, onlyVisible?: boolean, signal: AbortSignal }} options
 * @returns {Promise<void>}
 */
const pause = ({ earliest, latest, onlyVisible = false, signal }) =>
  new Promise((resolve) => {
    const done = new AbortController();
    const end = () => {
      clearTimeout(timer);
      done.abort();
      resolve();
    };
    const endIfWanted = () => (onlyVisible && document.hidden) || end();
    const endAt = (/** @type {number} */ time) => setTimeout(endIfWanted, Math.max(0, time - performance.now()));
    let timer = endAt(latest);
    const hurry = () => {
      clearTimeout(timer);
      timer = endAt(earliest);
    };
    addEventListener('online', hurry, { signal: done.signal });
    document.addEventListener('visibilitychange', () => document.hidden || hurry(), { signal: done.signal });
    signal.addEventListener('abort', end, { signal: done.signal });
  });
