import {
  type Checks,
  DRIFT_CHECKS,
  type Drifting,
  type DriftingMetric,
  driftOf,
  locationOf,
  meanOf,
  noiseWithin,
  ownNoise,
  STEADY_CHECKS,
  squaresOf,
  steadyNoise,
  varianceBetween,
  worthOf,
} from './noise.ts';
import type { Shift } from './shift.ts';
import { studentReach } from './student.ts';

/** How much a page moves by itself, and from how many of its checks that is known. */
export type Noise = { within: number | null; between: number | null; from: 'page' | 'prior'; checks: number };

/** A change whose unit is the check. `freedom` and `variance` are those of the location of a check. */
export type ChangeOfChecks = { shift: Shift; noise: Noise; freedom: number; variance: number };

type Options = { confidence: number; page: Drifting; history: readonly number[] };
/** `pairs` is the number of regions that are judged together. */
type InTurns = Omit<Options, 'history'> & { pairs: number };

/** Fewest degrees of freedom from which an interval is computed. */
const MIN_FREEDOM = 4;
/** Fewest checks a side that show by themselves how much a page moves from check to check. */
export const MIN_CHECKS = MIN_FREEDOM / 2 + 1;

/**
 * Estimates the change between the checks of a base and of a head. The samples of one check share the speed of its machine:
 * they make the check more exact, but only further checks average what changes between checks. Returns undefined if nothing
 * shows the noise.
 */
export const changeOfChecks = (
  metric: DriftingMetric,
  base: Checks,
  head: Checks,
  { confidence, page, history }: Options,
): ChangeOfChecks | undefined => {
  const within = metric.isSteady ? steadyNoise(metric, [...base, ...head], page) : noiseWithin([...base, ...head]);
  const known = within.freedom === 0 ? null : within;
  return changeOfLocations(metric, base.map(locationOf), head.map(locationOf), known, { confidence, page, history });
};

/**
 * Variance within checks, and its part in the variance of the location of a check. With `freedom`, the degrees of freedom that
 * show it, an interval also holds what they leave open.
 */
type Within = { variance: number | null; ofLocation: number; freedom?: number };

/** Does the same for locations of checks. `within` is null if no check has shown the noise within it. */
export const changeOfLocations = (
  metric: DriftingMetric,
  before: readonly number[],
  after: readonly number[],
  within: Within | null,
  { confidence, page, history }: Options,
): ChangeOfChecks | undefined => {
  const own = ownNoise(history);
  const measuredFreedom = own.freedom + before.length + after.length - 2;
  const isLeast = metric.drift?.isLeast === true;
  const usual = within && !isLeast ? (metric.isSteady ? STEADY_CHECKS : DRIFT_CHECKS) : 0; // one sample a check does not show the noise within it
  if (usual + measuredFreedom < MIN_FREEDOM) return undefined;
  const { variance: ofSamples = null, ofLocation = 0 } = within ?? {};
  const expected = varianceBetween(metric, (meanOf(before) + meanOf(after)) / 2, page, ofSamples) + ofLocation;
  const measured = own.squares + squaresOf(before) + squaresOf(after);
  const worth = worthOf(usual, expected, measured, measuredFreedom);
  const sure = worth + measuredFreedom;
  const variance = Math.max((worth * expected + measured) / sure, isLeast ? expected : ofLocation);
  const guessed = (worth * ofLocation) / (sure * variance); // by Welch and Satterthwaite
  const freedom =
    metric.isSteady && within?.freedom ? Math.max(1, Math.floor(1 / (1 / sure + guessed ** 2 / within.freedom))) : sure;
  const error = Math.sqrt(variance * (1 / before.length + 1 / after.length));
  const shift = shiftWith(meanOf(after) - meanOf(before), studentReach(confidence, freedom) * error, confidence);
  const noise: Noise = {
    within: ofSamples === null ? null : Math.sqrt(ofSamples),
    between: Math.sqrt(variance),
    from: isLeast || measuredFreedom >= DRIFT_CHECKS ? 'page' : 'prior',
    checks: own.checks + before.length + after.length,
  };
  return { shift, noise, freedom, variance };
};

