import { z } from 'zod';
import { Check } from '../check.ts';
import { gravestOf } from '../comparison/judge-pairs.ts';
import { changeView, shown } from '../comparison/sides.ts';
import {
  asChange,
  changeSince,
  type KnownStep,
  type MetricSince,
  type PageSince,
  stepsBetween,
  type UnjudgedReason,
} from '../comparison/since.ts';
import { factsIn, factsView, RunFacts } from '../measured.ts';
import { type MainName, mainNames, namesOfKind, noMetrics, pageMetric } from '../metrics/page-metrics.ts';
import { metricsView } from '../metrics/page-metrics-schemas.ts';
import { type AuditVersion, anyName, type Device, type Region } from '../name-schemas.ts';
import { pick } from '../pick.ts';
import type { RunProblemCode } from '../problems.ts';
import { recordOf } from '../record.ts';
import { runRegions } from '../regions.ts';
import { Run } from '../run.ts';
import type { Standing } from './page-list.ts';
import { type PageSeries, type StoredPoint, StoredSeries, unpackedSeries } from './page-points.ts';
import { mainValueNames, type Page, type PageChange, type PageResult, type PageStep } from './pages.ts';

/* What the list of pages shows, from what the table stores of each page on a device in a region. */

const number = z.number().nullable();

/** A finished run among the newest results of its page, as stored. Another release may have written it. */
export const StoredResult = z.object({
  id: z.uuid(),
  checkId: z.uuid(),
  createId: z.string(), // of the check. An erasure ends the results of one create
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  state: Run.shape.state,
  errorMessage: z.string().nullable(),
  auditVersion: anyName<AuditVersion>(),
  ...recordOf(mainNames, () => number),
  ...pick(RunFacts.shape, factsIn('newest')),
  errorCode: anyName<RunProblemCode>().nullable(),
  // For metrics. Results of earlier releases have neither.
  bytes: number.default(null),
  assertionsPassed: z.boolean().nullable().default(null),
  labels: Check.shape.labels,
  runExpiresAt: z.number(), // in seconds, as the next one
  expiresAt: z.number(),
});
export type StoredResult = z.infer<typeof StoredResult>;

/** The facts about a page on a device in a region that its list shows, as stored. */
export const ListedPage = z.object({
  url: z.string(),
  device: anyName<Device>(),
  region: anyName<Region>(),
  newest: StoredResult,
  series: StoredSeries,
});
export type ListedPage = z.infer<typeof ListedPage>;

/** A page on a device in a region, and how it changed. */
export type JudgedPage = { page: ListedPage; series: PageSeries; change: PageSince | UnjudgedReason };

/** Returns how a page on a device in a region changed since a time, or since its previous result. */
export const judgedPage = (page: ListedPage, since: number | 'previous', now: Date): JudgedPage => {
  const series = seriesOfPage(page, now, namesOf(page.series));
  const { steps } = series;
  const change = page.newest.state === 'failed' ? 'failed' : changeSince(series.points, steps, since);
  return { page, series, change };
};

/** Returns the series of a page without checks that have expired. */
export const seriesOfPage = ({ series }: ListedPage, now: Date, names?: readonly MainName[]): PageSeries => {
  const { points, steps } = unpackedSeries(series, names);
  return { points: points.filter(({ expiresAt }) => expiresAt * 1000 > now.getTime()), steps };
};

/** Rank of a page without a score. */
const UNKNOWN = 999;

/**
 * Returns the rank of a page on a device in a region, the worst first: failures, then the performance score. Without it, the
 * lowest other score counts. Pages without a score are last. If the machine was busy, the performance score is that of
 * the newest earlier result on a free machine.
 */
export const rankOf = ({ page: { newest }, series }: JudgedPage): number => {
  if (newest.state !== 'succeeded') return 0;
  const others = namesOfKind('score').flatMap((name) => (name === 'performance' ? [] : (newest[name] ?? [])));
  const measured = series.points.findLast((point) => scoreOf(point) !== null);
  const performance = newest.contended ? measured && scoreOf(measured) : newest.performance;
  return 1 + (performance ?? Math.min(UNKNOWN, ...others));
};

/** Returns the performance score of a check, or null if the machine was busy. */
const scoreOf = ({ locations: { performance } }: StoredPoint): number | null =>
  performance ? Math.round(performance[0]) : null;

/** Returns the metrics that can say how a page changed. The TBT says how much the others move by themselves. */
const namesOf = ({ metrics, steps }: ListedPage['series']): MainName[] =>
  mainNames.filter((name) => steps[name]?.length || name === 'performance' || name === 'tbt' || !metrics.performance);

