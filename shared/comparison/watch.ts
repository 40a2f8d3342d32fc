import { z } from 'zod';
import { type InteractionMetricId, interactionMetricId, partsOfInteractionMetric } from '../interactions/metric-ids.ts';
import { interactionMetrics } from '../interactions/metrics.ts';
import { type MainName, mainNames, type PageMetric, pageMetric } from '../metrics/page-metrics.ts';
import { anyName, type Region } from '../name-schemas.ts';
import { isComparable, reasonsAgainst } from './comparable.ts';
import { compareChecks, type History } from './comparison.ts';
import { type CheckComparison, ReasonCode } from './schemas.ts';
import { asInSeries, locationsOf, SERIES_CHECKS, type SeriesPoint } from './series.ts';
import { type ComparedCheck, type ComparedRun, hasSucceeded } from './sides.ts';
import { differenceCodes, spoilsAll, spoilsMetric } from './spoils.ts';
import { checksBack, type Location, stepOf } from './steps.ts';

/*
 * How the checks of a schedule are judged, for each of its regions. A page has regressed if the series of a main metric has a
 * step for the worse, and it is back after a step back. After a change of the browser or of the kind of machine, the series of
 * a time has only the checks with the new one. After a change that spoils all metrics, every series begins again.
 */

/** Why a check has no verdict, or none about metrics with noise. `first`: there is no earlier one. */
export const UnjudgedReason = z.enum([...ReasonCode.options, 'first', ...differenceCodes]);
export type UnjudgedReason = z.infer<typeof UnjudgedReason>;

/** A main metric of the page, or the INP of an interaction. An edit of the schedule's check begins new series, so all checks of a series have the same steps. */
export type WatchedName = MainName | InteractionMetricId;

const rowOf = (name: WatchedName): PageMetric => {
  const parts = partsOfInteractionMetric(name);
  return parts ? interactionMetrics[parts.metric] : pageMetric(name as MainName);
};

/** A metric whose series has a step: the first check after the last step, and the first of the regression, if it is one. */
const Stepped = z.object({ from: z.uuid(), worseFrom: z.uuid().nullable() });

/** How a page of a schedule is in a region, as stored: ids of its checks, and none of their results. */
export const WatchedPage = z.object({
  series: z.array(z.uuid()), // of the last checks, the newest last
  stepped: z.partialRecord(anyName<WatchedName>(), Stepped),
  checkId: z.uuid(), // of the last check
  reason: anyName<UnjudgedReason>().nullable(),
});
export type WatchedPage = z.infer<typeof WatchedPage>;

/** A page that has changed: the metrics that count, the checks before the step and those since, the newest first. */
export type PageChanged = {
  type: 'page.regressed' | 'page.recovered';
  metrics: WatchedName[];
  pool: string[];
  since: string[];
};

type Judged = { page: WatchedPage; event?: PageChanged };

/** Returns the metrics of a page that have regressed. */
export const regressedOf = ({ stepped }: Pick<WatchedPage, 'stepped'>): WatchedName[] =>
  [...mainNames, ...interactionsIn(stepped)].filter((name) => stepped[name]?.worseFrom);

const interactionsIn = (named: object): InteractionMetricId[] =>
  Object.keys(named).flatMap((name) => {
    const parts = partsOfInteractionMetric(name);
    return parts ? [interactionMetricId(parts)] : [];
  });

/** Returns the names of the main metrics among others, and the interactions whose INP the others are. */
export const splitNames = (names: readonly WatchedName[]): { metrics: MainName[]; interactions: string[] } => ({
  metrics: mainNames.filter((name) => names.includes(name)),
  interactions: names.flatMap((name) => partsOfInteractionMetric(name)?.interaction ?? []),
});

/** Judges the next check of a page by the one before. `known` are the checks of its series that still exist. */
export const judgePage = (
  region: Region,
  check: ComparedCheck & { createdAt: string },
  before: WatchedPage | undefined,
  known: readonly SeriesPoint[],
): Judged => {
  const page: WatchedPage = { ...begun(check.id), series: [], ...before, checkId: check.id };
  const run = check.runs.find((each) => each.region === region && hasSucceeded(each));
  if (!run) return { page: { ...page, reason: 'failed' } };
  const point = pointOf(check, run);
  const earlier = page.series.flatMap((id) => known.find(({ checkId }) => checkId === id) ?? []);
  const newest = earlier.at(-1);
  const against = newest ? reasonsAgainst(newest, point) : (['first'] as const);
  const first = point.contended ? 'contended' : (against[0] ?? null);
  if (!newest || against.some(spoilsAll)) return { page: { ...begun(check.id), reason: first } };
  const series = [...earlier, point].slice(-SERIES_CHECKS);
  const isAlone = earlier.every((each) => !isComparable('performance', each, point));
  const reason = point.contended || isAlone ? first : null;
  const ids = series.map(({ checkId }) => checkId);
  return judgeSeries({ ...page, series: ids, stepped: stepsIn(page, ids), reason }, series);
};

