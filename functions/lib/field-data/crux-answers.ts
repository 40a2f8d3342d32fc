import { z } from 'zod';
import { type FieldMetricName, fieldMetricNames } from '../../../shared/field-data.ts';
import type { FieldHistory, FieldRecord } from '../../../shared/field-data-schemas.ts';
import { recordOf } from '../../../shared/record.ts';

/** Names of the metrics in Chrome UX Report. */
export const cruxNames: Readonly<Record<FieldMetricName, string>> = {
  lcp: 'largest_contentful_paint',
  inp: 'interaction_to_next_paint',
  cls: 'cumulative_layout_shift',
  fcp: 'first_contentful_paint',
  ttfb: 'experimental_time_to_first_byte',
};

/** Number, or a text with a number as for layout shifts. Null for an unknown value, which the history writes as null or `NaN`. */
const Value = z.unknown().transform((value) => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
});

const pad = (number: number): string => `${number}`.padStart(2, '0');
const Day = z
  .object({ year: z.int(), month: z.int(), day: z.int() })
  .transform(({ year, month, day }) => [`${year}`.padStart(4, '0'), pad(month), pad(day)].join('-'))
  .pipe(z.iso.date());
const Period = z.object({ firstDate: Day, lastDate: Day });
const Key = z.union([z.object({ url: z.string() }), z.object({ origin: z.string() })]);

/** Answer to `queryRecord`. A bin without page views may lack its density. */
export const RecordAnswer = z.object({
  record: z.object({
    key: Key,
    metrics: z.record(
      z.string(),
      z.looseObject({
        histogram: z.array(z.object({ density: Value.optional() })).optional(),
        percentiles: z.object({ p75: Value.optional() }).optional(),
      }),
    ),
    collectionPeriod: Period,
  }),
});

/** Answer to `queryHistoryRecord`. */
export const HistoryAnswer = z.object({
  record: z.object({
    key: Key,
    metrics: z.record(
      z.string(),
      z.looseObject({ percentilesTimeseries: z.object({ p75s: z.array(Value) }).optional() }),
    ),
    collectionPeriods: z.array(Period),
  }),
});

const aboutOf = (key: z.infer<typeof Key>) =>
  'url' in key ? ({ of: 'url', url: key.url } as const) : ({ of: 'origin', url: key.origin } as const);

/** Returns a record of Chrome UX Report in the form of the service. */
export const recordFrom = ({ record }: z.infer<typeof RecordAnswer>): FieldRecord => ({
  ...aboutOf(record.key),
  period: { first: record.collectionPeriod.firstDate, last: record.collectionPeriod.lastDate },
  metrics: recordOf(fieldMetricNames, (name) => {
    const { histogram, percentiles } = record.metrics[cruxNames[name]] ?? {};
    const p75 = percentiles?.p75 ?? null;
    if (p75 === null || histogram?.length !== 3) return null;
    const [good, needsImprovement, poor] = histogram.map(({ density }) => density ?? 0) as [number, number, number];
    return { p75, good, needsImprovement, poor };
  }),
});

/** Returns the weeks of a history, the oldest first. */
export const historyFrom = ({ record }: z.infer<typeof HistoryAnswer>): Omit<FieldHistory, 'formFactor'> => ({
  ...aboutOf(record.key),
  weeks: record.collectionPeriods.map(({ lastDate }, i) => ({
    last: lastDate,
    ...recordOf(fieldMetricNames, (name) => record.metrics[cruxNames[name]]?.percentilesTimeseries?.p75s[i] ?? null),
  })),
});
