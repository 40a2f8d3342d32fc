import { type MainName, mainNames, pageMetric } from '../metrics/page-metrics.ts';
import { pick } from '../pick.ts';
import { type ChangeOfChecks, changeOfLocations, checksThatTell } from './by-checks.ts';
import { MAX_NEEDED } from './by-samples.ts';
import { type Change, type Direction, directionOf, distanceOf, KNOWN_CHECKS, LEVEL } from './change.ts';
import { gravestOf } from './judge-pairs.ts';
import { meanOf } from './noise.ts';
import type { Verdict } from './schemas.ts';
import type { Locations } from './series.ts';
import { hadBefore, type Location, stepOf } from './steps.ts';

/*
 * How a page changed since a time, by the series of its checks. A change counts if the series has a step after that time. A
 * step is found once, when a check closes, by the same test as that of `page.regressed`.
 */

/**
 * A check of a page, as its series knows it. `inputs` is equal for checks that can be compared, and `machine` for those whose
 * times can be compared.
 */
export type PagePoint = {
  /** Time of the create, in milliseconds. */
  at: number;
  /** Null if the check is old and begins no step. */
  checkId: string | null;
  inputs: string;
  machine: string;
  locations: Locations;
};

/** Times of the first checks after the steps of each metric, the oldest first. */
export type Steps = Partial<Record<MainName, number[]>>;

/** Fewest checks before a time, and of a series. */
const [FEWEST_BEFORE, FEWEST] = [3, 5];
/** Newest checks of each side that count. */
const MOST = 40;

/** Why nothing is said about a page. */
export const unjudgedReasons = ['failed', 'too-few-checks', 'other-inputs', 'no-later-check'] as const;
export type UnjudgedReason = (typeof unjudgedReasons)[number];

/** How a metric changed: between which checks, and whether a step proves it. */
export type MetricSince = {
  change: ChangeOfChecks;
  direction: Direction;
  verdict: Verdict;
  isSuspected: boolean;
  limit: number;
  before: readonly PagePoint[];
  after: readonly PagePoint[];
};
export type PageSince = { verdict: Verdict; metrics: Partial<Record<MainName, MetricSince>> };

const isMeasured = ({ locations }: PagePoint): boolean => {
  for (const _ in locations) return true;
  return false;
};

/** Returns the points with values and with the inputs of the newest one. */
const alikeOf = (points: readonly PagePoint[]): PagePoint[] => {
  const newest = points.findLast(isMeasured);
  return points.filter((each) => each.inputs === newest?.inputs && isMeasured(each));
};

/** Returns the points whose values of a metric can be compared with the newest one. */
const seriesOf = (name: MainName, alike: readonly PagePoint[]): PagePoint[] => {
  const series = alike.filter(({ locations }) => locations[name]);
  if (pageMetric(name).dependsOn !== 'device') return series;
  const newest = series.at(-1);
  return series.filter(({ machine }) => machine === newest?.machine);
};

const locationsOf = (name: MainName, series: readonly PagePoint[]): Location[] =>
  series.map(({ locations }) => locations[name] as Location);
const valuesOf = (name: MainName, series: readonly PagePoint[]): number[] =>
  locationsOf(name, series).map(([location]) => location);
const tbtOf = (alike: readonly PagePoint[]): number => meanOf(valuesOf('tbt', seriesOf('tbt', alike))) || 0;

/** Returns the steps of a page, which were found before, with those that its newest check shows. */
export const withNewSteps = (points: readonly PagePoint[], known: Steps): Steps => {
  const alike = alikeOf(points);
  const tbt = tbtOf(alike);
  const steps = { ...known };
  for (const name of mainNames) {
    const series = seriesOf(name, alike);
    if (series.at(-1) !== points.at(-1)) continue;
    const last = steps[name]?.at(-1) ?? 0;
    const current = series.filter(({ at }) => at >= last);
    const step = stepOf(pageMetric(name), locationsOf(name, current), tbt);
    if (step) steps[name] = [...(steps[name] ?? []), (current.at(-step.since) as PagePoint).at];
  }
  return steps;
};

