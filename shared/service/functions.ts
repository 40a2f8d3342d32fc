import type { z } from 'zod';
import {
  AuditEnv,
  CanaryEnv,
  ComparisonEnv,
  CorsEnv,
  CreateEnv,
  DeliverEnv,
  DiscoverEnv,
  MarksEnv,
  McpEnv,
  PageSpeedEnv,
  ReadEnv,
  ReportReadEnv,
  RunsEnv,
  SchedulesEnv,
  SweepEnv,
  UploadsEnv,
  WaitEnv,
  WebhooksEnv,
  WebPageEnv,
} from './env.ts';
import type { FunctionRow } from './function-row.ts';
import type { ApiFunction, Route } from './routes.ts';

/** A function that answers or works at once. More CPU makes the first request of an instance faster. */
const quick = { timeoutSeconds: 10, memoryMb: 1024, architecture: 'arm64' } as const;

/** Actions of a function that reads a check of its owner, or of a share link. */
const reads = { check: ['Query'], share: ['GetItem'] } as const;
/** Actions of a function that also finds a run without the id of its check. */
const readsRuns = { ...reads, run: ['GetItem'] } as const;
/** Actions of a function beside a queue. infra/aws/updated-attributes.ts has the attributes that it may update. */
const worksOnRuns = {
  check: ['GetItem', 'Query'],
  openCheck: ['DeleteItem'],
  owner: ['GetItem'],
  latest: ['GetItem'],
} as const;
/** Actions of a function that closes or erases checks. */
const changesPages = { latest: ['GetItem', 'UpdateItem'] } as const;
/** Actions on secrets of a function that ends or erases checks. */
const endsSecrets = ['DeleteObject', 'ListBucket'] as const;
/** A function that reads a run's report. */
const reportReader = { ...quick, env: ReportReadEnv, table: readsRuns, reports: ['GetObject', 'ListBucket'] } as const;

/** Functions with a route that needs a key. */
type KeyFunction = Exclude<Route, { scope: 'public' }>['function'];
type BackgroundFunction = 'run-audit' | 'deliver-webhook' | 'sweep' | 'canary';
/** Name of a file in `functions/`, which is one Lambda function. */
export type FunctionName = ApiFunction | BackgroundFunction;

/** Actions of a function that creates checks. It fails a run whose job the queue refuses, which may end its check. */
const createsChecks = {
  check: ['GetItem', 'PutItem', 'Query', 'UpdateItem'],
  run: ['PutItem'],
  region: ['GetItem'],
  owner: ['GetItem', 'UpdateItem'],
  openCheck: ['DeleteItem', 'PutItem', 'Query'],
  ...changesPages,
} as const;

