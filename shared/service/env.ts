import { z } from 'zod';
import { AuditRegion } from '../name-schemas.ts';
import { MAX_UPLOAD_BYTES } from '../uploads.ts';
import { AllowedTarget } from './allowed-targets.ts';
import { MAX_OPEN_SHARDS } from './partitions.ts';

/** A text that is JSON, as its value. */
export const jsonText = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue('not JSON');
    return z.NEVER;
  }
});
const list = z.string().transform((text) => text.split(',').filter(Boolean));

/** Environment of every function that reads or writes checks. */
export const StoreEnv = z.object({
  TABLE_NAME: z.string().min(1),
  HOME_REGION: z.string().min(1), // AWS region of the table and the bucket
  // Partitions of the index of open items, for each region and for checks. One is enough for an engine on this machine.
  OPEN_SHARDS: z.coerce.number().int().min(1).max(MAX_OPEN_SHARDS).default(1),
});
const ReportEnv = z.object({ REPORT_BUCKET: z.string().min(1) });
/** Region to queue URL. */
const QueueUrls = jsonText.pipe(z.partialRecord(AuditRegion, z.url()));
const QueuesEnv = z.object({ AUDIT_QUEUES: QueueUrls });
const DeliveryQueueEnv = z.object({ DELIVERY_QUEUE: z.url(), HOME_REGION: StoreEnv.shape.HOME_REGION }); // of deliveries to webhooks
/** Environment of the functions that end checks: they delete the secrets of a check, and announce its end to webhooks. */
export const CloseEnv = z.object({ ...StoreEnv.shape, ...ReportEnv.shape, ...DeliveryQueueEnv.shape });
/** Ports that a page may use by default. */
export const DEFAULT_PORTS = [80, 443, 8080, 8443];
export const TargetsEnv = z.object({
  TARGETS: z.enum(['public', 'local']).default('public'), // local: pages on loopback may be audited too
  TARGET_PORTS: list.pipe(z.array(z.coerce.number<string>().int().min(1).max(65535))).default(DEFAULT_PORTS),
  // Hosts that may be audited although they are not public. Their pages may use all of them.
  TARGETS_ALLOW: list.pipe(z.array(AllowedTarget)).default([]),
  // Endpoints that replace AWS for the SDK. On one machine they are engines of the service, which no page may use.
  AWS_ENDPOINT_URL_DYNAMODB: z.string().optional(),
  AWS_ENDPOINT_URL_S3: z.string().optional(),
  AWS_ENDPOINT_URL_SQS: z.string().optional(),
});

/** `on`: the service reads field data from Chrome UX Report, and sends the addresses of public pages to Google for that. */
const FieldDataEnv = z.object({ FIELD_DATA: z.enum(['on', 'off']).default('off') });
/** Host of the Chrome UX Report API, or of a proxy before it. Only this machine itself may do without TLS. */
export const CruxUrl = z
  .string()
  .regex(
    /^(https:\/\/[a-z0-9.-]+(:\d+)?|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?)\/?$/,
    'Use a URL such as https://chromeuxreport.googleapis.com.',
  )
  .transform((url) => url.replace(/\/$/, ''))
  .default('https://chromeuxreport.googleapis.com');
/** Environment of the function that reads field data. Without a key here, the key is an object of the bucket. */
const CruxEnv = z.object({
  ...FieldDataEnv.shape,
  ...ReportEnv.shape,
  CRUX_API_URL: CruxUrl,
  CRUX_API_KEY: z.string().min(1).optional(),
});

/** PEM file of authorities that audits and deliveries of webhooks trust in addition to the public ones. */
const ExtraCaEnv = z.object({ EXTRA_CA_FILE: z.string().min(1).optional() });

/** Days until a check and its reports are deleted, and until its entries in the series of its URL are. */
const RetentionEnv = z.object({
  RETENTION_DAYS: z.coerce.number().int().positive().default(90),
  TREND_DAYS: z.coerce.number().int().positive().default(400),
});

