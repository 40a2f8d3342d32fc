import { z } from 'zod';
import { type FieldDataReason, fieldDataReasons, fieldMetricNames } from './field-data.ts';
import type { Device } from './name-schemas.ts';
import { recordOf } from './record.ts';

const FieldMetric = z
  .object({
    p75: z.number().describe('Three of four page views have this value or a better one. Times are in milliseconds.'),
    good: z.number().describe('Share of good page views, 0 to 1.'),
    needsImprovement: z.number(),
    poor: z.number(),
  })
  .meta({ id: 'FieldMetric', description: "A metric as Chrome's users saw it." });

const Period = z.object({ first: z.iso.date(), last: z.iso.date() });

/** Page or site that a record of Chrome UX Report is about. */
const About = {
  of: z.enum(['url', 'origin']).describe('`url`: the record of the page. `origin`: all pages of its origin.'),
  url: z.string().describe('The page without query and fragment, or the origin.'),
};
const FormFactor = z.enum(['phone', 'desktop']).describe('Devices of the visitors: those of the audit.');
export type FormFactor = z.infer<typeof FormFactor>;

/** A record of Chrome UX Report. */
export const FieldRecord = z.object({
  ...About,
  period: Period,
  metrics: z.object(recordOf(fieldMetricNames, () => FieldMetric.nullable())),
});
export type FieldRecord = z.infer<typeof FieldRecord>;

const reasons = Object.keys(fieldDataReasons) as [FieldDataReason, ...FieldDataReason[]];

/** Field data of the page of a check, or why there are none. */
export const FieldData = z
  .object({
    reason: z
      .enum(reasons)
      .nullable()
      .describe(
        `Why there are no field data. Null if there are some. ${reasons.map((name) => `\`${name}\`: ${fieldDataReasons[name]}`).join(' ')}`,
      ),
    formFactor: FormFactor,
    of: About.of.nullable(),
    url: About.url.nullable(),
    period: Period.nullable().describe('First and last day of the page views, both included.'),
    metrics: FieldRecord.shape.metrics.nullable(),
    at: z.iso.datetime().nullable().describe('When the check got its field data.'),
  })
  .meta({
    id: 'FieldData',
    description:
      "How Chrome's users saw the page: the newest record of Chrome UX Report on the day of the check. Any value is null if it is unknown.",
  });
export type FieldData = z.infer<typeof FieldData>;

/** Week of a history: its last day, and the 75th percentile of each metric in the four weeks until then. */
const FieldWeek = z.object({ last: z.iso.date(), ...recordOf(fieldMetricNames, () => z.number().nullable()) });

/** The history of a record of Chrome UX Report. */
export const FieldHistory = z
  .object({ ...About, formFactor: FormFactor, weeks: z.array(FieldWeek).describe('The oldest first.') })
  .meta({ id: 'FieldHistory', description: 'The 75th percentiles of Chrome UX Report, week by week.' });
export type FieldHistory = z.infer<typeof FieldHistory>;

export const formFactorOf = (device: Device | undefined): FormFactor => (device === 'desktop' ? 'desktop' : 'phone');

/** Returns field data with a record. */
export const knownFieldData = (record: FieldRecord, formFactor: FormFactor, at: string): FieldData => ({
  ...record,
  reason: null,
  formFactor,
  at,
});

/** Returns field data without a record. */
export const noFieldData = (reason: FieldDataReason, formFactor: FormFactor, at: string | null = null): FieldData => ({
  reason,
  formFactor,
  at,
  of: null,
  url: null,
  period: null,
  metrics: null,
});