/** All functions, each with its variables, its resources and its rights. */
export const functionRows = {
  'create-check': {
    ...quick,
    env: CreateEnv,
    reserved: 'creates',
    table: createsChecks,
    secrets: ['PutObject', ...endsSecrets],
    fingerprintKey: ['GetObject', 'PutObject'],
  },
  'list-checks': { ...quick, env: ReadEnv, table: { check: ['Query'] }, index: 'list', reserved: 'reads' },
  'list-runs': { ...quick, env: RunsEnv, table: { check: ['Query'], fieldData: ['GetItem'] }, index: 'list' },
  'list-pages': { ...quick, env: ReadEnv, table: { latest: ['Query'] }, index: 'list' },
  'get-metrics': { ...quick, env: ReadEnv, index: 'list' },
  'get-check': { ...quick, env: ReadEnv, table: reads, reserved: 'reads' },
  'get-comparison': { ...quick, env: ComparisonEnv, table: { ...reads, latest: ['Query'] }, index: 'list' },
  'get-explanation': { ...reportReader, table: { check: ['Query'], latest: ['Query'] }, index: 'list' },
  'get-run': { ...quick, env: ReadEnv, table: readsRuns, reserved: 'reads' },
  'wait-check': {
    env: WaitEnv,
    timeoutSeconds: 29, // a wait takes up to 25 s, and API Gateway allows 30 s
    memoryMb: 256, // it mostly sleeps, so more memory would be wasted
    architecture: 'arm64',
    table: readsRuns,
    reserved: 'waits',
  },
  mcp: {
    env: McpEnv,
    timeoutSeconds: 29, // API Gateway ends a request after 30 s
    memoryMb: 512,
    architecture: 'arm64',
    reserved: 'agents', // it mostly waits for checks
  },
  'run-pagespeed': {
    ...quick,
    env: PageSpeedEnv,
    timeoutSeconds: 29, // API Gateway ends a request after 30 s
    localTimeoutSeconds: 295, // `fetch` of Node.js ends a request after 300 s
    reserved: 'agents', // it mostly waits for checks
    table: createsChecks,
    reports: ['GetObject', 'ListBucket'],
    secrets: endsSecrets, // its checks have none, but their end looks for them
  },
  'get-report': reportReader,
  'get-fixes': reportReader,
  'get-screenshot': reportReader,
  'judge-check': { ...reportReader, table: { check: ['Query'] } },
  'delete-check': {
    ...quick,
    env: ReportReadEnv,
    table: {
      check: ['DeleteItem', 'GetItem', 'PutItem', 'Query'],
      run: ['DeleteItem'],
      openCheck: ['DeleteItem'],
      share: ['DeleteItem', 'GetItem'],
      ...changesPages,
    },
    index: 'list', // for the results before those of the erased check
    reports: ['DeleteObject', 'ListBucket'],
    secrets: endsSecrets,
  },
  links: {
    ...quick,
    env: ReadEnv,
    table: {
      check: ['Query'],
      share: ['DeleteItem', 'GetItem', 'PutItem'],
      badge: ['DeleteItem', 'GetItem', 'PutItem'],
    },
    index: 'list',
  },
  webhooks: {
    ...quick,
    env: WebhooksEnv,
    table: {
      owner: ['PutItem'],
      webhook: ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
      delivery: ['GetItem', 'PutItem', 'Query', 'UpdateItem'],
    },
  },
  schedules: {
    ...quick,
    env: SchedulesEnv,
    table: { schedule: ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'] },
    scheduleSecrets: ['PutObject', 'DeleteObject'],
  },
  marks: { ...quick, env: MarksEnv, table: { mark: ['DeleteItem', 'GetItem', 'PutItem', 'Query'] }, index: 'list' },
  uploads: {
    ...quick,
    env: UploadsEnv,
    localTimeoutSeconds: 120, // a report waits for those before it
    table: {
      check: ['GetItem', 'PutItem', 'Query', 'UpdateItem'],
      run: ['PutItem'],
      owner: ['GetItem', 'UpdateItem'],
      openCheck: ['Query'],
      build: ['DeleteItem', 'GetItem', 'PutItem', 'UpdateItem'],
      upload: ['DeleteItem', 'PutItem', 'Query'],
      unsealed: ['DeleteItem', 'PutItem', 'Query', 'UpdateItem'],
      ...changesPages,
    },
    index: 'list',
    reports: ['DeleteObject', 'PutObject'],
  },
  discover: { ...quick, env: DiscoverEnv, table: { region: ['GetItem'] } },
  docs: { ...quick, env: CorsEnv },
  'sample-page': { ...quick, env: CorsEnv },
  'web-page': { ...quick, env: WebPageEnv },
  'run-audit': {
    env: AuditEnv,
    timeoutSeconds: 600,
    memoryMb: 3538, // on one vCPU, Lighthouse would slow the page that it measures
    architecture: 'x86_64', // of the packed Chromium
    // Space for the unpacked Chromium (221 MB), up to 150 MiB in the browser's cache, the trace and the report.
    storageMb: 1024,
    // DNS lookups may use half of the pool. Each audit's proxy runs up to six lookups at once, and unfinished lookups of
    // earlier pages keep their threads.
    threads: 64,
    table: worksOnRuns,
    reports: ['PutObject'],
    secrets: ['GetObject', ...endsSecrets],
  },
  // It mostly waits for receivers: at most 15 s for each of the five webhooks of an owner, at the same time.
  'deliver-webhook': {
    env: DeliverEnv,
    timeoutSeconds: 30,
    memoryMb: 256,
    architecture: 'arm64',
    table: {
      check: ['Query', 'UpdateItem'],
      webhook: ['Query', 'UpdateItem'],
      delivery: ['DeleteItem', 'GetItem', 'PutItem', 'UpdateItem'],
      schedule: ['Query', 'UpdateItem'], // it judges the checks of schedules
      fieldData: ['GetItem', 'UpdateItem'],
    },
    index: 'list',
    cruxKey: ['GetObject'],
  },
  sweep: {
    ...quick,
    timeoutSeconds: 60,
    env: SweepEnv,
    reserved: 'sweeps',
    table: {
      check: ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
      run: ['DeleteItem', 'GetItem', 'PutItem'],
      openCheck: ['DeleteItem', 'GetItem', 'PutItem', 'Query'],
      share: ['DeleteItem', 'GetItem'],
      owner: ['GetItem', 'UpdateItem'],
      delivery: ['UpdateItem'],
      region: ['GetItem'],
      schedule: ['DeleteItem', 'GetItem', 'UpdateItem'],
      ...changesPages,
    },
    index: ['open', 'list'],
    countsJobs: true,
    reports: ['DeleteObject', 'ListBucket'],
    secrets: ['PutObject', ...endsSecrets], // it creates the checks of schedules
    scheduleSecrets: ['GetObject', 'DeleteObject'],
    fingerprintKey: ['GetObject', 'PutObject'],
  },
  // It mostly sleeps, and may make its own key (infra/aws/canary.ts).
  canary: { ...quick, timeoutSeconds: 300, memoryMb: 256, env: CanaryEnv },
} as const satisfies Record<KeyFunction, FunctionRow<ReadEnv>> &
  Record<ApiFunction, FunctionRow<CorsEnv>> &
  Record<BackgroundFunction, FunctionRow>;

/** The parsed environment of a function. */
export type EnvOf<Name extends FunctionName> = z.output<(typeof functionRows)[Name]['env']>;
