import { z } from 'zod';

const Score = z.int().min(0).max(100).meta({ id: 'Score', description: 'Score from 0 to 100.' });
const Milliseconds = z.number().min(0);
const MillisecondsText = z
  .string()
  .regex(/^\d+ms$/)
  .meta({ id: 'Milliseconds', description: 'Time in milliseconds, such as `633ms`.' });
const LayoutShift = z.number().min(0);

const metricsWith = <Time extends z.ZodType>(time: Time) =>
  z.object({
    performance: Score.nullable(),
    accessibility: Score.nullable(),
    bestPractices: Score.nullable(),
    pwa: Score.nullable(),
    seo: Score.nullable(),
    agenticBrowsing: Score.nullable(),
    fcp: time.nullable(),
    si: time.nullable(),
    lcp: time.nullable(),
    tti: time.nullable(),
    tbt: time.nullable(),
    cls: LayoutShift.nullable(),
  });

/**
 * Results of an audit, as stored. Scores are 0 to 100. Times are in milliseconds with Lighthouse's full precision. `cls` is
 * unitless. An unknown value is null. `pwa` is always null from audit version 12 on, `agenticBrowsing` if it was not
 * requested.
 */
export const Metrics = metricsWith(Milliseconds);
export type Metrics = z.infer<typeof Metrics>;

/** Results of an audit, as the API shows them: times are `"<integer>ms"`. */
export const MetricsView = metricsWith(MillisecondsText);
export type MetricsView = z.infer<typeof MetricsView>;

export const NumericValues = Metrics.pick({ fcp: true, si: true, lcp: true, tti: true, tbt: true, cls: true }).meta({
  id: 'NumericValues',
  description: 'The metrics as plain numbers: times in milliseconds with full precision, `cls` unitless.',
});

export const noMetrics: Metrics = {
  performance: null,
  accessibility: null,
  bestPractices: null,
  pwa: null,
  seo: null,
  agenticBrowsing: null,
  fcp: null,
  si: null,
  lcp: null,
  tti: null,
  tbt: null,
  cls: null,
};

/** How busy the machine was while a sample was measured. See `Environment`. */
const cpuUse = { cpuBusy: z.number().nullable(), contended: z.boolean().nullable() };

/** Results of one of a run's audits, as stored. */
export const Sample = z.object({ ...Metrics.shape, ...cpuUse });
export type Sample = z.infer<typeof Sample>;

/** Results of one of a run's audits, as the API shows them. */
export const SampleView = z
  .object({ ...MetricsView.shape, ...cpuUse })
  .meta({ id: 'Sample', description: 'Results of one audit of a run.' });
export type SampleView = z.infer<typeof SampleView>;

const rangeOf = <Value extends z.ZodType>(value: Value) => z.object({ min: value, max: value }).nullable();

const spreadWith = <Time extends z.ZodType>(time: Time) =>
  z.object({
    performance: rangeOf(Score),
    accessibility: rangeOf(Score),
    bestPractices: rangeOf(Score),
    pwa: rangeOf(Score),
    seo: rangeOf(Score),
    agenticBrowsing: rangeOf(Score),
    fcp: rangeOf(time),
    si: rangeOf(time),
    lcp: rangeOf(time),
    tti: rangeOf(time),
    tbt: rangeOf(time),
    cls: rangeOf(LayoutShift),
  });

/** Smallest and largest value of each metric over the samples, as stored. Null if no sample has the metric. */
export const Spread = spreadWith(Milliseconds);
export type Spread = z.infer<typeof Spread>;

/** Smallest and largest value of each metric over the samples, as the API shows them. */
export const SpreadView = spreadWith(MillisecondsText).meta({ id: 'Spread' });
export type SpreadView = z.infer<typeof SpreadView>;

/** Returns the spread of two or more samples, or null if there are fewer. */
export const spreadOf = (samples: readonly Metrics[]): Spread | null => {
  if (samples.length < 2) return null;
  const ranges = Metrics.keyof().options.map((name) => {
    const values = samples.map((sample) => sample[name]).filter((value) => value !== null);
    return [name, values.length > 0 ? { min: Math.min(...values), max: Math.max(...values) } : null];
  });
  return Object.fromEntries(ranges);
};

const timeView = (ms: number): string => `${Math.round(ms)}ms`;
const nullableTimeView = (ms: number | null): string | null => (ms === null ? null : timeView(ms));
const rangeView = (range: { min: number; max: number } | null) =>
  range && { min: timeView(range.min), max: timeView(range.max) };

export const metricsView = (metrics: Metrics): MetricsView => ({
  performance: metrics.performance,
  accessibility: metrics.accessibility,
  bestPractices: metrics.bestPractices,
  pwa: metrics.pwa,
  seo: metrics.seo,
  agenticBrowsing: metrics.agenticBrowsing,
  fcp: nullableTimeView(metrics.fcp),
  si: nullableTimeView(metrics.si),
  lcp: nullableTimeView(metrics.lcp),
  tti: nullableTimeView(metrics.tti),
  tbt: nullableTimeView(metrics.tbt),
  cls: metrics.cls,
});

export const sampleView = (sample: Sample): SampleView => ({
  ...metricsView(sample),
  cpuBusy: sample.cpuBusy,
  contended: sample.contended,
});

export const spreadView = (spread: Spread): SpreadView => ({
  performance: spread.performance,
  accessibility: spread.accessibility,
  bestPractices: spread.bestPractices,
  pwa: spread.pwa,
  seo: spread.seo,
  agenticBrowsing: spread.agenticBrowsing,
  fcp: rangeView(spread.fcp),
  si: rangeView(spread.si),
  lcp: rangeView(spread.lcp),
  tti: rangeView(spread.tti),
  tbt: rangeView(spread.tbt),
  cls: spread.cls,
});
