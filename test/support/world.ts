import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientSettings } from '../../functions/lib/aws-client.ts';
import { createDeps } from '../../functions/lib/checks/create-check.ts';
import { auditQueues } from '../../functions/lib/queue/audit-queues.ts';
import { closingDb } from '../../functions/lib/queue/closing-db.ts';
import { deadLetterQueues } from '../../functions/lib/queue/dead-letter-queues.ts';
import { deliveryQueue } from '../../functions/lib/queue/delivery-queue.ts';
import { assertReport } from '../../functions/lib/runs/assert-report.ts';
import { type Creation, checkStore } from '../../functions/lib/store/checks.ts';
import { deliveryStore } from '../../functions/lib/store/deliveries.ts';
import { dueStore } from '../../functions/lib/store/due.ts';
import { erasureStore } from '../../functions/lib/store/erasure.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { keyStore } from '../../functions/lib/store/keys.ts';
import { type Lease, leaseStore, type Outcome } from '../../functions/lib/store/leases.ts';
import { regionStore } from '../../functions/lib/store/regions.ts';
import { reportKey, reports } from '../../functions/lib/store/reports.ts';
import { scheduleStore } from '../../functions/lib/store/schedules.ts';
import { secretStore } from '../../functions/lib/store/secrets.ts';
import { usageStore } from '../../functions/lib/store/usage.ts';
import { waitingStore } from '../../functions/lib/store/waiting.ts';
import { webhookStore } from '../../functions/lib/store/webhooks.ts';
import { startAws } from '../../infra/local/aws.ts';
import { type Check, type CheckInputs, newCheck } from '../../shared/check.ts';
import { allRegions, type Region } from '../../shared/regions.ts';
import { AuditJob } from '../../shared/service/audit-job.ts';
import { CreateEnv, ReportReadEnv, SweepEnv } from '../../shared/service/env.ts';

type Engines = Parameters<typeof startAws>[0];

/** Starts local engines, in memory unless there is a `dataDir`, and sets `process.env` for the functions. */
export const startEngines = async (env: Record<string, string> = {}, engines: Partial<Engines> = {}) => {
  const aws = await startAws({ regions: allRegions, ...engines });
  Object.assign(process.env, aws.env, { AUTH: 'open', POWERTOOLS_METRICS_DISABLED: 'true' }, env);
  return aws;
};

/** Starts local engines and returns the stores and builders that most tests need. */
export const startWorld = async (env: Record<string, string> = {}, engines: Partial<Engines> = {}) => {
  const aws = await startEngines(env, engines);
  const world = worldHere();
  const stop = async () => {
    world.sqs.destroy();
    await aws.close();
  };
  return { ...world, aws, env: aws.env, stop, [Symbol.asyncDispose]: stop };
};

