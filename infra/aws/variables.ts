import type { Construct } from 'constructs';
import type { z } from 'zod';
import type { FunctionRow } from '../../shared/service/function-row.ts';
import type { FunctionName, functionRows } from '../../shared/service/functions.ts';
import type { Environment } from '../environments.ts';
import { auditQueueUrls, deadLetterUrls, deliveryQueueUrl } from './audit-queues.ts';
import { reportBucketName } from './report-bucket.ts';

type InputOf<Name extends FunctionName> = z.input<(typeof functionRows)[Name]['env']>;
type Variable = { [Name in FunctionName]: keyof InputOf<Name> }[FunctionName];
type RequiredOf<T> = { [Name in keyof T]-?: undefined extends T[Name] ? never : Name }[keyof T];
type Required = { [Name in FunctionName]: RequiredOf<InputOf<Name>> }[FunctionName];
/** Variables whose values a construct passes to nodeFunction. */
type Passed = 'API_URL';
type Values = Record<Exclude<Required, Passed>, string> & { [Name in Variable]?: string | undefined };

/** Returns the variables of a function on AWS. A variable that has no value here keeps the default of its schema. */
export const variablesOf = (
  scope: Construct,
  environment: Environment,
  { env }: FunctionRow,
): Record<string, string> => {
  const values: Record<string, string | undefined> = valuesOf(scope, environment);
  const named = Object.keys(env.shape).map((name) => [name, values[name]] as const);
  return Object.fromEntries(named.filter((each): each is [string, string] => each[1] !== undefined));
};

const valuesOf = (scope: Construct, environment: Environment): Values => {
  const {
    names,
    homeRegion,
    regions,
    retentionDays,
    trendDays,
    fieldData,
    openShards,
    targetsAllow,
    corsOrigins,
    canaryMinutes,
    edge,
  } = environment;
  const bucket = reportBucketName(scope, environment);
  return {
    TABLE_NAME: names.table,
    HOME_REGION: homeRegion,
    OPEN_SHARDS: String(openShards),
    REPORT_BUCKET: bucket,
    REPORT_ORIGIN: `https://${bucket}.s3.${homeRegion}.amazonaws.com`,
    AUDIT_QUEUES: auditQueueUrls(scope, environment),
    DEAD_LETTER_QUEUES: deadLetterUrls(scope, environment),
    DELIVERY_QUEUE: deliveryQueueUrl(scope, environment),
    REGIONS: regions.join(','),
    CANARY_MINUTES: canaryMinutes && String(canaryMinutes),
    // Two visits of the canary without a success.
    SUCCESS_WITHIN_MINUTES: canaryMinutes && String(2 * canaryMinutes * regions.length),
    PUBLIC_URL: edge && `https://${edge.domain}`,
    AUTH: 'keys',
    TARGETS: 'public',
    TARGETS_ALLOW: targetsAllow.join(',') || undefined,
    // The functions answer preflights, as in the local service: with a `$default` route, API Gateway doesn't.
    CORS_ORIGINS: corsOrigins.join(',') || undefined,
    RETENTION_DAYS: String(retentionDays),
    TREND_DAYS: String(trendDays),
    FIELD_DATA: fieldData ? 'on' : undefined,
    MAX_UPLOAD_BYTES: '4500000', // an invocation takes 6 MB, and an event has the body in Base64, or as an escaped text
  };
};