const shiftWith = (estimate: number, reach: number, confidence: number): Shift => ({
  estimate,
  low: estimate - reach,
  high: estimate + reach,
  confidence,
});

/**
 * Returns the number of checks a side that would give a verdict in about four of five cases. The noise and the distance of the
 * change from the limit stay as they are. Returns at most `most`.
 */
export const checksThatTell = (
  { variance, freedom }: Pick<ChangeOfChecks, 'variance' | 'freedom'>,
  { from, most, distance, confidence }: { from: number; most: number; distance: number; confidence: number },
): number => {
  for (let count = from; count < most; count++) {
    const reach = studentReach(confidence, freedom + 2 * (count - from + 1)) + POWER;
    if (reach * Math.sqrt((2 * variance) / count) <= distance) return count;
  }
  return most;
};

/** Quantile of a normal distribution for a power of 80 %. */
const POWER = 0.842;

/** Returns the least variance of a location, where nothing shows how much it moves from check to check. */
export const leastNoise = (metric: DriftingMetric, checks: Checks): Pick<ChangeOfChecks, 'variance' | 'freedom'> => {
  const level = meanOf(checks.map(locationOf));
  return { variance: driftOf(metric, level, { tbt: 0 }) ** 2 + noiseWithin(checks).ofLocation, freedom: 0 };
};

/** Noise of one audit in turns, as a share of the drift between checks. */
const SHARE_IN_TURNS = 0.9;

/**
 * Estimates the change between two variants that were audited in turns on one host. Neighbours in time are pairs, so what
 * drifts between checks is in both values of a pair.
 */
export const changeInTurns = (
  metric: DriftingMetric,
  base: readonly number[],
  head: readonly number[],
  { confidence, page, pairs }: InTurns,
): ChangeOfChecks => {
  if (metric.isSteady) return changeInSteadyTurns(metric, base, head, { confidence, page, pairs });
  const count = Math.min(base.length, head.length);
  const differences = head.slice(0, count).map((after, i) => after - (base[i] as number));
  const within = noiseWithin([base, head]);
  const isLeast = metric.drift?.isLeast === true;
  const share = isLeast ? 1 : SHARE_IN_TURNS;
  const expected = 2 * (share * driftOf(metric, (meanOf(base) + meanOf(head)) / 2, page)) ** 2;
  const measured = squaresOf(differences);
  const worth = worthOf(isLeast ? 0 : DRIFT_CHECKS, expected, measured, count - 1);
  const freedom = worth + count - 1;
  const own = (worth * expected + measured) / Math.max(1, freedom);
  const variance = isLeast ? Math.max(own, expected) : own;
  const reach = freedom === 0 ? 0 : studentReach(confidence, freedom) * Math.sqrt(variance / count);
  return {
    shift: shiftWith(locationOf(differences), reach, freedom === 0 ? 0 : confidence), // one pair alone shows no noise
    noise: {
      within: within.freedom === 0 ? null : Math.sqrt(within.variance),
      between: null,
      from: count > worth ? 'page' : 'prior',
      checks: 1,
    },
    freedom,
    variance: variance / 2, // of one value of a pair
  };
};

/** Metrics that are judged by steady values together. No prior makes their intervals wider than they must be. */
const STEADY_METRICS = 5;

/** Does the same for steady values, by the noise of single loads that both sides show. */
const changeInSteadyTurns = (
  metric: DriftingMetric,
  base: readonly number[],
  head: readonly number[],
  { confidence, page, pairs }: InTurns,
): ChangeOfChecks => {
  const count = Math.min(base.length, head.length);
  const differences = head.slice(0, count).map((after, i) => after - (base[i] as number));
  const { variance, freedom } = steadyNoise(metric, [base, head], page, pairs);
  const each = 1 - (1 - confidence) / STEADY_METRICS;
  const reach = freedom === 0 ? 0 : studentReach(each, freedom) * Math.sqrt((2 * variance) / count);
  return {
    shift: shiftWith(locationOf(differences), reach, freedom === 0 ? 0 : confidence), // one pair alone shows no noise
    noise: { within: freedom === 0 ? null : Math.sqrt(variance), between: null, from: 'page', checks: 1 },
    freedom,
    variance,
  };
};
