import { differencesOf, reasonsAgainst } from '../../../shared/comparison/comparable.ts';
import { spoilsMetric } from '../../../shared/comparison/spoils.ts';
import type { FieldHistory } from '../../../shared/field-data-schemas.ts';
import { type JudgedName, judgedMetric } from '../../../shared/interactions/metrics.ts';
import { runRegions } from '../../../shared/regions.ts';
import type { RunSummary } from '../../../shared/summaries.ts';
import { otherText, stepText } from '../../words/differences.ts';
import { useFollowed } from '../requests/loading.ts';
import { read } from '../requests/requests.ts';

/** Most runs that a chart has as single points. Of more runs it has the medians of each day. */
const MAX_RUNS = 400;
/** Most pages that the service is read for. A page may have few runs. */
const MAX_PAGES = 100;

/** One page of runs. `unreadable` has the ids of runs whose stored data can't be read. */
type RunList = {
  runs: RunSummary[];
  unreadable?: string[];
  fieldHistory?: FieldHistory;
  nextCursor: string | null;
};

/** Reads the finished runs of a URL, newest first, or the medians of their days. `filter` has parameters of `GET /v1/runs`; null reads nothing. */
export const useSeries = (filter: string | null) => {
  const { data, error, reload } = useFollowed(filter, ({ signal }) => readAll(filter ?? '', signal));
  const { runs = [], unreadable = [], history } = data ?? {};
  return { runs, unreadable, history, done: data !== undefined, error, reload };
};

const readAll = async (filter: string, signal: AbortSignal) => {
  const { isCut, ...single } = await readPages(filter, signal, MAX_RUNS);
  return isCut ? readPages(`${filter}&every=day`, signal) : single;
};

/** Reads page by page. Stops after more than so many runs. */
const readPages = async (filter: string, signal: AbortSignal, most = Number.POSITIVE_INFINITY) => {
  const runs: RunSummary[] = [];
  const unreadable: string[] = [];
  let history: FieldHistory | undefined;
  let cursor: string | null = null;
  let headers = new Headers();
  for (let pages = 0; pages < MAX_PAGES && runs.length <= most; pages += 1) {
    const next = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const answer = await read<RunList>(`/v1/runs?${filter}&limit=100${next}`, { signal });
    const page = answer.data as RunList; // a 304 needs an entity tag
    headers = answer.headers;
    runs.push(...page.runs);
    history ??= page.fieldHistory;
    unreadable.push(...(page.unreadable ?? []));
    cursor = page.nextCursor;
    if (!cursor) break;
  }
  return { data: { runs, unreadable, history }, headers, isCut: cursor !== null || runs.length > most };
};

/** Returns the regions of runs, in the order of the regions of the service, and uploads last. */
export const regionsOf = (runs: readonly RunSummary[]) => {
  const found = new Set(runs.map(({ region }) => region));
  return runRegions.filter((region) => found.has(region));
};

type ComparedRun = Parameters<typeof reasonsAgainst>[0] & Record<'region' | 'state', string>;

const known = new WeakMap<object, Map<string, unknown>>();

/** Makes something of a list of runs once, because the chart and the table need the same of up to 400 runs. */
const once = <Made>(runs: object, name: string, make: () => Made): Made => {
  const ofRuns = known.get(runs) ?? new Map<string, unknown>();
  if (!ofRuns.has(name)) known.set(runs, ofRuns.set(name, make()));
  return ofRuns.get(name) as Made;
};

/** Returns why a metric of runs, newest first, is not comparable with the newest run of their region. */
export const incomparable = <Run extends ComparedRun>(runs: readonly Run[], name: JudgedName): Map<Run, string> =>
  once(runs, `incomparable ${name}`, () => reasonsOf(runs, name));

const reasonsOf = <Run extends ComparedRun>(runs: readonly Run[], name: JudgedName): Map<Run, string> => {
  const newest = new Map<string, Run>();
  for (const run of runs) {
    if (run.state === 'succeeded' && !run.contended && !newest.has(run.region)) newest.set(run.region, run);
  }
  const reasons = new Map<Run, string>();
  for (const run of runs) {
    const first = reasonsAgainst(newest.get(run.region) ?? run, run).find((code) =>
      spoilsMetric(judgedMetric(name), code),
    );
    if (first) reasons.set(run, otherText(first));
  }
  return reasons;
};

/**
 * Returns the runs, newest first, with which a metric begins a new series in their region, and what changed there: an input, or
 * a part of the service. Another machine begins none, because several may take turns.
 */
export const stepsOf = <Run extends ComparedRun>(runs: readonly Run[], name: JudgedName): Map<Run, string> =>
  once(runs, `steps ${name}`, () => newSeriesOf(runs, name));

const newSeriesOf = <Run extends ComparedRun>(runs: readonly Run[], name: JudgedName): Map<Run, string> => {
  const before = new Map<string, Run>();
  const steps = new Map<Run, string>();
  for (const run of runs.toReversed()) {
    if (run.state !== 'succeeded') continue;
    const changed = differencesOf(before.get(run.region) ?? run, run).filter(({ code }) =>
      spoilsMetric(judgedMetric(name), code),
    );
    if (changed.length > 0) steps.set(run, changed.map(stepText).join(', '));
    before.set(run.region, run);
  }
  return steps;
};
