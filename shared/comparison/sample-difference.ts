import { type MetricName, pageMetrics, smallestDifference } from '../page-metrics.ts';

/** How the second of two sets of samples differs from the first. */
export type Difference = 'higher' | 'lower' | 'same' | 'unknown';

/** Smallest sample count at which a metric with noise can have a verdict. */
export const MIN_SAMPLES = 3;

/**
 * Compares two sets of samples of a metric. Sets whose spreads overlap are the same. Sets of few samples can lie apart by
 * chance: two sets of three from the same distribution do so in 10 % of all comparisons. The gap between the spreads must
 * therefore be wider than a share of the larger spread. That leaves about 1 % of false differences, for normal and for
 * skewed noise. In between, the verdict is `unknown`.
 */
export const differ = (name: MetricName, a: readonly number[], b: readonly number[]): Difference => {
  const fewest = Math.min(a.length, b.length);
  const [first, second] = [rangeOf(a), rangeOf(b)];
  const agree = !pageMetrics[name].hasNoise && first.min === first.max && second.min === second.max;
  if (fewest < (agree ? 1 : MIN_SAMPLES)) return 'unknown';
  const gap = Math.max(second.min - first.max, first.min - second.max);
  if (gap <= 0) return 'same';
  const noise = Math.max(first.max - first.min, second.max - second.min);
  if (medianDistance(a, b) < smallestDifference(name, Math.max(first.max, second.max))) return 'same';
  if (gap <= noise * (gapShares[fewest] ?? 0)) return 'unknown';
  return second.min > first.max ? 'higher' : 'lower';
};

/** Least gap as a share of the larger spread, by the number of samples of the smaller set. */
const gapShares: Readonly<Record<number, number>> = { 3: 1, 4: 0.5, 5: 0.25 };

const rangeOf = (values: readonly number[]) => ({ min: Math.min(...values), max: Math.max(...values) });

const medianDistance = (a: readonly number[], b: readonly number[]): number => Math.abs(medianOf(a) - medianOf(b));

const medianOf = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
};
