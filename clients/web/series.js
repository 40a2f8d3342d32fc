// @ts-check
import { useCallback, useEffect, useState } from 'preact/hooks';
import { read } from './api.js';
import { useRetries } from './loading.js';
import { onKeyChange } from './session.js';
import { isOtherThrottling } from './throttling.js';

/** Most runs that a chart has. */
export const MAX_RUNS = 400;

/**
 * Reads the finished runs of a URL, newest first, page by page.
 * @param {{ url: string, device: string }} filter
 * @returns {{ runs: any[], done: boolean, error?: any, reload: () => void }}
 */
export const useSeries = ({ url, device }) => {
  const [state, setState] = useState(
    /** @type {{ runs: any[], done: boolean, error?: any }} */ ({ runs: [], done: false }),
  );
  const [again, setAgain] = useState(0);
  const reload = useCallback(() => setAgain((each) => each + 1), []);
  useEffect(() => onKeyChange(reload), [reload]);
  useEffect(() => {
    const stop = new AbortController();
    readAll({ url, device }, stop.signal, setState).catch((error) => {
      if (!stop.signal.aborted) setState((before) => ({ ...before, error }));
    });
    return () => stop.abort();
  }, [url, device, again]);
  useRetries(state.error, reload);
  return { ...state, reload };
};

/**
 * @param {{ url: string, device: string }} filter
 * @param {AbortSignal} signal
 * @param {(state: { runs: any[], done: boolean }) => void} show
 */
const readAll = async (filter, signal, show) => {
  /** @type {any[]} */
  const runs = [];
  /** @type {string | null} */
  let cursor = null;
  do {
    const parameters = new URLSearchParams({ ...filter, limit: '100', ...(cursor && { cursor }) });
    const page = await read(`/v1/runs?${parameters}`, { signal });
    runs.push(...page.runs);
    cursor = page.nextCursor;
  } while (cursor && runs.length < MAX_RUNS);
  show({ runs: runs.slice(0, MAX_RUNS), done: true });
};

/**
 * Returns why runs are not comparable with the newest run of their region.
 * @param {readonly any[]} runs newest first
 * @returns {Map<any, string>}
 */
export const incomparable = (runs) => {
  const newest = new Map();
  for (const run of runs) {
    if (run.state === 'succeeded' && !run.contended && !newest.has(run.region)) newest.set(run.region, run);
  }
  /** @type {(run: any) => string | undefined} */
  const reasonOf = (run) => {
    const latest = newest.get(run.region);
    if (run.contended) return 'other work used the CPU';
    if (!latest) return undefined;
    if (latest.auditVersion !== run.auditVersion) return 'other version';
    return isOtherThrottling(latest.throttling, run.throttling) ? 'other throttling' : undefined;
  };
  const reasons = new Map();
  for (const run of runs) {
    const reason = reasonOf(run);
    if (reason) reasons.set(run, reason);
  }
  return reasons;
};