/** `keys`: requests need an API key. `open`: all requests have one owner, for a machine that nobody else can reach. */
const AuthEnv = z.object({ AUTH: z.enum(['keys', 'open']).default('keys') });

/** Origin whose pages may read the API's answers in a browser. `*` allows all origins. */
export const Origin = z
  .string()
  .regex(/^(https?:\/\/[a-z0-9.-]+(:\d+)?|\*)$/, 'must be an origin, such as https://example.com, or *');
/** Address at which people reach the service. With a path, a proxy in front of the service removes it from requests. */
export const PublicUrl = z
  .string()
  .regex(
    /^https?:\/\/[a-z0-9.-]+(:\d+)?(\/[\w.~-]+)*\/?$/,
    'Use a URL such as https://audit.example.com or https://tools.example.com/audit.',
  )
  .transform((url) => url.replace(/\/$/, ''));
/** Environment of every API function: how clients reach the service, and which pages may read its answers. */
export const CorsEnv = z.object({
  CORS_ORIGINS: list.pipe(z.array(Origin)).default([]),
  PUBLIC_URL: PublicUrl.optional(), // default: the host of the request
});
/** Place of all regions, where they are not those of AWS. */
const PlaceEnv = z.object({ REGION_PLACE: z.string().optional() });
/** Environment of the functions that answer with the web page. */
export const WebPageEnv = z.object({
  ...CorsEnv.shape,
  ...PlaceEnv.shape,
  REPORT_ORIGIN: Origin.optional(), // origin of the bucket, if a browser can reach it
  WEB_DIR: z.string().optional(), // folder of the page's files; default: beside the function's code
});

export const ReadEnv = z.object({ ...StoreEnv.shape, ...AuthEnv.shape, ...CorsEnv.shape });
/** `table`: other processes write checks. `process`: all writes are made and announced by this process. */
export const WaitEnv = z.object({
  ...ReadEnv.shape,
  CHANGES_FROM: z.enum(['table', 'process']).default('table'),
});
export const ReportReadEnv = z.object({
  ...ReadEnv.shape,
  ...ReportEnv.shape,
  MAX_ANSWER_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(4 * 2 ** 20), // a Lambda answer has at most 6 MB, and binary answers are base64
});
export const CreateEnv = z.object({
  ...ReadEnv.shape,
  ...ReportEnv.shape,
  ...QueuesEnv.shape,
  ...DeliveryQueueEnv.shape,
  ...TargetsEnv.shape,
  ...RetentionEnv.shape,
  ...FieldDataEnv.shape,
});
/** Environment of the function that lists runs, with the history of the field data of their page. */
export const RunsEnv = z.object({ ...ReadEnv.shape, ...FieldDataEnv.shape });
/** Environment of the function for marks. */
export const MarksEnv = z.object({ ...ReadEnv.shape, TREND_DAYS: RetentionEnv.shape.TREND_DAYS });

