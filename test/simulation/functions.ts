import { setTimeout as sleep } from 'node:timers/promises';
import { emptyResult } from '../../functions/auditor/judge.ts';
import { closeLostRuns } from '../../functions/close-lost-runs.ts';
import { createCheck } from '../../functions/create-check.ts';
import { deleteCheck } from '../../functions/delete-check.ts';
import { getCheck } from '../../functions/get-check.ts';
import { auditQueues } from '../../functions/lib/queue/audit-queues.ts';
import { checkStore } from '../../functions/lib/store/checks.ts';
import { dueStore } from '../../functions/lib/store/due.ts';
import { openDb } from '../../functions/lib/store/dynamodb.ts';
import { erasureStore } from '../../functions/lib/store/erasure.ts';
import { leaseStore } from '../../functions/lib/store/leases.ts';
import { reports } from '../../functions/lib/store/reports.ts';
import { usageStore } from '../../functions/lib/store/usage.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { sweep } from '../../functions/sweep.ts';
import { noMetrics } from '../../shared/page-metrics.ts';
import { runError } from '../../shared/problems.ts';
import type { Region } from '../../shared/regions.ts';
import { TABLE } from './embedded-table.ts';
import type { Random } from './random.ts';

/** Regions of the simulated service. */
export const simulatedRegions = ['europe-west3', 'us-east4'] as const satisfies readonly Region[];

export const queueUrlOf = (region: Region): string => `http://127.0.0.1:9/queue/${region}`;

const env = {
  TABLE_NAME: TABLE,
  HOME_REGION: 'us-west-2',
  REPORT_BUCKET: 'reports',
  AUDIT_QUEUES: Object.fromEntries(simulatedRegions.map((region) => [region, queueUrlOf(region)])),
};

/** Settings of the SDK. Endpoints on loopback make its requests the same on every machine. Nothing listens there. */
export const sdkSettings = {
  AWS_ACCESS_KEY_ID: 'simulation',
  AWS_SECRET_ACCESS_KEY: 'simulation',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
};

/** The stores and the queues of one process, with SDK clients of its own. */
export const openParts = () => {
  const db = openDb(env);
  const bucket = reports(env);
  return {
    db,
    store: checkStore(db),
    due: dueStore(db),
    leases: leaseStore(db),
    usage: usageStore(db),
    erasure: erasureStore(db, bucket),
    reports: bucket,
    queues: auditQueues(env),
  };
};
export type Parts = ReturnType<typeof openParts>;

/** Returns the functions of the service as they run in one process. */
export const functionsOf = (parts: Parts, random: Random, stopping: AbortSignal) => ({
  create: createCheck({ ...parts, targets: { targets: 'public', ports: [443] }, retentionDays: 90, trendDays: 400 }),
  get: getCheck(parts),
  delete: deleteCheck(parts),
  audit: runAudit({ ...parts, auditors: simulatedAuditors(random), stopping, maxRetakes: 0 }),
  closeLostRuns: closeLostRuns(parts),
  sweep: sweep({ ...parts, now: () => new Date() }),
});
export type Functions = ReturnType<typeof functionsOf>;

const results = { succeeds: 12, 'page fails': 4, 'browser crashes': 3, throws: 1, 'times out': 1 };

const simulatedAuditors = (random: Random) => ({
  audit: async (_: unknown, signal: AbortSignal) => {
    const result = random.weighted(results);
    const seconds = result === 'times out' ? 120 : random.between(1, 110);
    await sleep(seconds * 1000, undefined, { signal });
    const gzip = Buffer.from(random.uuid());
    const report = { gzip, bytes: gzip.length };
    const failed = (code: Parameters<typeof runError>[0]) => ({
      ...emptyResult,
      state: 'failed' as const,
      error: runError(code),
    });
    if (result === 'throws') throw new Error('the auditor could not start');
    if (result === 'browser crashes') return failed('browser-crashed');
    if (result === 'times out') return failed('audit-timeout');
    if (result === 'page fails') return { ...failed('http-error'), report };
    return { ...emptyResult, state: 'succeeded' as const, metrics: { ...noMetrics, performance: 98 }, report };
  },
});
