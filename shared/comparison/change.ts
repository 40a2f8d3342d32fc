import { cutOf, medianOf, type Shift, shiftOf } from './shift.ts';

/** Chance that an interval holds the true change. */
const LEVEL = 0.99;
/** Fewest samples of a side with which a metric with noise can have a verdict. */
export const MIN_SAMPLES = 3;
/** Upper bound of `samplesNeeded`. */
export const MAX_SAMPLES_NEEDED = 100;

/** How a metric's samples are judged. */
export type MetricRule = {
  /** Smaller changes are none: the absolute difference, or this share of the larger median if that is more. */
  smallest: { difference: number; share: number };
  /** False if all audits of an unchanged page agree. */
  hasNoise: boolean;
};

/** A change of a metric. `samplesNeeded` is null unless the direction is unknown. */
export type Change = {
  shift: Shift;
  direction: 'higher' | 'lower' | 'same' | 'unknown';
  samplesNeeded: number | null;
};

/**
 * Judges how the samples of a metric changed. `pairs` is the number of pairs from which this one was chosen, because the
 * chance of a false verdict grows with it. Both sides need at least one sample.
 */
export const changeOf = (
  { smallest, hasNoise }: MetricRule,
  base: readonly number[],
  values: readonly number[],
  pairs = 1,
): Change => {
  if (!hasNoise && agree(base) && agree(values)) return withoutNoise((values[0] as number) - (base[0] as number));
  const limit = Math.max(smallest.difference, smallest.share * Math.max(medianOf(base), medianOf(values)));
  const level = 1 - (1 - LEVEL) / pairs;
  const shift = shiftOf(base, values, level);
  const direction =
    Math.min(base.length, values.length) < MIN_SAMPLES
      ? 'unknown'
      : directionOf(shift, limit, gapNeeded(base, values, shift.confidence, level));
  const samplesNeeded = direction === 'unknown' ? samplesThatTell(base, values, { shift, limit, pairs, level }) : null;
  return { shift, direction, samplesNeeded };
};

const agree = (values: readonly number[]): boolean => values.every((value) => value === values[0]);

const withoutNoise = (difference: number): Change => ({
  shift: { estimate: difference, low: difference, high: difference, confidence: 1 },
  direction: difference === 0 ? 'same' : difference > 0 ? 'higher' : 'lower',
  samplesNeeded: null,
});

const directionOf = ({ estimate, low, high }: Shift, limit: number, gap: number): Change['direction'] => {
  if (low > 0 && low >= gap && estimate > limit) return 'higher';
  if (high < 0 && -high >= gap && -estimate > limit) return 'lower';
  return low >= -limit && high <= limit ? 'same' : 'unknown';
};

/**
 * Returns the gap that two sets must have if they are too small for the level. Two sets without a change have a gap of at
 * least the share s of their spread in about (1 + s)^(2 − n) of the cases without an overlap, n being the number of samples.
 * Sets of three and four need the whole spread in any case.
 */
const gapNeeded = (base: readonly number[], values: readonly number[], confidence: number, level: number): number => {
  if (confidence >= level) return 0;
  const share = ((1 - confidence) / (1 - level)) ** (1 / (base.length + values.length - 2)) - 1;
  const least = Math.min(base.length, values.length) < 5 ? 1 : 0;
  return Math.max(share, least) * Math.max(spreadOf(base), spreadOf(values));
};

const spreadOf = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

type Judged = { shift: Shift; limit: number; pairs: number; level: number };

/**
 * Returns the number of samples a side that would give a verdict in about three of four cases, if the estimate and the noise
 * stay as they are. The half width of the interval of normal samples is then as long as the way from the estimate to 0, or
 * to the smallest difference. Returns at most 100, and at least as many as the level needs.
 */
const samplesThatTell = (
  base: readonly number[],
  values: readonly number[],
  { shift: { estimate }, limit, pairs, level }: Judged,
): number => {
  const size = Math.abs(estimate);
  const distance = size > limit ? size : limit - size;
  const quantiles = Math.sqrt(2.576 ** 2 + 1.8 * Math.log(pairs)) + 0.842; // of the level, and of a power of 80 %
  const noise = noiseOf(base, values);
  const needed = noise === 0 ? 0 : Math.ceil((2 / 0.955) * (quantiles * (noise / distance)) ** 2);
  const more = Math.min(base.length, values.length) + 1;
  return Math.min(MAX_SAMPLES_NEEDED, Math.max(fewestFor(level), more, needed));
};

/** Returns the smallest number of samples a side whose interval reaches a level. */
const fewestFor = (level: number): number => {
  let count = MIN_SAMPLES;
  while (cutOf(count, count, level).confidence < level) count += 1;
  return count;
};

/** Returns the pooled standard deviation of both sides. One sample a side shows no noise. */
const noiseOf = (...sides: readonly (readonly number[])[]): number => {
  const freedom = sides.reduce((sum, { length }) => sum + length - 1, 0);
  const squares = sides.flatMap((side) => {
    const mean = side.reduce((sum, value) => sum + value, 0) / side.length;
    return side.map((value) => (value - mean) ** 2);
  });
  return freedom === 0 ? 0 : Math.sqrt(squares.reduce((sum, each) => sum + each, 0) / freedom);
};
