import { z } from 'zod';
import { AssertionResult } from '../assertions/assertions.ts';
import { interactionMetricNames } from '../interactions/metrics.ts';
import { metricNames } from '../metrics/page-metrics.ts';
import { Region } from '../name-schemas.ts';
import { MeasuredThrottling } from '../options/throttling-schemas.ts';
import { recordOf } from '../record.ts';
import { MAX_NEEDED } from './by-samples.ts';
import { MAX_NEWLY_FAILED } from './newly-failed.ts';
import { differenceCodes } from './spoils.ts';

/** Most orders of paints that a comparison has, and most scripts whose work changed. */
export const MAX_ORDERS = 4;

/** Reasons that spoil a measurement. A region that failed or that only one check has is in no metric. */
export const ReasonCode = z.enum([
  ...['failed', 'missing-region', 'fewer-samples', 'contended', 'different-machine', 'other-speed'],
] as const);
export type ReasonCode = z.infer<typeof ReasonCode>;

const Reason = z
  .object({ code: ReasonCode, region: Region })
  .meta({ id: 'Reason', description: 'What spoils a measurement, and the region that it is about.' });
export type Reason = z.infer<typeof Reason>;

/** A value as a run shows it: a score, a time such as `"912ms"`, or a layout shift. */
export const Value = z.union([z.number(), z.string()]).nullable();
export type Value = z.infer<typeof Value>;

const Shift = z
  .object({
    estimate: Value,
    low: Value,
    high: Value,
    confidence: z.number(),
    by: z
      .enum(['turns', 'checks', 'samples'])
      .describe('Unit of the interval: the wider one of two, or that of pairs.'),
    steady: z
      .literal(true)
      .optional()
      .describe(
        'True if the loads are compared as if their paints and layouts had come in one order. The shown values may differ by more or less.',
      ),
  })
  .nullable()
  .describe(
    'The estimated change, and the interval that holds the true change with this confidence. Null if a side lacks the metric.',
  );
export type ShiftView = z.infer<typeof Shift>;

const Noise = z
  .object({
    within: Value.describe('Standard deviation of the samples of a check. Null if each check has one.'),
    between: Value.describe('Standard deviation from check to check. Null for variants in turns, which need none.'),
    from: z.enum(['page', 'prior']).describe('`page` if the checks of the page weigh as much as the prior or more.'),
    checks: z.int().describe('Number of checks that show it.'),
  })
  .nullable()
  .meta({ id: 'Noise', description: 'How much the metric of an unchanged page moves by itself. Null if unknown.' });

const change = {
  change: Shift,
  noise: Noise,
  suspected: z.boolean().describe('True if an interval excludes 0, and that proves no change that counts.'),
  needs: z
    .object({ kind: z.enum(['turns', 'checks', 'samples']), count: z.int().max(MAX_NEEDED) })
    .nullable()
    .describe(
      'What would probably give a verdict: pairs of audits in turns, checks a side, or samples a side. Null if there is a verdict, or if nothing of it would help.',
    ),
};

const Fact = z.union([z.string(), MeasuredThrottling, z.array(z.string())]);
const DifferenceOfChecks = z.object({ code: z.enum(differenceCodes), base: Fact, value: Fact }).meta({
  id: 'Difference',
  description: 'An input, or a part of the service, that differs between the two checks, with both values.',
});

const common = {
  checkId: z.uuid(),
  regions: z.array(Region),
  comparable: z.boolean().describe('False if a reason or a difference that was not intended is against verdicts.'),
  reasons: z.array(Reason),
  differences: z.array(DifferenceOfChecks),
};
const metricsOf = <Metric extends z.ZodType>(metric: Metric) => z.object(recordOf(metricNames, () => metric));

export const RegionComparison = z
  .object({
    ...common,
    baseCheckId: z.null(),
    metrics: metricsOf(
      z
        .object({
          values: z.partialRecord(Region, Value),
          best: Region.nullable(),
          worst: Region.nullable(),
          ...change,
          verdict: z.enum(['different', 'same', 'unknown']),
        })
        .meta({
          id: 'ComparedRegions',
          description: 'The change from the best to the worst region, and the verdict about it.',
        }),
    ),
  })
  .meta({
    id: 'RegionComparison',
    description: 'The regions of a check compared. `best` and `worst` are null if all values are equal.',
  });
export type RegionComparison = z.infer<typeof RegionComparison>;

export const Verdict = z.enum(['improved', 'regressed', 'same', 'unknown']);
export type Verdict = z.infer<typeof Verdict>;

export const MetricChange = z
  .object({ verdict: Verdict, ...change })
  .meta({ id: 'MetricChange', description: 'How a metric changed.' });

