import { z } from 'zod';

const Score = z.int().min(0).max(100);
const Milliseconds = z.string().regex(/^\d+ms$/);
const Shift = z.number().min(0);

/**
 * What an audit measured. Scores are 0 to 100, times are `"<integer>ms"`, `cls` is Lighthouse's unitless number.
 * Null is not known; `pwa` stays null in audit versions from 12 on, which have none.
 */
export const Metrics = z.object({
  performance: Score.nullable(),
  accessibility: Score.nullable(),
  bestPractices: Score.nullable(),
  pwa: Score.nullable(),
  seo: Score.nullable(),
  fcp: Milliseconds.nullable(),
  si: Milliseconds.nullable(),
  lcp: Milliseconds.nullable(),
  tti: Milliseconds.nullable(),
  tbt: Milliseconds.nullable(),
  cls: Shift.nullable(),
});
export type Metrics = z.infer<typeof Metrics>;

export const noMetrics: Metrics = {
  performance: null,
  accessibility: null,
  bestPractices: null,
  pwa: null,
  seo: null,
  fcp: null,
  si: null,
  lcp: null,
  tti: null,
  tbt: null,
  cls: null,
};

/** What one audit of a run measured, and how busy the machine was meanwhile (see Environment). */
export const Sample = z.object({
  ...Metrics.shape,
  cpuBusy: z.number().nullable(),
  contended: z.boolean().nullable(),
});
export type Sample = z.infer<typeof Sample>;

const range = <Value extends z.ZodType>(value: Value) => z.object({ min: value, max: value }).nullable();

/** For each metric its smallest and largest value over the samples, in the metric's own form; null where it was not measured. */
export const Spread = z.object({
  performance: range(Score),
  accessibility: range(Score),
  bestPractices: range(Score),
  pwa: range(Score),
  seo: range(Score),
  fcp: range(Milliseconds),
  si: range(Milliseconds),
  lcp: range(Milliseconds),
  tti: range(Milliseconds),
  tbt: range(Milliseconds),
  cls: range(Shift),
});
export type Spread = z.infer<typeof Spread>;

/** Null for fewer than two samples, which have none. */
export const spreadOf = (samples: readonly Metrics[]): Spread | null => {
  if (samples.length < 2) return null;
  const names = Object.keys(noMetrics) as (keyof Metrics)[];
  return Object.fromEntries(
    names.map((name) => {
      const values = samples.map((sample) => sample[name]).filter((value) => value !== null);
      const sorted = values.sort((a, b) => Number.parseFloat(`${a}`) - Number.parseFloat(`${b}`));
      return [name, sorted.length > 0 ? { min: sorted[0], max: sorted.at(-1) } : null];
    }),
  ) as Spread;
};
