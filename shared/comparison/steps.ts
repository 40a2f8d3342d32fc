import type { PageMetric } from '../metrics/page-metrics.ts';
import { DRIFT_CHECKS, driftOf, type MetricRule, meanOf, squaresOf, worthOf } from './noise.ts';
import { studentReach } from './student.ts';

/** Where the samples of a check lie, and the variance of that by the noise within the check. Null if one sample shows none. */
export type Location = readonly [location: number, within: number | null];

/** Newest checks that may be after a step, and most checks before it. */
const [FEWEST_AFTER, MOST_AFTER, MOST_BEFORE, FEWEST_BEFORE] = [2, 6, 40, 3];
/** Each place of a step is false in one of 100,000 looks at a metric. A look tries up to five places. */
const CONFIDENCE = 0.99999;
/** Fewest degrees of freedom with which a step counts. */
const MIN_FREEDOM = 8;

/** A lasting change of a series: the number of checks since it, and how much they differ from those before. */
export type Step = { since: number; estimate: number };

/**
 * Returns the most certain step of a series, the oldest check first, or undefined. It compares the last two to six checks
 * with up to 40 before them. `tbt` is the page's TBT.
 */
export const stepOf = (metric: MetricRule, series: readonly Location[], tbt: number): Step | undefined => {
  let found: (Step & { certainty: number }) | undefined;
  for (let since = FEWEST_AFTER; since <= MOST_AFTER && since <= series.length - FEWEST_BEFORE; since++) {
    const before = series.slice(0, -since).slice(-MOST_BEFORE);
    const step = stepBetween(metric, before, series.slice(-since), tbt);
    if (step && step.certainty > (found?.certainty ?? 0)) found = { since, ...step };
  }
  return found && { since: found.since, estimate: found.estimate };
};

const stepBetween = (metric: MetricRule, before: readonly Location[], after: readonly Location[], tbt: number) => {
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
 * Returns the variance of the mean of so many neighbours, as a multiple of that of independent checks. It is 1 if the noise of a
 * check says nothing about the next one. Neighbours that drift together prove less.
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

/** Returns true if a page had each of these values before, and no step since. A check can have such a value by chance. */
export const hadBefore = (
  metric: MetricRule,
  history: readonly number[],
  values: readonly number[],
  { limit, tbt }: { limit: number; tbt: number },
): boolean => {
  const series = history.map((value): Location => [value, null]);
  const steps = series.map((_, i) => ({ end: i + 1, step: stepOf(metric, series.slice(0, i + 1), tbt) }));
  const last = steps.findLast(({ step }) => step);
  const current = history.slice(last?.step ? last.end - last.step.since : 0);
  return values.every((value) => current.some((earlier) => Math.abs(earlier - value) <= limit));
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
