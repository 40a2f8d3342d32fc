import {
  type InteractionMetricId,
  interactionMetricId,
  interactionSamples,
  type MeasuredValues,
} from '../interactions/metric-ids.ts';
import { interactionMetrics } from '../interactions/metrics.ts';
import { type MetricName, type PageMetric, pageMetric, type SeriesName, seriesNames } from '../metrics/page-metrics.ts';
import type { Sample } from '../metrics/page-metrics-schemas.ts';
import { pick } from '../pick.ts';
import { type AuditedAs, isComparable, type MeasuredOn, measuredOn, reasonsAgainst } from './comparable.ts';
import { DRIFT_CHECKS, driftOf, locationOf, meanOf, noiseWithin, squaresOf, worthOf } from './noise.ts';
import { countedOf, type SampledValue } from './sides.ts';
import { spoilsMetric } from './spoils.ts';
import { studentReach } from './student.ts';

/** Where the samples of a check lie, and the variance of that by the noise within the check. Null if one sample shows none. */
export type Location = readonly [location: number, within: number | null];
export type Locations = Partial<Record<SeriesName | InteractionMetricId, Location>>;

/** A check in the series of its page. A missing fact is unknown. */
export type SeriesPoint = AuditedAs & MeasuredOn & { checkId: string; createdAt: string; locations: Locations };

/** Returns how a page was audited and measured, as far as its series knows. */
export const asInSeries = (audited: AuditedAs, environment: Partial<MeasuredOn> | null) => ({
  ...pick(audited, ['url', 'device', 'auditVersion', 'throttling', 'blockedUrlPatterns']),
  ...measuredOn(environment),
});

/** Returns the locations of a metric in the checks of a series that are comparable with a run. */
export const locationsIn = (
  series: readonly SeriesPoint[],
  name: MetricName,
  run: ReturnType<typeof asInSeries>,
): number[] =>
  series
    .filter((point) => isComparable(name, run, point))
    .flatMap(({ locations }: { locations: Partial<Record<MetricName, Location>> }) => locations[name]?.[0] ?? []);

/** Returns the INPs of an interaction in the checks of a series that are comparable with a run. */
export const inpsIn = (series: readonly SeriesPoint[], name: string, run: ReturnType<typeof asInSeries>): number[] =>
  series
    .filter((point) => !reasonsAgainst(run, point).some((code) => spoilsMetric(interactionMetrics.inp, code)))
    .flatMap(({ locations }) => locations[interactionMetricId({ interaction: name, metric: 'inp' })]?.[0] ?? []);

/** Checks of a series that are looked at. */
export const SERIES_CHECKS = 60;
/** Newest checks that may be after a step, and most checks before it. */
const [FEWEST_AFTER, MOST_AFTER, MOST_BEFORE, FEWEST_BEFORE] = [2, 6, 40, 3];
/** Each place of a step is false in one of 100,000 looks at a metric. A look tries up to five places. */
const CONFIDENCE = 0.99999;
/** Fewest degrees of freedom with which a step counts. */
const MIN_FREEDOM = 8;
/** Digits after the point that a series keeps. */
const DIGITS = 1000;

type MeasuredRun = {
  samples: readonly Sample[];
  interactions?: readonly MeasuredValues[] | null;
  environment: Partial<Pick<MeasuredOn, 'contended'>> | null;
};

/** Returns the locations of the metrics of a run, and of the INP of its interactions. A contended run has none of those that this spoils. */
export const locationsOf = ({ samples, interactions = null, environment }: MeasuredRun): Locations => {
  const located = (name: string, metric: PageMetric, sampled: readonly SampledValue[]): [string, Location][] => {
    const values = countedOf(metric, sampled);
    if (values.length === 0 || (environment?.contended && spoilsMetric(metric, 'contended'))) return [];
    const { freedom, ofLocation } = noiseWithin([values]);
    return [[name, [rounded(locationOf(values)), freedom === 0 ? null : rounded(ofLocation)]]];
  };
  const ofPage = seriesNames.flatMap((name) =>
    located(
      name,
      pageMetric(name),
      samples.map(({ contended, ...sample }) => ({ contended, value: sample[name] })),
    ),
  );
  const ofInteractions = (interactions ?? []).flatMap(({ name }) => {
    const parts = { interaction: name, metric: 'inp' } as const;
    const values = interactionSamples({ interactions }, parts);
    const sampled = values.map((value, i) => ({ value, contended: samples[i]?.contended ?? null }));
    return located(interactionMetricId(parts), interactionMetrics.inp, sampled);
  });
  return Object.fromEntries([...ofPage, ...ofInteractions]);
};

const rounded = (value: number): number => Math.round(value * DIGITS) / DIGITS;

/** A lasting change of a series: the number of checks since it, and how much they differ from those before. */
export type Step = { since: number; estimate: number };

