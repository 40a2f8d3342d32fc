// @ts-check
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { RequestError, read, send } from './api.js';
import { onKeyChange } from './session.js';

const WAIT = 'wait=25';
/** Time limit of a request that waits, in milliseconds. A connection that died while the machine slept never ends. */
const WAIT_TIMEOUT = 60_000;
/** Pauses after a failed request, in milliseconds. The last one repeats. */
const PAUSES = [1000, 2000, 5000, 10_000];

/** @typedef {{ data?: any, error?: RequestError, reload: () => void }} Loaded */

/** Returns a number that grows when the key of the tab changes. */
const useKeyVersion = () => {
  const [version, setVersion] = useState(0);
  useEffect(() => onKeyChange(() => setVersion((each) => each + 1)), []);
  return version;
};

/**
 * Reads a path once, and again after `reload`, a new key, or a return of the connection. Keeps the data that it has if a
 * later request fails. A path of null reads nothing.
 * @param {string | null} path
 * @returns {Loaded}
 */
export const useLoaded = (path) => {
  const [state, setState] = useState(/** @type {{ path?: string | null, data?: any, error?: any }} */ ({}));
  const [again, setAgain] = useState(0);
  const reload = useCallback(() => setAgain((each) => each + 1), []);
  const keyVersion = useKeyVersion();
  useEffect(() => {
    if (path === null) return;
    const stop = new AbortController();
    read(path, { signal: stop.signal }).then(
      (data) => setState({ path, data }),
      (error) => {
        if (stop.signal.aborted) return;
        setState((before) => ({ path, error, ...(before.path === path && { data: before.data }) }));
      },
    );
    return () => stop.abort();
  }, [path, again, keyVersion]);
  useRetries(state.error, reload);
  return state.path === path ? { data: state.data, error: state.error, reload } : { reload };
};

/**
 * Reloads after a failure that may pass: when the connection is back, and after the time that the service has named.
 * @param {RequestError | undefined} error
 * @param {() => void} reload
 */
export const useRetries = (error, reload) => {
  useEffect(() => {
    if (!error || !['offline', 'too-many', 'failed'].includes(error.kind)) return;
    const timer = setTimeout(reload, (error.retryAfter ?? 10) * 1000);
    addEventListener('online', reload);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', reload);
    };
  }, [error, reload]);
};

/**
 * Reads a check or a run until it is finished. The service answers a waiting request at the next change.
 * @param {string} path
 * @param {(data: any) => boolean} isFinished
 * @returns {Loaded}
 */
export const useLive = (path, isFinished) => {
  const [state, setState] = useState(/** @type {{ path?: string, data?: any, error?: any }} */ ({}));
  const [again, setAgain] = useState(0);
  const reload = useCallback(() => setAgain((each) => each + 1), []);
  const finished = useRef(isFinished);
  const keyVersion = useKeyVersion();
  useEffect(() => {
    const stop = new AbortController();
    const show = (/** @type {any} */ data) => setState({ path, data });
    const fail = (/** @type {any} */ error) =>
      setState((before) => ({ path, error, ...(before.path === path && { data: before.data }) }));
    follow(path, { isFinished: finished.current, show, fail, signal: stop.signal });
    return () => stop.abort();
  }, [path, again, keyVersion]);
  return state.path === path ? { data: state.data, error: state.error, reload } : { reload };
};

/**
 * @param {string} path
 * @param {{ isFinished: (data: any) => boolean, show: (data: any) => void, fail: (error: any) => void, signal: AbortSignal }} options
 */
const follow = async (path, { isFinished, show, fail, signal }) => {
  let etag = '';
  for (let failures = 0; !signal.aborted; ) {
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(WAIT_TIMEOUT)]);
      const answer = await send(path, {
        signal: limit,
        ...(etag && { headers: { prefer: WAIT, 'if-none-match': etag } }),
      });
      if (answer.status !== 304) {
        const data = await answer.json();
        if (signal.aborted) return;
        show(data);
        if (isFinished(data)) return;
        etag = answer.headers.get('etag') ?? '';
      }
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      const { kind, retryAfter } = error instanceof RequestError ? error : { kind: 'offline', retryAfter: undefined };
      fail(error);
      if (kind === 'key' || kind === 'missing' || kind === 'refused') return;
      await pause(retryAfter === undefined ? (PAUSES[failures] ?? 10_000) : retryAfter * 1000, signal);
      failures += 1;
    }
  }
};

/**
 * Resolves after a time, or at once if the connection returns, the tab becomes visible, or the signal aborts.
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
const pause = (ms, signal) =>
  new Promise((resolve) => {
    const done = new AbortController();
    const end = () => {
      clearTimeout(timer);
      done.abort();
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end, { signal: done.signal });
    document.addEventListener('visibilitychange', () => document.hidden || end(), { signal: done.signal });
    signal.addEventListener('abort', end, { signal: done.signal });
  });

/**
 * Returns the time, which changes every few seconds.
 * @param {number} ms
 */
export const useNow = (ms) => {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), ms);
    return () => clearInterval(timer);
  }, [ms]);
  return now;
};