/** Returns how a page is by all its results. */
export const standingOf = (results: readonly JudgedPage[]): Standing => {
  const verdict = gravestOf(results.flatMap(({ change }) => (typeof change === 'string' ? [] : change.verdict)));
  if (verdict === 'regressed') return 'worse';
  if (results.some(({ change }) => change === 'failed')) return 'failed';
  if (verdict === 'improved') return 'better';
  return results.some(({ change }) => typeof change !== 'string') ? 'unchanged' : 'untold';
};

/** Returns how many points a page has lost, and Infinity if the change is unknown. A page that got worse has lost more than others. */
export const lossOf = (results: readonly JudgedPage[]): number =>
  Math.max(
    ...results.map(({ change }) => {
      if (typeof change === 'string') return Number.NEGATIVE_INFINITY;
      return -(change.metrics.performance?.change.shift.estimate ?? 0);
    }),
  );

/** Returns a page of the list as the API shows it. */
export const pageOf = (results: readonly [JudgedPage, ...JudgedPage[]], now: Date): Page => ({
  url: results[0].page.url,
  changed: standingOf(results),
  results: results
    .toSorted((a, b) => compareTexts(b.page.device, a.page.device) || placeOf(a) - placeOf(b))
    .map((result) => pageResult(result, now)),
});

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const placeOf = ({ page }: JudgedPage): number => runRegions.indexOf(page.region);

const pageResult = ({ page, series, change }: JudgedPage, now: Date): PageResult => {
  const { url, device, region, newest } = page;
  const values = { ...noMetrics, ...pick(newest, mainNames) };
  const check = `/v1/checks/${newest.checkId}`;
  const hasRun = newest.runExpiresAt * 1000 > now.getTime();
  return {
    region,
    device,
    ...pick(newest, ['id', 'checkId', 'auditVersion', 'state', 'createdAt', 'finishedAt']),
    ...pick(metricsView(values), mainNames),
    numericValues: pick(values, mainValueNames),
    ...pick(newest, [...factsIn('newest'), 'errorMessage', 'labels']),
    ...factsView(newest),
    change: typeof change === 'string' ? null : changeOf(change),
    unjudged: typeof change === 'string' ? change : null,
    steps: stepsBetween(series.points, series.steps).map(stepView),
    history: series.points.map(scoreOf),
    links: {
      self: hasRun ? `${check}/runs/${newest.id}` : null,
      check: hasRun ? check : null,
      page: `/pages?${new URLSearchParams({ url, device })}`,
    },
  };
};

const isoOf = (at = 0) => new Date(at).toISOString();

const stepView = ({ name, base, first, from, to }: KnownStep): PageStep => ({
  metric: name,
  at: isoOf(first.at),
  verdict: to > from === (pageMetric(name).better === 'higher') ? 'improved' : 'regressed',
  base: meanView(name, from),
  value: meanView(name, to),
  checkId: first.checkId,
  baseCheckId: base.checkId,
});

const changeOf = ({ verdict, metrics }: PageSince): PageChange => {
  const all = Object.entries(metrics) as [MainName, MetricSince][];
  const [, main] = all.find(([, each]) => each.verdict === verdict) as [MainName, MetricSince];
  const isChange = verdict === 'regressed' || verdict === 'improved';
  const [base, first, newest] = [main.before.at(-1), main.after[0], main.after.at(-1)];
  const isShown = ([name, each]: [MainName, MetricSince]) =>
    name === 'performance' || each === main || each.verdict === 'regressed' || each.verdict === 'improved';
  return {
    verdict,
    changedAt: isChange ? isoOf(first?.at) : null,
    checkId: (isChange ? first : newest)?.checkId ?? null,
    baseCheckId: base?.checkId ?? null,
    baseCreatedAt: isoOf(base?.at),
    checks: main.after.length,
    baseChecks: main.before.length,
    metrics: Object.fromEntries(all.filter(isShown).map(([name, each]) => [name, metricChange(name, each)])),
  };
};

const metricChange = (name: MainName, since: MetricSince) => {
  const [base, value] = [since.before, since.after].map((side) => {
    const locations = side.map(({ locations }) => locations[name]?.[0] ?? 0);
    return meanView(name, locations.reduce((sum, each) => sum + each, 0) / locations.length);
  }) as [PageChangeValue, PageChangeValue];
  return { base, value, ...changeView(pageMetric(name), asChange(since), false), verdict: since.verdict };
};
/** Returns a mean of checks as the API shows it. */
const meanView = (name: MainName, mean: number): PageChangeValue =>
  shown(pageMetric(name).kind, pageMetric(name).kind === 'score' ? Math.round(mean) : Math.round(mean * 1e4) / 1e4);
type PageChangeValue = NonNullable<PageChange['metrics'][MainName]>['base'];
