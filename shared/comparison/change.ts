import {
  type ChangeOfChecks,
  changeInTurns,
  changeOfChecks,
  checksThatTell,
  leastNoise,
  MIN_CHECKS,
  type Noise,
} from './by-checks.ts';
import {
  type ChangeOfSamples,
  changeOfSamples,
  MAX_NEEDED,
  MIN_CONFIDENCE,
  MIN_SAMPLES,
  samplesThatTell,
} from './by-samples.ts';
import { type Checks, type Drifting, locationOf, type MetricRule, ownNoise } from './noise.ts';
import { medianOf, type Shift } from './shift.ts';
import { hadBefore } from './steps.ts';

/** Chance that an interval holds the true change. */
export const LEVEL = 0.99;

export type Direction = 'higher' | 'lower' | 'same' | 'unknown';

/** Audits in turns, checks a side, or samples a side that would probably give a verdict. */
export type Needs = { kind: 'turns' | 'checks' | 'samples'; count: number };

/** A change of a metric, by the wider one of its intervals. */
export type Change = {
  shift: Shift;
  by: 'turns' | 'checks' | 'samples';
  /** True if the values are those of loads in one order. */
  isSteady?: boolean;
  direction: Direction;
  /** True if an interval excludes 0, and that is no proof: the other one holds 0, or the change may be too small to count. */
  isSuspected: boolean;
  /** Null if nothing shows it, or if the metric has none. */
  noise: Noise | null;
  /** Null unless the direction is unknown. */
  needs: Needs | null;
};

export type ChangeOptions = {
  /** Pairs of sides that share the chance of a false verdict, because it grows with their number. */
  pairs?: number;
  page?: Drifting;
  /** Locations of the page's earlier checks, the oldest first. */
  history?: readonly number[];
  /** True if a check could audit both sides in turns. */
  canTurn?: boolean;
  /** Chance that all intervals of a look at turns hold the true change. A run that is looked at several times needs more. */
  confidence?: number;
};

/**
 * Fewest pairs in turns that give a verdict about a metric that drifts. Of the orders of recorded neighbours of an unchanged
 * page, three or four pairs were false in 10.6 %, five in none of 224.
 */
const MIN_PAIRS = 5;

/** Checks of a page that show how much it moves, so that one sample a side needs no interval of samples. */
export const KNOWN_CHECKS = 8;

/** A page without script on a free machine. */
const still: Drifting = { tbt: 0 };

/**
 * Judges how a metric changed between the checks of a base and of a head. Both sides need at least one sample. Two intervals
 * must agree: that of the samples, and that of the checks.
 */
export const changeOf = (metric: MetricRule, base: Checks, head: Checks, options: ChangeOptions = {}): Change => {
  const [before, after] = [base.flat(), head.flat()];
  if (!metric.drift && agree(before) && agree(after)) return withoutNoise(before, after);
  const { pairs = 1, page = still, history = [], canTurn = false } = options;
  const confidence = sharedBy(pairs, LEVEL);
  const limit = limitOf(metric, before, after);
  const ofChecks = changeOfChecks(metric, base, head, { confidence, page, history });
  if (metric.isSteady && ofChecks) return steadyChange(metric, base, head, { ofChecks, confidence, history, canTurn });
  const ofSamples = changeOfSamples(before, after, confidence);
  const [fewest, fewestChecks] = [Math.min(before.length, after.length), Math.min(base.length, head.length)];
  const second = ofChecks ? directionOf(ofChecks, limit) : 'unknown';
  const isDraw = ownNoise(history).checks >= KNOWN_CHECKS; // then a check of one sample is a draw like any other
  const tooFew = isDraw ? second : 'unknown';
  const first = fewest < MIN_SAMPLES ? tooFew : directionOf(ofSamples, limit);
  const isKnown =
    fewest < MIN_SAMPLES &&
    Math.max(base.length, head.length) < MIN_CHECKS &&
    hadBefore(metric, history, head.map(locationOf), { limit, tbt: page.tbt });
  const direction = first !== second || (isKnown && first !== 'same') ? 'unknown' : first;
  const isByChecks = ofChecks !== undefined && widthOf(ofChecks) >= widthOf(ofSamples);
  const shift = isByChecks ? ofChecks.shift : ofSamples.shift;
  const distance = distanceOf(shift, limit);
  const needs = (): Needs => {
    if (!ofChecks && metric.drift?.isLeast) {
      const [kind, from] = canTurn ? (['turns', MIN_PAIRS] as const) : (['checks', MIN_CHECKS] as const);
      const noise = leastNoise(metric, [...base, ...head]);
      return { kind, count: checksThatTell(noise, { from, most: MAX_NEEDED, distance, confidence }) };
    }
    if (!ofChecks || fewest < MIN_SAMPLES || (second !== 'unknown' && first === 'unknown')) {
      const count = samplesThatTell([...base, ...head], fewest, { distance, pairs, confidence });
      return { kind: 'samples', count };
    }
    const [kind, from] = canTurn ? (['turns', MIN_PAIRS] as const) : (['checks', fewestChecks + 1] as const);
    return { kind, count: checksThatTell(ofChecks, { from, most: MAX_NEEDED, distance, confidence }) };
  };
  return {
    shift,
    by: isByChecks ? 'checks' : 'samples',
    direction,
    noise: ofChecks?.noise ?? null,
    isSuspected: direction === 'unknown' && (first === 'higher' || first === 'lower' || excludesZero(shift)),
    needs: direction === 'unknown' ? needs() : null,
  };
};

