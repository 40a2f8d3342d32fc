import { z } from 'zod';
import { recordOf } from '../shared/record.ts';
import { allRegions } from '../shared/regions.ts';
import { AllowedTarget } from '../shared/service/allowed-targets.ts';
import { Origin } from '../shared/service/env.ts';
import { reservedFor } from '../shared/service/function-row.ts';
import { MAX_OPEN_SHARDS } from '../shared/service/partitions.ts';
import { type Names, namesOf } from './names.ts';
import { reportLives } from './settings.ts';

const Host = z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'Set a host name, for example audit.example.com.');

/** Settings that differ between environments. */
const Row = z.strictObject({
  /** AWS region of table, reports and API. */
  homeRegion: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'Set the name of an AWS region, for example us-west-2.'),
  regions: z
    .array(z.enum(allRegions, { error: ({ input }) => `There is no region "${input}". Use ${allRegions.join(', ')}.` }))
    .min(1, 'List at least one region.'),
  retentionDays: z.literal(reportLives), // of checks and reports
  trendDays: z.int().min(1), // entries in the series of a URL
  logDays: z.literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365]), // some of the values that CloudWatch accepts
  auditsAtOnce: z.int().min(2, 'SQS needs a maximum of at least 2.').max(1000), // in each region
  /** Memory of the audit function. Below that of its row, audits share less CPU, and their scores are lower. */
  auditMemoryMb: z.int().min(1769).max(10_240).optional(),
  /**
   * Instances that audit beside Lambda in each region: at least one, and at most `instances`. Lambda takes jobs as eagerly as they
   * do, so `auditsAtOnce` should be low beside them. SCALE.md says from how many runs on they are cheaper.
   */
  workers: z.strictObject({ instances: z.int().min(1).max(200), spot: z.boolean() }).optional(),
  // Concurrency of each function by its `reserved` in shared/service/functions.ts. Null reserves none, and needs no quota.
  reserved: z.object(recordOf(reservedFor, () => z.int().positive())).nullable(),
  requests: z.object({ perSecond: z.number().positive(), burst: z.int().positive() }), // limit of each route
  // Limit of POST /v1/checks for all clients. It also counts requests without a key, so it is far above the plans' limits.
  creates: z.object({ perSecond: z.number().positive(), burst: z.int().positive() }),
  tableGeneration: z.int().min(1), // part of the table's name; RUNBOOK.md says how to move to the next one
  /**
   * Write units a second for which the table and its index of open items are prepared. By default DynamoDB prepares 4,000
   * on a new table, for 148 creates in six regions a second. It can't be lowered.
   */
  warmWrites: z.int().min(4000).max(40_000).optional(),
  /** Partitions of the index of open items, for each region and for checks. One does about 330 runs a second. */
  openShards: z.int().min(1).max(MAX_OPEN_SHARDS),
  /**
   * CloudFront with a rate rule of WAF before the API (infra/DEPLOY.md). Without it, clients use the API's own address.
   * CloudFront takes certificates of us-east-1 only, and API Gateway those of the home region only.
   */
  edge: z
    .strictObject({
      domain: Host,
      certificateArn: z.string().startsWith('arn:aws:acm:us-east-1:'),
      originDomain: Host, // at which CloudFront reaches API Gateway
      originCertificateArn: z.string().startsWith('arn:aws:acm:'),
      requestsPerFiveMinutes: z.int().min(100), // of one address
    })
    .optional(),
  /**
   * Hosts that may be audited although they are not public, for workers inside a network (infra/container/README.md).
   * Functions on Lambda reach public addresses only, so runs of theirs fail on such a host.
   */
  targetsAllow: z
    .array(
      z.string().refine((entry) => AllowedTarget.safeParse(entry).success, 'List hosts such as *.example.internal.'),
    )
    .default([]),
  /** True: checks have field data from the Chrome UX Report, and Google learns which public pages are checked (DEPLOY.md). */
  fieldData: z.boolean().default(false),
  corsOrigins: z.array(Origin), // origins whose pages may read the API's answers in a browser
  // Time in which a new version of an API function gets a tenth of the requests; without it all requests at once.
  shiftMinutes: z.literal([5, 10, 15]).optional(),
  // Time between two canaries, each in the next region; without it there is no canary.
  canaryMinutes: z.literal([15, 30, 60]).optional(),
  dashboard: z.boolean(), // costs more than all alarms of a small environment, so only those on call have it
  budgetDollars: z.int().positive(), // cost of a month at which AWS Budgets warns
  keepsData: z.boolean(), // keep table and reports when the stack is deleted
  deletionProtection: z.boolean(), // of the table and of every stack
});
type Row = z.output<typeof Row>;

