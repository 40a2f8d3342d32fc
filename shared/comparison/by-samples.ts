import { type Checks, noiseWithin } from './noise.ts';
import { cutOf, type Shift, shiftOf } from './shift.ts';

/** Fewest samples of a side with which a metric with noise can have a verdict. */
export const MIN_SAMPLES = 3;
/** Confidence below which an interval excludes nothing, because a side has too few samples. */
export const MIN_CONFIDENCE = 0.9;
/** Upper bound of what a comparison says it needs. */
export const MAX_NEEDED = 100;

/** A change whose unit is the sample. Two sets that are too small for the level also need this gap between them. */
export type ChangeOfSamples = { shift: Shift; gap: number };

type Samples = readonly number[];

/** Estimates the change between all samples of two sides. */
export const changeOfSamples = (base: Samples, head: Samples, confidence: number): ChangeOfSamples => {
  const shift = shiftOf(base, head, confidence);
  return { shift, gap: gapNeeded(base, head, shift.confidence, confidence) };
};

/**
 * Returns the gap that two sets must have if they are too small for the level. Some sets without a change don't overlap. Of
 * these, a share of about (1 + s)^(2 − n) has a gap of at least s times the spread, for n samples. Sets of three and four need
 * the whole spread in any case.
 */
const gapNeeded = (base: Samples, head: Samples, confidence: number, level: number): number => {
  if (confidence >= level) return 0;
  const share = ((1 - confidence) / (1 - level)) ** (1 / (base.length + head.length - 2)) - 1;
  const least = Math.min(base.length, head.length) < 5 ? 1 : 0;
  return Math.max(share, least) * Math.max(spreadOf(base), spreadOf(head));
};

const spreadOf = (values: Samples): number => Math.max(...values) - Math.min(...values);

/**
 * Returns the number of samples a side that would give a verdict in about three of four cases. The estimate and the noise stay
 * as they are. Half the width of the interval of normal samples is then the distance of the estimate from 0, or from the
 * smallest difference. Returns at most 100, and at least as many as the level needs.
 */
export const samplesThatTell = (
  checks: Checks,
  samples: number,
  { distance, pairs, confidence }: { distance: number; pairs: number; confidence: number },
): number => {
  const quantiles = Math.sqrt(2.576 ** 2 + 1.8 * Math.log(pairs)) + 0.842; // of the level, and of a power of 80 %
  const noise = Math.sqrt(noiseWithin(checks).variance);
  const needed = noise === 0 ? 0 : Math.ceil((2 / 0.955) * (quantiles * (noise / distance)) ** 2);
  return Math.min(MAX_NEEDED, Math.max(fewestFor(confidence), samples + 1, needed));
};

/** Returns the smallest number of samples a side whose interval reaches a level. */
const fewestFor = (level: number): number => {
  let count = MIN_SAMPLES;
  while (cutOf(count, count, level).confidence < level) count += 1;
  return count;
};