/** Returns the stores and builders for the engines in `process.env`. */
export const worldHere = () => {
  const secrets = secretStore(CreateEnv.parse(process.env));
  const db = closingDb(CreateEnv.parse(process.env), secrets);
  const store = checkStore(db);
  const leases = leaseStore(db);
  const queues = auditQueues(CreateEnv.parse(process.env));
  const deadLetters = deadLetterQueues(SweepEnv.parse(process.env));
  const sqs = new SQSClient(clientSettings());
  const urls = JSON.parse(process.env.AUDIT_QUEUES as string) as Record<Region, string>;

  const create = async (
    check: Check,
    {
      owner = 'anonymous',
      fingerprint = 'f',
      createId = randomUUID() as string,
      retentionDays = 90,
      expiresAt = inDays(check, 90),
      trendExpiresAt = inDays(check, 400),
    }: Partial<Creation> = {},
  ): Promise<RunItem[]> => {
    const runs = await store.create(check, {
      owner,
      correlationId: 'c',
      fingerprint,
      createId,
      retentionDays,
      expiresAt,
      trendExpiresAt,
    });
    if (!runs) throw new Error('the check exists already');
    return runs;
  };

  /** Receives and deletes the jobs that wait in a region's queue. */
  const jobsIn = async (region: Region): Promise<AuditJob[]> => {
    const receive = new ReceiveMessageCommand({ QueueUrl: urls[region], MaxNumberOfMessages: 10 });
    const { Messages = [] } = await sqs.send(receive);
    for (const { ReceiptHandle } of Messages)
      await sqs.send(new DeleteMessageCommand({ QueueUrl: urls[region], ReceiptHandle }));
    return Messages.map((message) => AuditJob.strict().parse(JSON.parse(message.Body ?? '')));
  };

  const find = async (id: string) => {
    const found = await store.findOfAnyOwner(id);
    if (!found) throw new Error(`there is no check ${id}`);
    return found;
  };
  const runOf = async (id: string, i = 0): Promise<RunItem> => (await find(id)).runs[i] as RunItem;

  const bucket = reports(ReportReadEnv.parse(process.env));

  /** Stores a gzipped report. Returns what its run has of it. */
  const storeReport = async (run: RunItem, gzip: Buffer, bytes = gunzipSync(gzip).length) => {
    const key = reportKey({ id: randomUUID(), run }, 1);
    await bucket.put(key, gzip);
    return { key, bytes, gzipBytes: gzip.length };
  };

  const keys = keyStore(db);
  /** Creates an API key of the larger plan that may do everything. Returns its text and what is stored. */
  const newKey = (fields: Partial<Parameters<typeof keys.create>[0]> = {}, now = new Date()) => {
    const scopes = [
      'checks:read' as const,
      'checks:write' as const,
      'webhooks:write' as const,
      'schedules:write' as const,
    ];
    return keys.create({ owner: 'acme', name: 'test', scopes, plan: 'large', expiresAt: null, ...fields }, now);
  };

  /** Claims a run as an auditor does. */
  const claim = async (run: RunItem, now = new Date()): Promise<Lease> => {
    const lease = await leases.claim(run, randomUUID(), now);
    if (!lease) throw new Error('another worker has the run');
    return lease;
  };

  /** Finishes a run as an auditor does. */
  const finish = async (
    run: RunItem,
    { attempts = [], ...outcome }: Finished = passed,
    now = new Date(),
  ): Promise<void> => {
    await leases.finish(await claim(run, now), { attempts, ...outcome }, now);
  };

  /** Finishes a run with this report. Judges the report by the assertions of the check, as an auditor does. */
  const finishWith = async (run: RunItem, gzip: Buffer, change: Partial<Finished> = {}): Promise<void> => {
    const outcome = { ...passed, ...change };
    const assertions = await store.assertionsOf(run.checkId);
    const { environment = null, samples = [] } = outcome;
    const judged = assertions && (await assertReport(gzip, assertions, { environment, samples }));
    await finish(run, {
      ...outcome,
      ...(judged && { assertions: judged.results, warnings: judged.notes }),
      report: await storeReport(run, gzip),
    });
  };

  /** Creates a finished run whose report has this text. Returns the path of the report too. */
  const finishedRun = async (json: string, { gzip = gzipSync(json) as Buffer } = {}) => {
    const check = aCheck({ regions: ['us-west1'] });
    const [run] = (await create(check)) as [RunItem];
    await finish(run, { ...passed, report: await storeReport(run, gzip, Buffer.byteLength(json)) });
    return { check, run, path: `/v1/checks/${check.id}/runs/${run.id}/report` };
  };

  return {
    db,
    secrets,
    store,
    leases,
    due: dueStore(db),
    waiting: waitingStore(db),
    deadLetters,
    erasure: erasureStore(db, bucket),
    keys,
    newKey,
    usage: usageStore(db),
    webhooks: webhookStore(db),
    deliveries: deliveryStore(db),
    deliveryQueue: deliveryQueue(CreateEnv.parse(process.env)),
    schedules: scheduleStore(db),
    creates: createDeps(CreateEnv.parse(process.env), db, secrets),
    regions: regionStore(db),
    queues,
    sqs,
    urls,
    reports: bucket,
    storeReport,
    claim,
    finish,
    finishWith,
    create,
    finishedRun,
    jobsIn,
    find,
    runOf,
  };
};

const inDays = ({ createdAt }: Check, days: number): Date => later(new Date(createdAt), days * 24 * 3600);

type Finished = Omit<Outcome, 'attempts'> & Partial<Pick<Outcome, 'attempts'>>;

/** The result of a run if a test reads no other. */
export const passed = { state: 'succeeded', performance: 98 } as const;

export type World = Awaited<ReturnType<typeof startWorld>>;

/** Returns a new check of one page in two regions. */
export const aCheck = ({ now = new Date(), ...inputs }: Partial<CheckInputs> & { now?: Date } = {}): Check => {
  const all: CheckInputs = {
    url: 'https://example.com/',
    auditVersion: '13.5.0',
    regions: ['europe-west3', 'us-east4'],
    ...inputs,
  };
  return newCheck(all, { id: randomUUID(), runIds: all.regions.map(() => randomUUID()), now });
};

export const later = (date: Date, seconds: number): Date => new Date(date.getTime() + seconds * 1000);
