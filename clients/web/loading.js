// @ts-check
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { asRequestError, read, send } from './api.js';
import { follow } from './following.js';
import { onKeyChange } from './session.js';

const WAIT = 'wait=25';
/** Time limit of a request that waits, in milliseconds. A connection that died while the machine slept never ends. */
const WAIT_TIMEOUT = 60_000;

/** @typedef {{ data?: any, error?: import('./api.js').RequestError, reload: () => void }} Loaded */
/** @typedef {{ isFinished?: (data: any) => boolean, refreshSeconds?: number }} FollowOptions */

/** Returns a number that grows when the key of the tab changes. */
const useKeyVersion = () => {
  const [version, setVersion] = useState(0);
  useEffect(() => onKeyChange(() => setVersion((each) => each + 1)), []);
  return version;
};

const always = () => true;

/**
 * Reads until the data is finished, and again after `reload` or a new key. Retries failures that pass. Keeps the data that
 * it has if a later request fails. `name` identifies what is read. A name of null reads nothing.
 * @param {string | null} name
 * @param {import('./following.js').Load} load
 * @param {FollowOptions} [options]
 * @returns {Loaded}
 */
export const useFollowed = (name, load, { isFinished = always, refreshSeconds = 0 } = {}) => {
  const [state, setState] = useState(/** @type {{ name?: string | null, data?: any, error?: any }} */ ({}));
  const [again, setAgain] = useState(0);
  const reload = useCallback(() => setAgain((each) => each + 1), []);
  const current = useRef({ load, isFinished });
  current.current = { load, isFinished };
  const keyVersion = useKeyVersion();
  useEffect(() => {
    if (name === null) return;
    const stop = new AbortController();
    follow(current.current.load, {
      isFinished: current.current.isFinished,
      show: (data) => setState({ name, data }),
      fail: (error) => setState((before) => ({ name, error, ...(before.name === name && { data: before.data }) })),
      refreshSeconds,
      signal: stop.signal,
    });
    return () => stop.abort();
  }, [name, again, keyVersion, refreshSeconds]);
  return state.name === name ? { data: state.data, error: state.error, reload } : { reload };
};

/**
 * Reads a path until the data is finished, by default once.
 * @param {string | null} path
 * @param {FollowOptions} [options]
 */
export const useLoaded = (path, options) =>
  useFollowed(path, async ({ signal }) => ({ data: await read(path ?? '', { signal }) }), options);

/**
 * Reads a check or a run until it is finished. The service answers a waiting request at the next change.
 * @param {string} path
 * @param {(data: any) => boolean} isFinished
 */
export const useLive = (path, isFinished) => useFollowed(path, (last) => readOrWait(path, last), { isFinished });

/**
 * Waits for a change since an entity tag. Reads at once without a tag.
 * @param {string} path
 * @param {Parameters<import('./following.js').Load>[0]} last
 */
export const readOrWait = async (path, { etag, signal }) => {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(WAIT_TIMEOUT)]);
  const answer = await send(path, {
    signal: limit,
    ...(etag && { headers: { prefer: WAIT, 'if-none-match': etag } }),
  });
  return { headers: answer.headers, ...(answer.status !== 304 && { data: await answer.json() }) };
};

/**
 * Returns a function that runs an action of the user, and the state of the action. An action without a valid key stops,
 * and runs again with the next key that the user enters.
 * @template {any[]} Args
 * @param {(...args: Args) => Promise<unknown>} act
 */
export const useAction = (act) => {
  const [state, setState] = useState(/** @type {{ busy?: boolean, error?: any }} */ ({}));
  const resume = useRef(/** @type {(() => void) | undefined} */ (undefined));
  const run = async (/** @type {Args} */ ...args) => {
    resume.current = undefined;
    setState({ busy: true });
    try {
      await act(...args);
      setState({});
    } catch (thrown) {
      const error = asRequestError(thrown);
      if (error.kind === 'key') {
        resume.current = () => run(...args);
        requestAnimationFrame(() => document.getElementById('api-key')?.focus()); // the prompt is there by then
      }
      setState({ error });
    }
  };
  const clear = () => {
    resume.current = undefined;
    setState({});
  };
  useEffect(() => onKeyChange((key) => key !== null && resume.current?.()), []);
  return { ...state, run, clear };
};

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
