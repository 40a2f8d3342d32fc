import { resolve } from 'node:path';
import { z } from 'zod';
import { regions } from '../../shared/regions.ts';
import { MAX_OPEN_SHARDS } from '../../shared/service/partitions.ts';
import {
  auditsAtOnceFrom,
  Chromium,
  ExtraCaFile,
  oneOf,
  TargetsAllow,
  throwInvalid,
  wholeNumber,
} from './start-settings.ts';

const awsRegions = Object.values<string>(regions);
const awsRegion = z.enum(awsRegions, { error: `Use one of ${awsRegions.join(', ')}.` });
const text = (message: string) => z.string(message).min(1, message);

/** Environment variables of `npm run worker`. Every message says which values a variable accepts. */
const Settings = z.object({
  QUEUE_URL: z.url(
    'Use the URL of the queue of audit jobs, such as https://sqs.us-west-2.amazonaws.com/123456789012/….',
  ),
  AWS_REGION: awsRegion.optional(),
  TABLE_NAME: text('Use the name of the table of the environment.'),
  HOME_REGION: awsRegion,
  REPORT_BUCKET: text('Use the name of the bucket of the reports.'),
  DELIVERY_QUEUE: z.url('Use the URL of the queue of deliveries of the environment.'),
  // Without a default, because the sweeper looks at other partitions than those of its environment only after minutes.
  OPEN_SHARDS: wholeNumber(1, MAX_OPEN_SHARDS),
  AUDITS_AT_ONCE: wholeNumber(1, 64).optional(),
  TIMED_AT_ONCE: wholeNumber(1, 64).optional(),
  SANDBOX: oneOf('required', 'optional').default('required'),
  TARGETS_ALLOW: TargetsAllow,
  EXTRA_CA_FILE: ExtraCaFile,
  CHROMIUM: Chromium,
  CHROMIUM_DIR: text('Use the path of a folder, such as .chromium.').optional(),
  STOP_SECONDS: wholeNumber(0, 900).default(20),
  POWERTOOLS_SERVICE_NAME: text('Use the name of the service in metrics, such as page-audit-prod.').default(
    'page-audit-worker',
  ),
  LOG_LEVEL: oneOf('DEBUG', 'INFO', 'WARN', 'ERROR').default('INFO'),
});

export type WorkerSettings = ReturnType<typeof workerSettingsFrom>;

/** Returns the settings of `npm run worker`. Throws an InvalidSettingError if a variable is missing or invalid. */
export const workerSettingsFrom = (env: Record<string, string | undefined>) => {
  const parsed = Settings.safeParse(env);
  if (!parsed.success) return throwInvalid('The worker', parsed.error);
  const {
    QUEUE_URL,
    AWS_REGION,
    STOP_SECONDS,
    CHROMIUM,
    CHROMIUM_DIR,
    LOG_LEVEL,
    SANDBOX,
    EXTRA_CA_FILE,
    POWERTOOLS_SERVICE_NAME,
  } = parsed.data;
  const inUrl = /^https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\.com\//.exec(QUEUE_URL)?.[1];
  const region = awsRegion.safeParse(inUrl ?? AWS_REGION);
  if (!region.success) {
    const message = `The URL of the queue names no region of the service. Set AWS_REGION to one of ${awsRegions.join(', ')}.`;
    return throwInvalid('The worker', new z.ZodError([{ code: 'custom', path: ['QUEUE_URL'], message }]));
  }
  return {
    queueUrl: QUEUE_URL,
    awsRegion: region.data,
    auditsAtOnce: auditsAtOnceFrom(parsed.data),
    stopMs: STOP_SECONDS * 1000,
    ...(CHROMIUM && { chromium: CHROMIUM }),
    ...(CHROMIUM_DIR && { chromiumDir: resolve(CHROMIUM_DIR) }),
    /** Variables of the function `run-audit` whose defaults differ from those of Lambda. */
    env: {
      SANDBOX,
      ...(EXTRA_CA_FILE && { EXTRA_CA_FILE }),
      POWERTOOLS_LOG_LEVEL: LOG_LEVEL,
      POWERTOOLS_SERVICE_NAME,
    },
  };
};