/** Returns the steps of a page. A step whose first check was erased begins at the check after it. */
const stepsIn = ({ stepped, series }: WatchedPage, left: readonly string[]): WatchedPage['stepped'] => {
  const next = (id: string): string => {
    const at = series.indexOf(id);
    return at === -1 ? id : (series.slice(at).find((each) => left.includes(each)) ?? (left.at(-1) as string));
  };
  const moved = Object.entries(stepped).flatMap(([name, step]) =>
    step ? [[name, { from: next(step.from), worseFrom: step.worseFrom && next(step.worseFrom) }] as const] : [],
  );
  return Object.fromEntries(moved);
};

const begun = (id: string): WatchedPage => ({ series: [id], stepped: {}, checkId: id, reason: 'first' });

const pointOf = (check: ComparedCheck & { createdAt: string }, run: ComparedRun): SeriesPoint => ({
  ...asInSeries(check, run.environment),
  checkId: check.id,
  createdAt: check.createdAt,
  locations: locationsOf(run),
});

/** Judges the newest check of a series in each main metric, and each interaction. */
const judgeSeries = (page: WatchedPage, series: readonly SeriesPoint[]): Judged => {
  const names = [...mainNames, ...interactionsIn(series.at(-1)?.locations ?? {})];
  const changes = names.flatMap((name) => {
    const change = changeOf(name, page.stepped[name], series);
    return change ? [{ name, ...change }] : [];
  });
  const stepped = { ...page.stepped, ...Object.fromEntries(changes.map(({ name, to }) => [name, to])) };
  const after: WatchedPage = { ...page, stepped };
  const worse = changes.filter(({ type }) => type === 'page.regressed');
  const back = regressedOf(after).length === 0 ? changes.filter(({ type }) => type === 'page.recovered') : [];
  const [first, ...others] = worse.length > 0 ? worse : back;
  if (!first?.type) return { page: after };
  const placeOf = (id: string | undefined) =>
    Math.max(
      0,
      series.findIndex(({ checkId }) => checkId === id),
    );
  const [earlier, start] = [placeOf(page.stepped[first.name]?.from), placeOf(first.to.from)];
  return {
    page: after,
    event: {
      type: first.type,
      metrics: [first, ...others].map(({ name }) => name),
      pool: idsOf(series.slice(earlier, start)),
      since: idsOf(series.slice(start)),
    },
  };
};

/** Most checks of a side with which an event shows its change. */
const MOST_SHOWN = 10;
const idsOf = (points: readonly SeriesPoint[]): string[] =>
  points
    .map(({ checkId }) => checkId)
    .reverse()
    .slice(0, MOST_SHOWN);

type Change = { to: z.infer<typeof Stepped>; type: PageChanged['type'] | undefined };

/** Returns how a metric has changed with the newest check, or undefined if it goes on as before. */
const changeOf = (
  name: WatchedName,
  stepped: z.infer<typeof Stepped> | undefined,
  series: readonly SeriesPoint[],
): Change | undefined => {
  const metric = rowOf(name);
  const newest = series.at(-1) as SeriesPoint;
  if (!newest.locations[name]) return undefined;
  const points = series.filter(
    (each) => each.locations[name] && !reasonsAgainst(newest, each).some((code) => spoilsMetric(metric, code)),
  );
  const placeOf = (id: string | null | undefined) => {
    const start = series.findIndex(({ checkId }) => checkId === id);
    return start === -1 ? 0 : points.findIndex((each) => series.indexOf(each) >= start);
  };
  const of = (some: readonly SeriesPoint[]) => some.map(({ locations }) => locations[name] as Location);
  const tbts = points.flatMap(({ locations }) => locations.tbt?.[0] ?? []);
  const tbt = tbts.reduce((sum, each) => sum + each, 0) / Math.max(1, tbts.length);
  const current = points.slice(placeOf(stepped?.from));
  const step = stepOf(metric, of(current), tbt);
  if (stepped?.worseFrom) {
    const worse = placeOf(stepped.worseFrom);
    const back = checksBack(metric, of(points.slice(0, worse)), of(points.slice(worse)), tbt);
    if (back > 0) {
      const from = (points.at(-back) ?? newest).checkId;
      return { to: { from, worseFrom: null }, type: 'page.recovered' };
    }
  }
  if (!step) return undefined;
  const from = (points.at(-step.since) ?? newest).checkId;
  const isWorse = step.estimate > 0 === (metric.better === 'lower');
  if (!isWorse) return { to: { from, worseFrom: stepped?.worseFrom ?? null }, type: undefined };
  return { to: { from, worseFrom: stepped?.worseFrom ?? from }, type: 'page.regressed' };
};

/**
 * Compares the checks of an event in a region: those since the step with those before it, the newest of which is the base.
 * Earlier checks of the page show how much it moves by itself.
 */
export const compareStep = (
  region: Region,
  [check, ...again]: readonly ComparedCheck[],
  [base, ...pool]: readonly ComparedCheck[],
  history: History,
): CheckComparison | undefined => {
  const inRegion = (each: ComparedCheck): ComparedCheck => ({
    ...each,
    runs: each.runs.filter((run) => run.region === region),
  });
  if (!check || !base) return undefined;
  return compareChecks(inRegion(base), inRegion(check), {
    pool: pool.map(inRegion),
    again: again.map(inRegion),
    history,
  });
};