/**
 * Returns the most certain step of a series, the oldest check first, or undefined. It compares the last two to six checks
 * with up to 40 before them. `tbt` is the page's TBT.
 */
export const stepOf = (metric: PageMetric, series: readonly Location[], tbt: number): Step | undefined => {
  let found: (Step & { certainty: number }) | undefined;
  for (let since = FEWEST_AFTER; since <= MOST_AFTER && since <= series.length - FEWEST_BEFORE; since++) {
    const before = series.slice(0, -since).slice(-MOST_BEFORE);
    const step = stepBetween(metric, before, series.slice(-since), tbt);
    if (step && step.certainty > (found?.certainty ?? 0)) found = { since, ...step };
  }
  return found && { since: found.since, estimate: found.estimate };
};

const stepBetween = (metric: PageMetric, before: readonly Location[], after: readonly Location[], tbt: number) => {
  const [earlier, later] = [before, after].map((side) => side.map(([location]) => location)) as [number[], number[]];
  const within = [...before, ...after].flatMap(([, variance]) => variance ?? []);
  const isLeast = metric.drift?.isLeast === true;
  const usual = (within.length > 0 && !isLeast) || !metric.drift ? DRIFT_CHECKS : 0; // one sample a check shows no noise within
  const ownFreedom = earlier.length + later.length - 2;
  if (usual + ownFreedom < MIN_FREEDOM) return undefined;
  const level = Math.max(meanOf(earlier), meanOf(later));
  const expected = driftOf(metric, level, { tbt }) ** 2 + (within.length > 0 ? meanOf(within) : 0);
  const measured = squaresOf(earlier) + squaresOf(later);
  const worth = worthOf(usual, expected, measured, ownFreedom);
  const freedom = worth + ownFreedom;
  const own = (worth * expected + measured) / freedom;
  const variance = isLeast ? Math.max(own, expected) : own;
  const lasting = lastingOf(earlier, later.length);
  const error = Math.sqrt(lasting * variance * (1 / earlier.length + 1 / later.length));
  const estimate = meanOf(later) - meanOf(earlier);
  const isLater = Math.abs((later[0] as number) - meanOf(later)) <= Math.abs((later[0] as number) - meanOf(earlier));
  if (!isLater) return undefined; // a single check far off makes no step of two
  const { difference, share } = metric.smallest;
  const limit = Math.max(
    difference,
    share * level,
    studentReach(CONFIDENCE, Math.max(1, Math.floor(freedom / lasting))) * error,
  );
  const size = Math.abs(estimate);
  const isStep = metric.drift ? size > limit : size >= limit && size > 0;
  return isStep ? { estimate, certainty: error === 0 ? Number.POSITIVE_INFINITY : size / error } : undefined;
};

/**
 * Returns how many times the variance of the means of so many neighbours is that of independent checks. It is 1 unless the noise
 * of a check lasts until the next one. Checks that drift together prove less than as many independent ones.
 */
const lastingOf = (series: readonly number[], count: number): number => {
  const [mean, squares, n] = [meanOf(series), squaresOf(series), series.length];
  if (squares === 0) return 1;
  const products = series.slice(1).reduce((sum, value, i) => sum + (value - mean) * ((series[i] as number) - mean), 0);
  const correlation = (n * (products / squares) + 1) / Math.max(1, n - 3); // without the bias of a short series
  const share = Math.min(1 - FEWEST_BEFORE / n, Math.max(0, correlation));
  const lags = Array.from({ length: count - 1 }, (_, i) => i + 1);
  return lags.reduce((sum, lag) => sum + 2 * (1 - lag / count) * share ** lag, 1);
};

/** Checks that prove a recovery by their level alone. */
const LEVEL_CHECKS = 6;

/**
 * Returns how many checks ago a series came back from a step for the worse, by half of it at least: its checks since a step
 * back, or otherwise its last six. Returns 0 if it has not. `before` are the checks before the step. Without them, any step
 * back counts.
 */
export const checksBack = (
  metric: PageMetric,
  before: readonly Location[],
  worse: readonly Location[],
  tbt: number,
): number => {
  const sign = metric.better === 'lower' ? 1 : -1;
  const step = stepOf(metric, worse, tbt);
  const isStepBack = step !== undefined && sign * step.estimate < 0;
  const count = isStepBack ? step.since : LEVEL_CHECKS;
  if (before.length === 0) return isStepBack ? count : 0;
  if (worse.length < count + FEWEST_AFTER) return 0;
  const mean = (side: readonly Location[]) => sign * meanOf(side.slice(-MOST_BEFORE).map(([location]) => location));
  const [usual, regressed, now] = [mean(before), mean(worse.slice(0, FEWEST_AFTER)), mean(worse.slice(-count))];
  return now <= (usual + regressed) / 2 ? count : 0;
};
