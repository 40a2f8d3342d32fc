import { z } from 'zod';
import { pick } from '../pick.ts';
import { recordOf } from '../record.ts';
import {
  type MetricKind,
  type MetricName,
  metricNames,
  namesOfKind,
  noMetrics,
  pageMetrics,
  valueNames,
} from './page-metrics.ts';
import { SteadyLoad } from './steady-load.ts';

const Score = z.int().min(0).max(100).meta({ id: 'Score', description: 'Score from 0 to 100.' });
const Milliseconds = z.number().min(0);
export const MillisecondsText = z
  .string()
  .regex(/^\d+ms$/)
  .meta({ id: 'Milliseconds', description: 'Time in milliseconds, such as `633ms`.' });

const LayoutShift = z.number().min(0);
const Count = z.int().min(0);

type Shape<Of extends Record<MetricKind, z.ZodType>> = { [Name in MetricName]: Of[(typeof pageMetrics)[Name]['kind']] };

/** Returns an object schema in which each metric has the schema of its kind. */
const eachMetric = <Of extends Record<MetricKind, z.ZodType>>(kinds: Of) =>
  z.object(Object.fromEntries(metricNames.map((name) => [name, kinds[pageMetrics[name].kind]])) as Shape<Of>);

const metricsWith = <Time extends z.ZodType>(time: Time) =>
  eachMetric({
    score: Score.nullable(),
    time: time.nullable(),
    shift: LayoutShift.nullable(),
    bytes: Count.nullable(),
    count: Count.nullable(),
  });

/**
 * Results of an audit, as stored. Times are in milliseconds with Lighthouse's full precision. An unknown value is null, and
 * so is a metric that the audit version does not have.
 */
export const Metrics = metricsWith(Milliseconds);
export type Metrics = z.infer<typeof Metrics>;

/** Results of an audit, as the API shows them: times are `"<integer>ms"`. */
export const MetricsView = metricsWith(MillisecondsText);
export type MetricsView = z.infer<typeof MetricsView>;

export const NumericValues = z.object(pick(Metrics.shape, valueNames)).meta({
  id: 'NumericValues',
  description: 'The metrics as plain numbers: times in milliseconds with full precision, `cls` unitless.',
});

/** How busy the machine was while a sample was measured. See `Environment`. */
const cpuUse = {
  cpuBusy: z.number().nullable(),
  contended: z.boolean().nullable(),
};

/** Results of one of a run's audits, as stored. `steady` is missing if Lighthouse simulated no load, or if it was too late. */
export const Sample = z.object({ ...Metrics.shape, ...cpuUse, steady: SteadyLoad.optional() });
export type Sample = z.infer<typeof Sample>;
export type WithSteady = Required<Pick<Sample, 'steady'>>;

/** Results of one of a run's audits, as the API shows them. */
export const SampleView = z
  .object({ ...MetricsView.shape, ...cpuUse })
  .meta({ id: 'Sample', description: 'Results of one audit of a run.' });
export type SampleView = z.infer<typeof SampleView>;

const rangeOf = <Value extends z.ZodType>(value: Value) => z.object({ min: value, max: value }).nullable();

const spreadWith = <Time extends z.ZodType>(time: Time) =>
  eachMetric({
    score: rangeOf(Score),
    time: rangeOf(time),
    shift: rangeOf(LayoutShift),
    bytes: rangeOf(Count),
    count: rangeOf(Count),
  });

/** Smallest and largest value of each metric over the samples, as stored. Null if no sample has the metric. */
export const Spread = spreadWith(Milliseconds);
export type Spread = z.infer<typeof Spread>;

/** Smallest and largest value of each metric over the samples, as the API shows them. */
export const SpreadView = spreadWith(MillisecondsText).meta({ id: 'Spread' });
export type SpreadView = z.infer<typeof SpreadView>;

const times = namesOfKind('time');
const others = namesOfKind('score', 'shift', 'bytes', 'count');
export const timeView = (ms: number): string => `${Math.round(ms)}ms`;
/** Returns a value as the API shows it. */
export const valueView = (kind: MetricKind, value: number): string | number =>
  kind === 'time' ? timeView(value) : value;

/** Returns metrics as the API shows them. `noMetrics` comes first for the order of the fields. */
export const metricsView = (metrics: Metrics): MetricsView => ({
  ...noMetrics,
  ...pick(metrics, others),
  ...recordOf(times, (name) => (metrics[name] === null ? null : timeView(metrics[name]))),
});

export const sampleView = (sample: Sample): SampleView => ({
  ...metricsView(sample),
  ...pick(sample, ['cpuBusy', 'contended']),
});

export const spreadView = (spread: Spread): SpreadView => ({
  ...recordOf(metricNames, () => null),
  ...pick(spread, others),
  ...recordOf(times, (name) => spread[name] && { min: timeView(spread[name].min), max: timeView(spread[name].max) }),
});