/** A lasting change of a metric: its last check before, its first check since, and where the checks of both levels lie. */
export type KnownStep = { name: MainName; base: PagePoint; first: PagePoint; from: number; to: number };

/** Returns the steps of checks that can be compared with the newest one, the oldest first. */
export const stepsBetween = (points: readonly PagePoint[], steps: Steps): KnownStep[] => {
  const alike = alikeOf(points);
  const known = mainNames.flatMap((name) => {
    const series = seriesOf(name, alike);
    const places = (steps[name] ?? []).map((time) => series.findIndex(({ at }) => at >= time)).filter((at) => at > 0);
    return [...new Set(places)].map((place, i, all): KnownStep => {
      const [before, after] = [series.slice(all[i - 1] ?? 0, place), series.slice(place, all[i + 1])];
      const [from, to] = [before.slice(-MOST), after.slice(0, MOST)].map((side) => meanOf(valuesOf(name, side)));
      return { name, base: before.at(-1) as PagePoint, first: after[0] as PagePoint, from: from ?? 0, to: to ?? 0 };
    });
  });
  return known.sort((a, b) => a.first.at - b.first.at);
};

/** Returns how a page changed since a time or its previous check, or why the change is unknown. */
export const changeSince = (
  points: readonly PagePoint[],
  steps: Steps,
  since: number | 'previous',
): PageSince | UnjudgedReason => {
  const alike = alikeOf(points);
  const newest = alike.at(-1);
  if (!newest) return 'too-few-checks';
  if (since !== 'previous' && newest.at <= since) return 'no-later-check';
  const tbt = tbtOf(alike);
  const changes = mainNames.flatMap((name) => {
    const series = seriesOf(name, alike);
    const sides = since === 'previous' ? previousOf(series, newest) : sidesOf(series, steps[name] ?? [], since);
    const change = sides && changeBetween(name, sides, tbt);
    return change ? [[name, change] as const] : [];
  });
  if (changes.length > 0) {
    return { verdict: gravestOf(changes.map(([, { verdict }]) => verdict)), metrics: Object.fromEntries(changes) };
  }
  return alike.length < FEWEST && points.filter(isMeasured).length >= FEWEST ? 'other-inputs' : 'too-few-checks';
};

/**
 * Returns how each metric changed that has a step between two checks, or whose checks are neighbours in a long series.
 * `GET /v1/pages` uses the same functions, so it gives the same verdicts as a comparison.
 */
export const changesAcross = (
  { points, steps }: { points: readonly PagePoint[]; steps: Steps },
  baseId: string,
  checkId: string,
): PageSince['metrics'] => {
  const [base, check] = [baseId, checkId].map((id) => points.find((each) => each.checkId === id));
  if (!base || !check || base.at >= check.at) return {};
  const alike = points.filter((each) => each.inputs === check.inputs && isMeasured(each));
  const changes = mainNames.flatMap((name) => {
    const times = steps[name] ?? [];
    const isStep = times.some((time) => time > base.at && time <= check.at);
    const end = isStep ? (times.find((time) => time > check.at) ?? Number.POSITIVE_INFINITY) : check.at + 1;
    const series = seriesOf(
      name,
      alike.filter(({ at }) => at < end),
    );
    if (!series.includes(base) || !series.includes(check)) return []; // another machine, for example
    const sides = isStep ? sidesOf(series, times, base.at) : previousOf(series, check, base);
    const change = sides?.isProved && changeBetween(name, sides, tbtOf(alike));
    return change ? [[name, change] as const] : [];
  });
  return Object.fromEntries(changes);
};

type Sides = {
  before: readonly PagePoint[];
  after: readonly PagePoint[];
  /** Points before both. */
  history: readonly PagePoint[];
  /** True if the change needs no step as a proof. */
  isProved: boolean;
};

