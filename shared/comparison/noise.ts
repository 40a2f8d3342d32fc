import type { Drift, MetricKind } from '../metrics/page-metrics.ts';
import { medianOf } from './shift.ts';

/** Samples of a metric, by check. Each check has at least one. */
export type Checks = readonly (readonly number[])[];

/** A metric as far as its noise is concerned. Without drift, an unchanged page keeps its value. */
export type DriftingMetric = {
  kind: MetricKind;
  drift: Drift | null;
  /** True if the values don't depend on the order of a load. */
  isSteady?: boolean;
  /** How single loads of one check differ, where a recording shows it. */
  loads?: Drift;
};

/** How a metric's samples are judged. Smaller changes than `smallest` are none: the difference, or the share of the larger median if that is more. */
export type MetricRule = DriftingMetric & {
  smallest: Smallest;
  /** Changes up to this one are the same. Without it, all that don't count. */
  same?: Smallest;
  /** The only direction that the values can prove. */
  provesOnly?: 'higher' | 'lower';
};
type Smallest = { difference: number; share: number };

/** Number of checks that the expected drift is worth beside those that were made. */
export const DRIFT_CHECKS = 5;
/** The same of steady values: all recorded pages drift alike. */
export const STEADY_CHECKS = 10;
/** Factor of the variance of the mean of normal samples that gives the variance of their location. */
const LOCATION_VARIANCE = 1.05;

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the sum of the squared distances from the mean. */
export const squaresOf = (values: readonly number[]): number => {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
};

/** Returns where the samples of a check lie: the median of the means of all pairs (Hodges and Lehmann). */
export const locationOf = (samples: readonly number[]): number =>
  medianOf(samples.flatMap((x, i) => samples.slice(i).map((y) => (x + y) / 2)));

/** The TBT of a page, and the share of the CPU time that other programs used meanwhile. Both decide how much it drifts. */
export type Drifting = { tbt: number; cpuBusy?: number };
/** Share of the CPU time up to which other programs move nothing. */
const FREE = 0.25;

/** Returns the standard deviation between checks that is expected of an unchanged page. */
export const driftOf = ({ kind, drift }: DriftingMetric, level: number, { tbt, cpuBusy = 0 }: Drifting): number => {
  if (!drift) return 0;
  const { work, most, share, floor, busy = 0 } = drift;
  const size = Math.abs(level);
  const worked = Math.min(work * tbt, kind === 'score' ? most : most * size);
  return worked + (share + busy * Math.max(0, cpuBusy - FREE)) * size + floor;
};

/** Returns the variance within checks, its degrees of freedom, and its part in the variance of the location of a check. */
export const noiseWithin = (checks: Checks) => {
  const freedom = checks.reduce((sum, { length }) => sum + length - 1, 0);
  const squares = checks.reduce((sum, samples) => sum + squaresOf(samples), 0);
  const variance = freedom === 0 ? 0 : squares / freedom;
  return { freedom, variance, ofLocation: (LOCATION_VARIANCE * variance) / samplesIn(checks) };
};

/** Returns the harmonic mean of the numbers of samples. */
const samplesIn = (checks: Checks): number => checks.length / checks.reduce((sum, { length }) => sum + 1 / length, 0);

/** A page with more than so many times the expected variance is no usual one, so only its own noise counts. */
const UNUSUAL = 2;

/** Returns how many checks the expected variance is worth beside the measured squares. */
export const worthOf = (usual: number, expected: number, measured: number, freedom: number): number =>
  freedom > 0 && measured / freedom > UNUSUAL * expected ? 0 : usual;

/**
 * Returns the variance between checks that is expected. Where loads differ much more than usual, the speed of the machine moves,
 * and it stays for longer than a check. The checks then differ as the loads do.
 */
export const varianceBetween = (
  metric: DriftingMetric,
  level: number,
  page: Drifting,
  ofLoads: number | null,
): number => {
  const usual = driftOf(metric, level, page) ** 2;
  const { kind, isSteady, drift, loads = drift } = metric;
  if (!isSteady || ofLoads === null) return usual;
  const isUnsteady = ofLoads > UNUSUAL * driftOf({ kind, drift: loads }, level, page) ** 2;
  return isUnsteady ? Math.max(usual, ofLoads) : usual;
};

/** Number of degrees of freedom that the usual noise of loads is worth beside those of a page that has no more. */
const LOADS = 3;

/**
 * Returns the noise within checks of steady values. Their interval needs no prior that an unusual page could be wrong about: the
 * usual noise of loads counts only where the page has less. A few loads may agree by chance, so half of it is the least. One of
 * several pairs of sides has such loads more often, so the prior is worth less there.
 */
export const steadyNoise = (
  metric: DriftingMetric,
  checks: Checks,
  page: Drifting,
  pairs = 1,
): ReturnType<typeof noiseWithin> => {
  const own = noiseWithin(checks);
  const { kind, loads } = metric;
  const usual = loads ? driftOf({ kind, drift: loads }, meanOf(checks.map(locationOf)), page) ** 2 : 0;
  if (own.freedom === 0 || usual === 0) return own;
  const worth = own.variance <= usual ? LOADS / pairs : 0;
  const freedom = own.freedom + worth;
  const variance = Math.max((worth * usual + own.freedom * own.variance) / freedom, usual / 4);
  return { freedom, variance, ofLocation: (LOCATION_VARIANCE * variance) / samplesIn(checks) };
};

/** Neighbours of a series are the newest of it. */
const MAX_NEIGHBOURS = 20;
/** Fewest steps between neighbours that show the noise. */
const MIN_STEPS = 3;
/** The largest step counts as at most so many typical ones, because it may be a change of the page. */
const MAX_STEP = 9;
/** Median of chi-squared with one degree of freedom. */
const TYPICAL = 0.4549;
/** Neighbouring steps share a check, so each is worth less than an independent one. */
const WORTH = 2 / 3;

/**
 * Returns the page's own noise from the locations of its earlier checks, the oldest first, as squares with their degrees of
 * freedom. It comes from the steps between neighbours, so that a lasting change counts once, and hardly.
 */
export const ownNoise = (locations: readonly number[]): { squares: number; freedom: number; checks: number } => {
  const newest = locations.slice(-MAX_NEIGHBOURS);
  const steps = newest.slice(1).map((location, i) => (location - (newest[i] as number)) ** 2 / 2);
  if (steps.length < MIN_STEPS) return { squares: 0, freedom: 0, checks: 0 };
  const largest = Math.max(...steps);
  const cut = Math.max(0, largest - (MAX_STEP * medianOf(steps)) / TYPICAL);
  const squares = steps.reduce((sum, step) => sum + step, 0) - cut;
  return { squares: WORTH * squares, freedom: WORTH * steps.length, checks: newest.length };
};
