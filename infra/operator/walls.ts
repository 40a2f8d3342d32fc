import type { Environment } from '../environments.ts';
import { perRun } from './cost-model.ts';

/** Public default quotas and limits of AWS. */
export const quotas = {
  lambdaConcurrency: 1000, // of an account in a region; AWS raises it on request
  unreserved: 100, // of these, which no function may reserve
  queueConcurrency: 1000, // largest maximum of a mapping from a queue to a function
  gatewayRequests: 10_000, // a second, of an account in a region
  freshTableWrites: 4000, // request units a second of a new table on demand
  tableWrites: 40_000, // request units a second of a table on demand
  partitionWrites: 1000, // request units a second of a partition of a table or an index
};

/** Request units that a run or the create of a check writes to its partition of the index of open items. */
export const openWrites = { run: 3, check: 2 };
/** The busiest minutes have so many times the runs of the average. */
const PEAK = 3;
const SECONDS = 30 * 24 * 3600;

/** A limit of an environment: runs a second that it allows, and runs a month if the peak is three times the average. */
type Wall = { name: string; perSecond: number; perMonth: number };

/** Returns the walls of an environment, the first one first. The runs are spread over all regions, so many in a check. */
export const wallsOf = (environment: Environment, runsOfCheck = 1): Wall[] => {
  const { regions, auditsAtOnce, reserved, requests, creates, openShards, warmWrites } = environment;
  const { waits = Infinity, reads = Infinity, creates: creating = Infinity } = reserved ?? {};
  const ofChecks = {
    '`reserved.waits`': waits / perRun.waitSeconds,
    '`requests.perSecond` of a route': requests.perSecond,
    '`creates.perSecond`': creates.perSecond,
    '`reserved.creates`': creating / perRun.apiSeconds,
    '`openShards`, for checks': (openShards * quotas.partitionWrites) / openWrites.check,
  };
  const ofRuns = {
    '`auditsAtOnce`': (regions.length * auditsAtOnce) / perRun.auditSeconds,
    '`warmWrites` of a new table': (warmWrites ?? quotas.freshTableWrites) / perRun.writes,
    '`reserved.reads`': reads / perRun.apiSeconds,
    'audits, at the limit of a queue and the quota of a region':
      (regions.length * Math.min(quotas.queueConcurrency, quotas.lambdaConcurrency)) / perRun.auditSeconds,
    'writes, at the quota of a table': quotas.tableWrites / perRun.writes,
    'requests, at the quota of API Gateway': quotas.gatewayRequests / perRun.apiRequests,
    '`openShards`, for runs': (regions.length * openShards * quotas.partitionWrites) / openWrites.run,
  };
  return [
    ...Object.entries(ofChecks).map(([name, each]) => ({ name, perSecond: each * runsOfCheck })),
    ...Object.entries(ofRuns).map(([name, each]) => ({ name, perSecond: each })),
  ]
    .map((wall) => ({ ...wall, perMonth: (wall.perSecond / PEAK) * SECONDS }))
    .sort((a, b) => a.perSecond - b.perSecond);
};

/** Returns the runs a second in the busiest minutes of a month with so many runs. */
export const peakOf = (runsAMonth: number): number => (runsAMonth / SECONDS) * PEAK;