/** Returns the newest check and the one before. Earlier checks must show the noise, because one check a side shows none. */
const previousOf = (series: readonly PagePoint[], newest: PagePoint, previous?: PagePoint): Sides | undefined => {
  const [before, after] = series.slice(-2);
  if (!before || after !== newest || (previous && before !== previous)) return undefined;
  const history = series.slice(0, -2);
  return { before: [before], after: [after], history, isProved: history.length >= KNOWN_CHECKS };
};

/** Returns the checks before and after a time. If steps follow, the level before the first meets the one since the last. */
const sidesOf = (series: readonly PagePoint[], steps: readonly number[], since: number): Sides | undefined => {
  if (series.length < FEWEST) return undefined;
  const placeOf = (time: number) => {
    const place = series.findIndex(({ at }) => at >= time);
    return place === -1 ? series.length : place;
  };
  const known = steps.filter((time) => placeOf(time) > 0 && placeOf(time) < series.length);
  const later = known.filter((time) => time > since).map(placeOf);
  const from = placeOf(known.findLast((time) => time <= since) ?? 0);
  const [first, last] = [later.at(0), later.at(-1)];
  if (first !== undefined && last !== undefined) {
    const [before, after] = [series.slice(from, first), series.slice(last)];
    return { before, after, history: [], isProved: true };
  }
  const all = series.slice(from);
  const atTime = placeOf(since + 1) - from;
  const half = Math.max(FEWEST_BEFORE, Math.floor(all.length / 2)); // of a page that is younger than the time
  const middle = atTime < FEWEST_BEFORE ? half : atTime;
  const [before, after] = [all.slice(0, middle), all.slice(middle)];
  if (after.length === 0) return undefined;
  return { before, after, history: [], isProved: false };
};

const changeBetween = (name: MainName, sides: Sides, tbt: number): MetricSince | undefined => {
  const { before, after, history, isProved } = sides;
  const metric = pageMetric(name);
  const [base, head] = [before.slice(-MOST), after.slice(-MOST)];
  const [earlier, later] = [valuesOf(name, base), valuesOf(name, head)];
  const within = [...base, ...head].flatMap(({ locations }) => locations[name]?.[1] ?? []);
  const change = changeOfLocations(
    ...([metric, earlier, later] as const),
    within.length > 0 ? { variance: null, ofLocation: meanOf(within) } : null,
    { confidence: LEVEL, page: { tbt }, history: valuesOf(name, history) },
  );
  if (!change) return undefined;
  const { difference, share } = metric.smallest;
  const limit = Math.max(difference, share * Math.max(meanOf(earlier), meanOf(later)));
  const direction = directionOf(change, metric.drift ? limit : limit / 2); // a score without noise may change by one point
  const isClear = direction === 'higher' || direction === 'lower';
  const isKnown = history.length > 0 && hadBefore(metric, valuesOf(name, history), later, { limit, tbt });
  const isSure = isProved && !isKnown;
  const proved = isSure ? (direction === metric.better ? 'improved' : 'regressed') : 'unknown';
  const verdict = isClear ? proved : direction;
  return { change, direction, verdict, isSuspected: isClear && !isSure, limit, before, after };
};

/** Returns the same as a comparison of two checks shows it. `needs` says how many audits would probably give a verdict. */
export const asChange = ({ change, direction, isSuspected, limit, before, after }: MetricSince): Change => {
  const from = Math.min(before.length, after.length) + 1;
  const options = { from, most: MAX_NEEDED, distance: distanceOf(change.shift, limit), confidence: LEVEL };
  return {
    ...pick(change, ['shift', 'noise']),
    by: 'checks',
    direction,
    isSuspected,
    needs: direction === 'unknown' || isSuspected ? { kind: 'checks', count: checksThatTell(change, options) } : null,
  };
};
