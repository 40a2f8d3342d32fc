// @ts-check
import { read } from './api.js';
import { useFollowed } from './loading.js';
import { isOtherThrottling } from './throttling.js';

/** Most runs that a chart has. */
export const MAX_RUNS = 400;
/** Most pages that the service is read for. A page may have few runs. */
const MAX_PAGES = 100;

/**
 * Reads the finished runs of a URL, newest first, page by page.
 * @param {{ url: string, device: string }} filter
 * @returns {{ runs: any[], unreadable: string[], done: boolean, error?: any, reload: () => void }}
 */
export const useSeries = ({ url, device }) => {
  const load = (/** @type {{ signal: AbortSignal }} */ { signal }) =>
    readAll({ url, device }, signal).then((series) => ({ data: series }));
  const { data, error, reload } = useFollowed(`${device} ${url}`, load);
  return { runs: data?.runs ?? [], unreadable: data?.unreadable ?? [], done: data !== undefined, error, reload };
};

/**
 * @param {{ url: string, device: string }} filter
 * @param {AbortSignal} signal
 */
const readAll = async (filter, signal) => {
  /** @type {any[]} */
  const runs = [];
  /** @type {string[]} */
  const unreadable = [];
  /** @type {string | null} */
  let cursor = null;
  for (let pages = 0; pages < MAX_PAGES && runs.length < MAX_RUNS; pages += 1) {
    const parameters = new URLSearchParams({ ...filter, limit: '100', ...(cursor && { cursor }) });
    const page = await read(`/v1/runs?${parameters}`, { signal });
    runs.push(...page.runs);
    unreadable.push(...(page.unreadable ?? []));
    cursor = page.nextCursor;
    if (!cursor) break;
  }
  return { runs: runs.slice(0, MAX_RUNS), unreadable };
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
