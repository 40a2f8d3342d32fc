import { createCheck } from '../../functions/create-check.ts';
import { deleteCheck } from '../../functions/delete-check.ts';
import { waiting } from '../../functions/lib/http/waiting.ts';
import { auditQueues } from '../../functions/lib/queue/audit-queues.ts';
import { deadLetterQueues } from '../../functions/lib/queue/dead-letter-queues.ts';
import { deliveryQueue } from '../../functions/lib/queue/delivery-queue.ts';
import { watchByPolling } from '../../functions/lib/store/changes.ts';
import { checkStore } from '../../functions/lib/store/checks.ts';
import { deliveryStore } from '../../functions/lib/store/deliveries.ts';
import { dueStore } from '../../functions/lib/store/due.ts';
import { openDb } from '../../functions/lib/store/dynamodb.ts';
import { erasureStore } from '../../functions/lib/store/erasure.ts';
import { leaseStore } from '../../functions/lib/store/leases.ts';
import { linkStore } from '../../functions/lib/store/links.ts';
import { pageStore } from '../../functions/lib/store/listed-pages.ts';
import { listStore } from '../../functions/lib/store/lists.ts';
import { reports } from '../../functions/lib/store/reports.ts';
import { scheduleStore } from '../../functions/lib/store/schedules.ts';
import { secretStore } from '../../functions/lib/store/secrets.ts';
import { usageStore } from '../../functions/lib/store/usage.ts';
import { waitingStore } from '../../functions/lib/store/waiting.ts';
import { createLink, deleteLinks } from '../../functions/links.ts';
import { listChecks } from '../../functions/list-checks.ts';
import { listPages } from '../../functions/list-pages.ts';
import { listRuns } from '../../functions/list-runs.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { sweep } from '../../functions/sweep.ts';
import { waitCheck } from '../../functions/wait-check.ts';
import type { Region } from '../../shared/regions.ts';
import { TABLE } from './embedded-table.ts';
import { DAYS } from './item-promises.ts';
import type { Random } from './random.ts';
import { type Audits, simulatedAuditors } from './simulated-auditors.ts';

/** Regions of the simulated service. */
export const simulatedRegions = ['europe-west3', 'us-east4'] as const satisfies readonly Region[];

export const queueUrlOf = (region: Region): string => `http://127.0.0.1:9/queue/${region}`;
export const deadLettersUrlOf = (region: Region): string => `http://127.0.0.1:9/lost/${region}`;

const env = {
  TABLE_NAME: TABLE,
  HOME_REGION: 'us-west-2',
  OPEN_SHARDS: 2,
  REPORT_BUCKET: 'reports',
  DELIVERY_QUEUE: 'http://127.0.0.1:9/queue/deliveries',
  AUDIT_QUEUES: Object.fromEntries(simulatedRegions.map((region) => [region, queueUrlOf(region)])),
  DEAD_LETTER_QUEUES: Object.fromEntries(simulatedRegions.map((region) => [region, deadLettersUrlOf(region)])),
};

/** Settings of the SDK. Endpoints on loopback make its requests the same on every machine. Nothing listens there. */
export const sdkSettings = {
  AWS_ACCESS_KEY_ID: 'simulation',
  AWS_SECRET_ACCESS_KEY: 'simulation',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
};

/** The stores and the queues of one process, with SDK clients of its own. */
export const openParts = () => {
  const secrets = secretStore(env);
  const db = openDb(env, secrets);
  const bucket = reports(env);
  return {
    db,
    store: checkStore(db),
    due: dueStore(db),
    waiting: waitingStore(db),
    leases: leaseStore(db),
    usage: usageStore(db),
    lists: listStore(db),
    pages: pageStore(db),
    links: linkStore(db),
    wait: waiting(watchByPolling, new Map()),
    erasure: erasureStore(db, bucket),
    reports: bucket,
    secrets,
    queues: auditQueues(env),
    deadLetters: deadLetterQueues(env),
    schedules: scheduleStore(db),
    deliveries: deliveryStore(db),
    deliveryQueue: deliveryQueue(env),
  };
};
export type Parts = ReturnType<typeof openParts>;

const createsOf = (parts: Parts) => ({ ...parts, targets: { targets: 'public' as const, ports: [443] }, ...DAYS });

/** Returns the functions of the service as they run in one process. */
export const functionsOf = (parts: Parts, random: Random, audits: Audits, stopping: AbortSignal) => ({
  create: createCheck(createsOf(parts)),
  get: waitCheck(parts),
  delete: deleteCheck(parts),
  list: listChecks(parts),
  series: listRuns(parts),
  pages: listPages(parts),
  share: createLink(parts),
  revoke: deleteLinks(parts),
  audit: runAudit({ ...parts, auditors: simulatedAuditors(random, audits), stopping }),
  sweep: sweep({ ...parts, creates: createsOf(parts), now: () => new Date() }),
});
export type Functions = ReturnType<typeof functionsOf>;
