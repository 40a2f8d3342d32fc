import { z } from 'zod';
import { AssertionResult } from '../../../shared/assertions/assertions.ts';
import { Check } from '../../../shared/check.ts';
import { Environment } from '../../../shared/environment.ts';
import type { FieldDataReason } from '../../../shared/field-data.ts';
import { FieldData } from '../../../shared/field-data-schemas.ts';
import { InteractionRun } from '../../../shared/interactions/interactions-schemas.ts';
import { MeasuredVariant } from '../../../shared/measured.ts';
import { metricNames } from '../../../shared/metrics/page-metrics.ts';
import { Sample } from '../../../shared/metrics/page-metrics-schemas.ts';
import { type AuditVersion, type Device, anyName as name, type Region } from '../../../shared/name-schemas.ts';
import { StoredOptions } from '../../../shared/options/audit-options-schemas.ts';
import { RunError, type RunProblemCode } from '../../../shared/problems.ts';
import { recordOf } from '../../../shared/record.ts';
import { Attempt, Run } from '../../../shared/run.ts';

/*
 * Schemas for reading items. An item may be 90 days old, and come from another release: its audit version or error code may
 * not exist here. So a name may be any text, and the limits of inputs don't apply.
 */

const number = z.number().nullable();
const range = z.object({ min: z.number(), max: z.number() }).nullable();
const numbers = recordOf(metricNames, () => number);

/**
 * Reads a value that is stored as JSON text. The SDK fails to write a map with a field of the name `constructor`. So a map with
 * names that a client chose is stored as text.
 */
const storedAsText = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value, context) => {
    if (value === undefined) return value;
    try {
      return JSON.parse(z.string().parse(value)) as unknown;
    } catch {
      context.issues.push({ code: 'custom', message: 'expected JSON', input: value });
      return z.NEVER;
    }
  }, schema);

export const StoredLabels = storedAsText(StoredOptions.shape.labels.unwrap()).optional();
/** Returns the form in which an item with labels is stored. */
export const withLabelsAsText = <Item extends { labels?: Record<string, string> | undefined }>(item: Item) => ({
  ...item,
  labels: textOf(item.labels),
});
/** Returns the form in which a map with names that a client chose is stored. */
export const textOf = (map: object | undefined): string | undefined => map && JSON.stringify(map);

/** The fields that a stored check has in common with a check. */
export const CheckFields = Check.omit({ runs: true }).extend({
  auditVersion: name<AuditVersion>(),
  regions: z.array(name<Region>()),
  ...StoredOptions.shape,
  labels: StoredLabels,
  assertions: storedAsText(StoredOptions.shape.assertions.unwrap()).optional(),
  fieldData: FieldData.extend({ reason: name<FieldDataReason>().nullable() }).nullable().default(null),
});

/** Place and sizes of a stored report, and sizes of the artifacts of its audit. */
const Sizes = z.object({ bytes: z.int(), gzipBytes: z.int() });
export const StoredReport = Sizes.extend({
  key: z.string(),
  artifacts: z.record(z.string(), Sizes).optional(),
});

const measuredFields = {
  auditVersion: name<AuditVersion>(),
  device: name<Device>(),
  ...numbers,
  samples: z.array(Sample.extend(numbers)),
  spread: z.object(recordOf(metricNames, () => range)).nullable(),
  interactions: z.array(InteractionRun.extend({ report: StoredReport.optional() })).nullable(),
  environment: Environment.extend({ auditVersion: name<AuditVersion>(), device: name<Device>().nullable() }).nullable(),
};

/** Reads an object whose nulls may be missing. DynamoDB would bill them, and an earlier release did not know some parts. */
export const withNulls = <Schema extends z.ZodObject>(schema: Schema) => {
  const canBeNull = Object.keys(schema.shape).filter((name) => schema.shape[name].safeParse(null).success);
  const nulls = recordOf(canBeNull, () => null);
  return z.preprocess((item) => ({ ...nulls, ...(item as object) }), schema);
};

/** The second variant of a stored run, with its report. */
const AgainstFields = withNulls(MeasuredVariant.extend({ ...measuredFields, report: StoredReport.optional() }));

/** The fields that a stored run has in common with a run. */
export const RunFields = Run.extend({
  ...measuredFields,
  region: name<Region>(),
  error: RunError.extend({ code: name<RunProblemCode>() }).nullable(),
  attempts: z.array(Attempt.extend({ code: name<RunProblemCode>().nullable() })),
  against: AgainstFields.nullable(),
  assertions: z
    .array(AssertionResult.extend({ name: name<AssertionResult['name']>(), level: name<AssertionResult['level']>() }))
    .nullable(),
});
