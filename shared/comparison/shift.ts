/** Estimate of a change, and the interval that holds the true change with this confidence. */
export type Shift = { estimate: number; low: number; high: number; confidence: number };

/**
 * Estimates how far `values` lie above `base`: the median of all differences between two samples (Hodges and Lehmann), with
 * the exact interval of Mann and Whitney. The confidence is at least the level, or as high as so few samples allow. The
 * interval includes its ends, so equal samples can only raise the confidence.
 */
export const shiftOf = (base: readonly number[], values: readonly number[], level: number): Shift => {
  const differences = base.flatMap((before) => values.map((after) => after - before)).sort((a, b) => a - b);
  const { cut, confidence } = cutOf(base.length, values.length, level);
  return {
    estimate: medianOfSorted(differences),
    low: differences[cut] as number,
    high: differences[differences.length - 1 - cut] as number,
    confidence,
  };
};

export const medianOf = (values: readonly number[]): number => medianOfSorted([...values].sort((a, b) => a - b));

const medianOfSorted = (sorted: readonly number[]): number => {
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
};

type Cut = { cut: number; confidence: number };
const cuts = new Map<string, Cut>();

/** Returns how many differences the interval leaves out at each end, and its exact confidence. */
export const cutOf = (a: number, b: number, level: number): Cut => {
  const key = [Math.min(a, b), Math.max(a, b), level].join();
  const known = cuts.get(key) ?? newCut(Math.min(a, b), Math.max(a, b), level);
  cuts.set(key, known);
  return known;
};

const newCut = (a: number, b: number, level: number): Cut => {
  const counts = orderCounts(a, b);
  const total = Number(counts.reduce((sum, each) => sum + each));
  let [cut, confidence, outside] = [0, 0, 0];
  for (const [u, count] of counts.entries()) {
    outside += (2 * Number(count)) / total;
    if (u > 0 && 1 - outside < level) break;
    [cut, confidence] = [u, Math.max(0, 1 - outside)];
  }
  return { cut, confidence };
};

/**
 * Returns the number of orders of `a` and `b` different samples by their statistic U: how many pairs have the sample of the
 * second set first. The numbers are the coefficients of the Gaussian binomial, and exceed the integers of a double.
 */
const orderCounts = (a: number, b: number): bigint[] => {
  const counts = Array.from({ length: a * b + 1 }, (_, u) => BigInt(u === 0 ? 1 : 0));
  for (let i = 1; i <= a; i++) {
    for (let u = a * b; u >= b + i; u--) counts[u] = (counts[u] as bigint) - (counts[u - b - i] as bigint);
    for (let u = i; u <= a * b; u++) counts[u] = (counts[u] as bigint) + (counts[u - i] as bigint);
  }
  return counts;
};