export type MetricChange = z.infer<typeof MetricChange>;

/** The changes between the two variants of a run. */
export const RunChange = metricsOf(MetricChange);
export type RunChange = z.infer<typeof RunChange>;

const ComparedMetric = z
  .object({
    regions: z.partialRecord(Region, z.object({ base: Value, value: Value, ...change, verdict: Verdict })),
    verdict: Verdict,
  })
  .meta({
    id: 'ComparedChecks',
    description: 'The verdict is the first of `regressed`, `improved`, `same` and `unknown` that a region has.',
  });
export type ComparedMetric = z.infer<typeof ComparedMetric>;

const InteractionReason = z
  .object({
    code: z
      .enum(['missing', 'failed', 'failed-samples', 'noted', 'other-steps'])
      .describe(
        '`missing`: the run has no such interaction. `failed`: no sample measured it. `failed-samples`: some samples did not. `noted`: the run says why a value is missing or unsure. `other-steps`: the steps of the two checks differ.',
      ),
    region: Region,
    side: z.enum(['base', 'value']),
    detail: z.string().nullable(),
  })
  .meta({ id: 'InteractionReason', description: 'Why an interaction has no verdict, or fewer samples.' });
export type InteractionReason = z.infer<typeof InteractionReason>;

const interactionMetricsOf = <Metric extends z.ZodType>(metric: Metric) =>
  z.object(recordOf(interactionMetricNames, () => metric));
const ComparedInteraction = z
  .object({ name: z.string(), metrics: interactionMetricsOf(ComparedMetric), reasons: z.array(InteractionReason) })
  .meta({ id: 'ComparedInteraction', description: 'An interaction of two checks compared. They are paired by name.' });
export type ComparedInteraction = z.infer<typeof ComparedInteraction>;

const Loads = z.object({ after: z.int(), loads: z.int() });
const PaintOrder = z
  .object({ region: Region, script: z.string(), paint: z.enum(['fcp', 'lcp']), base: Loads, value: Loads })
  .meta({
    id: 'PaintOrder',
    description: 'In how many loads of each side the first or the largest paint came after a script. Not judged.',
  });
export type PaintOrder = z.infer<typeof PaintOrder>;

const WorkChange = z
  .object({
    region: Region,
    script: z.string(),
    share: z.number().describe('Change of its CPU time against other work of the page: 0.18 is 18 % more.'),
    base: z.number(),
    value: z.number(),
  })
  .meta({
    id: 'WorkChange',
    description: 'A script that works longer or shorter, with its CPU time in milliseconds in both checks. No verdict.',
  });
export type WorkChange = z.infer<typeof WorkChange>;

/** The changes of an interaction between the two variants of a run. */
export const InteractionChange = interactionMetricsOf(MetricChange);
export type InteractionChange = z.infer<typeof InteractionChange>;

export const CheckComparison = z
  .object({
    ...common,
    baseCheckId: z.uuid().describe('Id of the earlier check, or of the check itself if its two variants are compared.'),
    pooledCheckIds: z.array(z.uuid()).describe('Further checks that are in the base.'),
    againCheckIds: z.array(z.uuid()).describe('Further checks that count together with the check.'),
    newlyFailed: z
      .array(z.object({ region: Region, ...AssertionResult.shape }))
      .max(MAX_NEWLY_FAILED)
      .describe(
        `Assertions that passed in the base and fail now, with their results now. At most ${MAX_NEWLY_FAILED}.`,
      ),
    verdict: Verdict.describe(
      '`regressed`: a metric got worse. `improved` or `same`: each main metric did not. `unknown`: a main metric is open.',
    ),
    unjudged: z
      .array(z.string())
      .describe(
        'Main metrics without a verdict that may have changed by more than counts. A comparison with one proves nothing unless its verdict is `regressed`. The metric of an interaction is `interactions:<name>:inp`.',
      ),
    metrics: metricsOf(ComparedMetric),
    orders: z
      .array(PaintOrder)
      .max(MAX_ORDERS)
      .optional()
      .describe('Paints that came after a script in some loads and before it in others. Missing if there is none.'),
    work: z
      .array(WorkChange)
      .max(MAX_ORDERS)
      .optional()
      .describe('Scripts whose work changed. Missing if there is none.'),
    interactions: z
      .array(ComparedInteraction)
      .describe('Interactions of one of the checks or of both. They change no verdict about the load.'),
  })
  .meta({ id: 'CheckComparison', description: 'Two checks compared, region by region.' });
export type CheckComparison = z.infer<typeof CheckComparison>;
