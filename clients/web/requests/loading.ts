import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { CheckView } from '../../../shared/check.ts';
import { isFinished } from '../../../shared/states.ts';
import { onKeyChange } from '../session/session.ts';
import { follow, type Load } from './following.ts';
import { type Failure, read, wordedFailureOf } from './requests.ts';
import { waitFor } from './waiting.ts';

type State<Data> = { data?: Data | undefined; error?: Failure | undefined };
export type Loaded<Data> = State<Data> & { reload: () => void };
type FollowOptions<Data> = { isFinished?: (data: Data) => boolean; refreshSeconds?: number };

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
 */
export const useFollowed = <Data>(
  name: string | null,
  load: Load<Data>,
  { isFinished = always, refreshSeconds = 0 }: FollowOptions<Data> = {},
): Loaded<Data> => {
  const [state, setState] = useState<State<Data> & { name?: string }>({});
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
      confirm: () => setState((before) => (before.error ? { name, data: before.data } : before)),
      fail: (error) => setState((before) => ({ name, error, ...(before.name === name && { data: before.data }) })),
      refreshSeconds,
      signal: stop.signal,
    });
    return () => stop.abort();
  }, [name, again, keyVersion, refreshSeconds]);
  return state.name === name ? { data: state.data, error: state.error, reload } : { reload };
};

/** Reads a path until the data is finished, by default once. */
export const useLoaded = <Data>(path: string | null, options?: FollowOptions<Data>): Loaded<Data> =>
  useFollowed(path, ({ signal }) => read<Data>(path ?? '', { signal }), options);

/** Reads a check or a run until it is finished. The service answers a waiting request at the next change. */
export const useLive = <Data extends Pick<CheckView, 'state'>>(path: string): Loaded<Data> =>
  useFollowed(path, waitFor<Data>(path), { isFinished: ({ state }) => isFinished(state) });

/**
 * Returns a function that runs an action of the user, one that retries it, and the state of the action. An action without
 * a valid key stops, and runs again with the next key that the user enters.
 */
export const useAction = <Args extends unknown[]>(act: (...args: Args) => Promise<unknown>) => {
  const [state, setState] = useState<{ busy?: boolean; error?: Failure }>({});
  const resume = useRef<() => void>(undefined);
  const last = useRef<Args>(undefined);
  const run = async (...args: Args) => {
    resume.current = undefined;
    last.current = args;
    setState({ busy: true });
    try {
      await act(...args);
      setState({});
    } catch (thrown) {
      const error = await wordedFailureOf(thrown);
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
  const retry = () => last.current && run(...last.current);
  return { ...state, run, retry, clear };
};

/** Returns the time, which changes every few seconds. */
export const useNow = (ms: number) => {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), ms);
    return () => clearInterval(timer);
  }, [ms]);
  return now;
};