export const environments = {
  // Fits an account without raised quotas: 10 concurrent executions, and 3,008 MB.
  trial: {
    homeRegion: 'us-west-2',
    regions: ['us-west1'],
    retentionDays: 7,
    trendDays: 7,
    logDays: 7,
    auditsAtOnce: 2,
    auditMemoryMb: 3008,
    reserved: null,
    requests: { perSecond: 20, burst: 40 },
    creates: { perSecond: 50, burst: 100 },
    tableGeneration: 1,
    openShards: 1,
    corsOrigins: [],
    dashboard: false,
    budgetDollars: 10,
    keepsData: false,
    deletionProtection: false,
  },
  dev: {
    homeRegion: 'us-west-2',
    regions: ['us-west1', 'europe-north1'], // each region has a fixed cost (npm run cost)
    retentionDays: 14,
    trendDays: 14,
    logDays: 7,
    auditsAtOnce: 2,
    reserved: null,
    requests: { perSecond: 20, burst: 40 },
    creates: { perSecond: 50, burst: 100 },
    tableGeneration: 1,
    openShards: 1,
    corsOrigins: [],
    dashboard: false,
    budgetDollars: 20,
    keepsData: false,
    deletionProtection: false,
  },
  staging: {
    homeRegion: 'us-west-2',
    regions: allRegions,
    retentionDays: 30,
    trendDays: 30,
    logDays: 14,
    auditsAtOnce: 5,
    reserved: { creates: 20, reads: 10, waits: 20, agents: 10, sweeps: 2 },
    requests: { perSecond: 50, burst: 100 },
    creates: { perSecond: 200, burst: 400 },
    tableGeneration: 1,
    openShards: 2,
    corsOrigins: [],
    shiftMinutes: 5,
    canaryMinutes: 60,
    dashboard: false,
    budgetDollars: 50,
    keepsData: false,
    deletionProtection: false,
  },
  prod: {
    homeRegion: 'us-west-2',
    regions: allRegions,
    retentionDays: 90,
    trendDays: 400,
    logDays: 90,
    auditsAtOnce: 50,
    reserved: { creates: 100, reads: 50, waits: 200, agents: 50, sweeps: 2 },
    requests: { perSecond: 500, burst: 1000 },
    creates: { perSecond: 1000, burst: 2000 },
    tableGeneration: 1,
    warmWrites: 12_000, // 444 creates in six regions a second: a burst of 50,000 checks in two minutes
    openShards: 8,
    corsOrigins: [],
    shiftMinutes: 10,
    canaryMinutes: 15,
    dashboard: true,
    budgetDollars: 500,
    keepsData: true,
    deletionProtection: true,
  },
  // A million checks of six regions a day: 69 runs a second on average, and 208 in the busiest minutes (SCALE.md).
  large: {
    homeRegion: 'us-west-2',
    regions: allRegions,
    retentionDays: 30, // each day adds 2.4 TB of reports
    trendDays: 400,
    logDays: 30,
    auditsAtOnce: 250,
    reserved: { creates: 150, reads: 50, waits: 400, agents: 100, sweeps: 2 },
    requests: { perSecond: 500, burst: 1000 },
    creates: { perSecond: 1000, burst: 2000 },
    tableGeneration: 1,
    warmWrites: 12_000,
    openShards: 8,
    corsOrigins: [],
    shiftMinutes: 10,
    canaryMinutes: 15,
    dashboard: true,
    budgetDollars: 100_000,
    keepsData: true,
    deletionProtection: true,
  },
} as const satisfies Record<string, z.input<typeof Row>>;

/** A validated environment: its row, its names, and the operator's settings. */
export type Environment = Readonly<Row> & {
  name: string;
  names: Names;
  account: string | undefined; // undefined: the account of the credentials that deploy it
  alarmEmail: string | undefined;
};

type OperatorSettings = { account?: string | undefined; alarmEmail?: string | undefined };

/** An invalid setting. The message says how to correct it. */
export class InvalidSettingError extends Error {}

/** Returns the environment with a name. Throws an InvalidSettingError if the name or a setting is invalid. */
export const environmentOf = (
  name: string,
  { account, alarmEmail }: OperatorSettings = {},
  rows: Readonly<Record<string, unknown>> = environments,
): Environment => {
  if (!Object.hasOwn(rows, name)) {
    throw new InvalidSettingError(`There is no environment "${name}". Use ${Object.keys(rows).join(', ')}.`);
  }
  const row = Row.safeParse(rows[name]);
  if (!row.success) {
    throw new InvalidSettingError(
      `The environment "${name}" in infra/environments.ts is invalid. Correct these settings:\n${z.prettifyError(row.error)}`,
    );
  }
  if (new Set(row.data.regions).size < row.data.regions.length) {
    throw new InvalidSettingError(
      `The environment "${name}" in infra/environments.ts lists a region twice. Remove one of them.`,
    );
  }
  if (alarmEmail && !z.email().safeParse(alarmEmail).success) {
    throw new InvalidSettingError(
      `"${alarmEmail}" is not an e-mail address. Set ALARM_EMAIL or -c alarmEmail=ops@example.com.`,
    );
  }
  if (account && !/^\d{12}$/.test(account)) {
    throw new InvalidSettingError(
      `"${account}" is not an AWS account id of twelve digits. Set -c account=123456789012.`,
    );
  }
  return {
    ...row.data,
    name,
    names: namesOf(name, row.data.tableGeneration),
    account: account || undefined,
    alarmEmail: alarmEmail || undefined,
  };
};