/** Largest body of an upload, in bytes. On AWS, an invocation with a body takes at most 6 MB. */
const UploadBytesEnv = z.object({ MAX_UPLOAD_BYTES: z.coerce.number().int().positive().default(MAX_UPLOAD_BYTES) });
/** Environment of the function that takes in reports that were made elsewhere. */
export const UploadsEnv = z.object({
  ...ReadEnv.shape,
  ...ReportEnv.shape,
  ...DeliveryQueueEnv.shape,
  ...RetentionEnv.shape,
  ...UploadBytesEnv.shape,
});
/** Environment of PageSpeed's API: it creates a check, waits for it and reads its report. */
export const PageSpeedEnv = z.object({ ...CreateEnv.shape, ...WaitEnv.shape, ...ReportReadEnv.shape });
export const ComparisonEnv = z.object({ ...ReadEnv.shape, ...PlaceEnv.shape });
/** Regions of this deployment, and the age from which their last success is too old. Without it, no success is needed. */
const RegionsEnv = z.object({
  ...PlaceEnv.shape,
  ...StoreEnv.shape,
  REGIONS: list.pipe(z.array(AuditRegion)),
  SUCCESS_WITHIN_MINUTES: z.coerce.number().int().positive().optional(),
});
export const DiscoverEnv = z.object({
  ...CorsEnv.shape,
  ...RetentionEnv.shape,
  ...RegionsEnv.shape,
  TARGET_PORTS: TargetsEnv.shape.TARGET_PORTS,
  TARGETS_ALLOW: TargetsEnv.shape.TARGETS_ALLOW,
});
export const AuditEnv = z.object({
  ...CloseEnv.shape,
  ...TargetsEnv.shape,
  CHROMIUM_DIR: z.string().optional(), // folder for the unpacked Chromium; default: the temporary folder
  CHROMIUM: z.string().optional(), // path of an installed browser; default: the packaged Chromium. A Lambda function has none
  AUDITOR_DIR: z.string().optional(), // folder of the auditor's bundle; without it auditors run from their source
  AUDITS_AT_ONCE: z.coerce.number().int().min(1).default(1), // concurrent audits. A Lambda function has one
  TIMED_AT_ONCE: z.coerce.number().int().min(1).optional(), // concurrent timed parts; default: as many as the machine's CPUs and memory allow
  SANDBOX: z.enum(['optional', 'tested', 'required']).default('optional'), // required: no audit without Chromium's own sandbox; tested: if it works
  ...ExtraCaEnv.shape,
});
/** Environment of the functions for webhooks. */
export const WebhooksEnv = z.object({ ...ReadEnv.shape, ...DeliveryQueueEnv.shape, ...TargetsEnv.shape });
export const DeliverEnv = z.object({
  ...StoreEnv.shape,
  ...DeliveryQueueEnv.shape,
  ...TargetsEnv.shape,
  ...ExtraCaEnv.shape,
  ...CruxEnv.shape,
  PUBLIC_URL: CorsEnv.shape.PUBLIC_URL, // for the links of events
});
export const SweepEnv = z.object({
  ...CloseEnv.shape,
  ...QueuesEnv.shape,
  DEAD_LETTER_QUEUES: QueueUrls,
  ...TargetsEnv.shape, // for the checks of schedules
  ...RetentionEnv.shape,
  ...FieldDataEnv.shape,
});
/** Environment of the function for schedules. It judges the checks of a schedule as their create will. */
export const SchedulesEnv = z.object({
  ...ReadEnv.shape,
  ...ReportEnv.shape,
  ...TargetsEnv.shape,
  REGIONS: list.pipe(z.array(AuditRegion)),
});

export const CanaryEnv = z.object({
  ...StoreEnv.shape,
  REGIONS: list.pipe(z.array(AuditRegion)),
  CANARY_MINUTES: z.coerce.number().int().positive().default(60), // time between two canaries
  API_URL: z.string().min(1), // URL of this service, as its clients reach it
});

/** Environment of the tools for agents, which use the service as its clients do. */
export const McpEnv = z.object({ ...ReadEnv.shape, API_URL: CanaryEnv.shape.API_URL });

export type McpEnv = z.output<typeof McpEnv>;
export type CanaryEnv = z.output<typeof CanaryEnv>;
export type CorsEnv = z.output<typeof CorsEnv>;
export type ReadEnv = z.output<typeof ReadEnv>;
export type WaitEnv = z.output<typeof WaitEnv>;
export type TargetsEnv = z.output<typeof TargetsEnv>;
export type AuthEnv = z.output<typeof AuthEnv>;
export type StoreEnv = z.output<typeof StoreEnv>;
export type ReportEnv = z.output<typeof ReportEnv>;
export type RetentionEnv = z.output<typeof RetentionEnv>;
export type QueuesEnv = z.output<typeof QueuesEnv>;
export type AuditEnv = z.output<typeof AuditEnv>;
export type FieldDataEnv = z.output<typeof FieldDataEnv>;
export type DeliveryQueueEnv = z.output<typeof DeliveryQueueEnv>;
export type CloseEnv = z.output<typeof CloseEnv>;
export type SweepEnv = z.output<typeof SweepEnv>;