type SteadyOptions = Required<Pick<ChangeOptions, 'confidence' | 'history' | 'canTurn'>> & { ofChecks: ChangeOfChecks };

/** Judges a metric by its steady values. The interval of checks is enough: no load has another kind of value by chance. */
const steadyChange = (
  metric: MetricRule,
  base: Checks,
  head: Checks,
  { ofChecks, confidence, history, canTurn }: SteadyOptions,
): Change => {
  const limits = limitsOf(metric, base.flat(), head.flat());
  const isDraw = ownNoise(history).checks >= KNOWN_CHECKS;
  const fewest = Math.min(base.flat().length, head.flat().length);
  const direction = isDraw || fewest >= MIN_SAMPLES ? provedBy(metric, ofChecks, limits) : 'unknown';
  const fewestChecks = Math.min(base.length, head.length);
  const [kind, from] = canTurn ? (['turns', MIN_SAMPLES] as const) : (['checks', fewestChecks + 1] as const);
  const distance = distanceOf(ofChecks.shift, limits.counts);
  const needs: Needs =
    fewest < MIN_SAMPLES && !isDraw
      ? { kind: 'samples', count: samplesThatTell([...base, ...head], fewest, { distance, pairs: 1, confidence }) }
      : { kind, count: checksThatTell(ofChecks, { from, most: MAX_NEEDED, distance, confidence }) };
  return {
    shift: ofChecks.shift,
    by: 'checks',
    isSteady: true,
    direction,
    noise: ofChecks.noise,
    isSuspected: direction === 'unknown' && excludesZero(ofChecks.shift),
    needs: direction === 'unknown' ? needs : null,
  };
};

/** Judges how a metric differs between two variants that were audited in turns. Both need at least one sample. */
export const changeOfTurns = (
  metric: MetricRule,
  base: readonly number[],
  head: readonly number[],
  { pairs = 1, page = still, confidence: level = LEVEL }: ChangeOptions = {},
): Change => {
  if (!metric.drift && agree(base) && agree(head)) return withoutNoise(base, head);
  const confidence = sharedBy(pairs, level);
  const limits = limitsOf(metric, base, head);
  const change = changeInTurns(metric, base, head, { confidence, page, pairs });
  const count = Math.min(base.length, head.length);
  const fewest = metric.drift && !metric.isSteady ? MIN_PAIRS : MIN_SAMPLES;
  const direction = count < fewest ? 'unknown' : provedBy(metric, change, limits);
  const distance = distanceOf(change.shift, limits.counts);
  const options = { from: Math.max(fewest, count + 1), most: MAX_NEEDED, distance, confidence };
  const needs = { kind: 'turns' as const, count: checksThatTell(change, options) };
  return {
    shift: change.shift,
    by: 'turns',
    isSteady: metric.isSteady === true,
    direction,
    noise: change.noise,
    isSuspected: direction === 'unknown' && excludesZero(change.shift),
    needs: direction === 'unknown' ? needs : null,
  };
};

/** Returns the confidence of each of several intervals that all hold the true change with this one (Bonferroni). */
const sharedBy = (intervals: number, confidence: number): number => 1 - (1 - confidence) / intervals;

const excludesZero = ({ low, high, confidence }: Shift): boolean =>
  confidence >= MIN_CONFIDENCE && (low > 0 || high < 0);

const agree = (values: readonly number[]): boolean => values.every((value) => value === values[0]);

const withoutNoise = (base: readonly number[], head: readonly number[]): Change => {
  const difference = (head[0] as number) - (base[0] as number);
  return {
    shift: { estimate: difference, low: difference, high: difference, confidence: 1 },
    by: 'samples',
    direction: difference === 0 ? 'same' : difference > 0 ? 'higher' : 'lower',
    isSuspected: false,
    noise: null,
    needs: null,
  };
};

export const limitOf = (metric: MetricRule, base: readonly number[], head: readonly number[]): number =>
  limitsOf(metric, base, head).counts;

/** Returns the smallest change that counts, and the largest one of values that are the same. */
const limitsOf = ({ smallest, same = smallest }: MetricRule, base: readonly number[], head: readonly number[]) => {
  const level = Math.max(medianOf(base), medianOf(head));
  const [counts, equal] = [smallest, same].map(({ difference, share }) => Math.max(difference, share * level));
  return { counts: counts as number, same: equal as number };
};

export const directionOf = (
  { shift, gap = 0 }: Partial<ChangeOfSamples> & { shift: Shift },
  limit: number,
  same = limit,
): Direction => {
  const { estimate, low, high } = shift;
  if (low > 0 && low >= gap && estimate > limit) return 'higher';
  if (high < 0 && -high >= gap && -estimate > limit) return 'lower';
  return low >= -same && high <= same ? 'same' : 'unknown';
};

/** Returns the direction that a change proves, if its values can prove it. */
const provedBy = (
  { provesOnly }: MetricRule,
  change: ChangeOfChecks,
  limits: ReturnType<typeof limitsOf>,
): Direction => {
  const direction = directionOf(change, limits.counts, limits.same);
  return provesOnly && direction !== provesOnly ? 'unknown' : direction;
};

const widthOf = ({ shift }: ChangeOfChecks | ChangeOfSamples): number => shift.high - shift.low;

/** Returns how far an estimate is from what its interval must exclude: 0, or a change that counts. */
export const distanceOf = ({ estimate }: Shift, limit: number): number => {
  const size = Math.abs(estimate);
  return size > limit ? size : limit - size;
};
