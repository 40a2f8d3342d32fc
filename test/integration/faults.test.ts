import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { createCheck } from '../../functions/create-check.ts';
import { checkStore } from '../../functions/lib/store/checks.ts';
import { type Due, dueStore } from '../../functions/lib/store/due.ts';
import type { Db } from '../../functions/lib/store/dynamodb.ts';
import { erasureStore } from '../../functions/lib/store/erasure.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { keyStore } from '../../functions/lib/store/keys.ts';
import { type Lease, leaseStore } from '../../functions/lib/store/leases.ts';
import { usageStore } from '../../functions/lib/store/usage.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { sweep } from '../../functions/sweep.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { runError } from '../../shared/problems.ts';
import { plans } from '../../shared/service/plans.ts';
import { startFaultyTable } from '../support/faulty-table.ts';
import { aCheck, later, type World } from '../support/world.ts';

const { world, dynamodb, newDb } = await startFaultyTable();
let db: Db;
beforeEach(() => {
  db = newDb();
});

const body = { url: 'https://example.com/', auditVersion: 'latest', regions: ['europe-west3', 'us-east4'] };
const create = (
  headers: Record<string, string>,
  now = new Date(),
  queues: Pick<World['queues'], 'send' | 'regions'> = world.queues,
) =>
  createCheck({
    secrets: world.secrets,
    store: checkStore(db),
    due: world.due,
    queues,
    usage: world.usage,
    targets: { targets: 'public', ports: [443] },
    retentionDays: 90,
    trendDays: 400,
    now: () => now,
  })({
    owner: 'anonymous',
    requestId: randomUUID(),
    method: 'POST',
    path: '/v1/checks',
    params: {},
    query: {},
    headers,
    body,
  });
const sweepAt = (now: Date) => sweep({ ...world, now: () => now })({});
const jobs = async () => [...(await world.jobsIn('europe-west3')), ...(await world.jobsIn('us-east4'))];

// A create of two runs writes seven times: two runs, two pointers, the check, and two runs when their jobs are sent.
test.each([0, 1, 2, 3, 4])(
  'a create that fails after %i writes is invisible, and the sweeper deletes it',
  async (writes) => {
    const now = new Date('2031-01-01T00:00:00.000Z');
    const headers = { 'idempotency-key': randomUUID() };
    dynamodb.failAfter(writes);
    await expect(create(headers, now)).rejects.toThrow();
    expect(dynamodb.passed()).toBe(writes);
    dynamodb.heal();
    const open = async () =>
      (
        await Promise.all(
          (['europe-west3', 'us-east4', 'checks'] as const).map((of) =>
            world.due.list({ kind: of, shard: 0 }, later(now, 61), 100),
          ),
        )
      ).flat();
    const left = await open();
    for (const { pk } of left) expect(await world.store.findOfAnyOwner(pk.slice('CHECK#'.length))).toBeUndefined();
    await sweepAt(later(now, 61));
    expect(await open()).toEqual([]);
    expect(await jobs()).toEqual([]);
  },
);

test.each([0, 1, 2, 3, 4, 5, 6])('a repeated create completes one that failed after %i writes', async (writes) => {
  const now = new Date();
  const headers = { 'idempotency-key': randomUUID() };
  dynamodb.failAfter(writes);
  const first = await create(headers, now).catch(() => undefined);
  dynamodb.heal();
  const second = await create(headers, later(now, 1));
  expect(second.status).toBe(first ? 200 : 201);
  const { id, runs } = second.body as { id: string; runs: { id: string }[] };
  expect((await world.find(id)).runs.map((run) => run.id)).toEqual(runs.map((run) => run.id));
  for (const run of runs) expect(await world.store.checkIdOfRun(run.id, 'anonymous')).toBe(id);

  const sent = await jobs();
  await sweepAt(later(now, 62));
  sent.push(...(await jobs()));
  expect(new Set(sent.filter((job) => job.checkId === id).map((job) => job.runId))).toEqual(
    new Set(runs.map((run) => run.id)),
  );
});

test.each([1, 2, 3, 4, 5, 6, 7])(
  'a create succeeds once if the response of write %i is lost and the SDK retries it',
  async (nth) => {
    dynamodb.loseResponseOf(nth);
    const { status, body: check } = await create({});
    expect(dynamodb.passed()).toBeGreaterThan(7);
    expect(status).toBe(201);
    const { id } = check as { id: string };
    expect((await world.find(id)).runs.map(({ sends }) => sends)).toEqual([1, 1]);
    expect((await jobs()).filter((job) => job.checkId === id)).toHaveLength(2);
  },
);

test('a write without a response times out and is retried', async () => {
  dynamodb.failAfter(Number.POSITIVE_INFINITY);
  dynamodb.before((nth) => (nth === 1 ? new Promise(() => {}) : Promise.resolve()));
  const { status, body: check } = await create({});
  expect(status).toBe(201);
  expect((await world.find((check as { id: string }).id)).runs).toHaveLength(2);
}, 10_000);

/** Makes a write lose its first response, so that the SDK repeats it. */
const repeated = async <T>(write: () => Promise<T>): Promise<T> => {
  dynamodb.loseResponseOf(1);
  const result = await write();
  expect(dynamodb.passed()).toBe(2);
  dynamodb.heal();
  return result;
};

test('every conditional write that the SDK repeats recognises that it has succeeded', async () => {
  const now = new Date();
  const [due, leases, erasure] = [dueStore(db), leaseStore(db), erasureStore(db, world.reports)];
  const check = aCheck({ now });
  const [one, two] = (await world.create(check)) as [RunItem, RunItem];
  const listed = ({ id, dueAt = '', lease = { id: '', until: '' } }: RunItem): Required<Due> => ({
    pk: `CHECK#${check.id}`,
    sk: `RUN#${id}`,
    dueAt,
    lease,
  });
  const reread = async (run: RunItem) => (await world.store.findRunOfAnyOwner(run)) as RunItem;

  expect(await repeated(() => due.markSent(one, now))).toMatchObject({ sends: 2 });
  const lease = await repeated(async () => leases.claim(await reread(one), randomUUID(), now));
  expect(lease?.run).toMatchObject({ id: one.id, state: 'running', lease: { id: lease?.id } });
  expect(await leases.claim(one, randomUUID(), now)).toBeUndefined();
  expect(await repeated(() => leases.renew(lease as Lease, now))).toBe(true);
  expect(await repeated(() => leases.recordAttempt(lease as Lease, { attempts: [], samples: [] }))).toBe(true);
  expect(await repeated(() => due.hold({ ...listed(one), dueAt: later(now, 75).toISOString() }, now))).toBeDefined();
  expect(await repeated(async () => due.countLostLease(await reread(one), now))).toMatchObject({ lostLeases: 1 });
  expect(await repeated(async () => due.postpone(await reread(one), now))).toBeDefined();
  expect(await repeated(async () => due.wake(listed(await reread(one)), now))).toBeDefined();
  const again = (await leases.claim(await reread(one), randomUUID(), now)) as Lease;
  expect(await repeated(() => leases.release(again, now))).toBeDefined();
  await leases.claim(await reread(one), randomUUID(), now);
  expect(await repeated(async () => due.dropLease(listed(await reread(one)), now))).toBeDefined();
  expect(await repeated(async () => due.abandon(await reread(one), runError('abandoned'), now))).toBe(true);

  const held = (await leases.claim(two, randomUUID(), now)) as Lease;
  const failed = { state: 'failed' as const, attempts: [], error: runError('dns-failure') };
  dynamodb.loseResponseOf(1);
  expect(await leases.finish(held, failed, now)).toBe(true);
  dynamodb.heal();
  expect(await leases.finish(held, failed, later(now, 1))).toBe(true); // the function repeats the call
  expect(await reread(two)).toMatchObject({ state: 'failed', finishedAt: now.toISOString() });
  const { item } = await world.find(check.id);
  expect(await repeated(() => erasure.markErased(item, now))).toBe(true);
  expect(await erasure.markErased(item, now)).toBe(false);

  const fields = { owner: 'acme', name: 'n', scopes: [], plan: 'small' as const, expiresAt: null };
  const { key } = await repeated(() => keyStore(db).create(fields, now));
  expect(await repeated(() => keyStore(db).revoke(key.prefix, now))).toBe(true);
});

test('tokens are taken once if the response of the write was lost', async () => {
  const limits = usageStore(db);
  const [caller, now] = [{ owner: randomUUID(), plan: 'small' as const }, new Date()];
  dynamodb.loseResponseOf(1);
  const aCreate = () => ({ id: randomUUID(), createId: randomUUID(), audits: 1 });
  const taken = await limits.take(caller, aCreate(), now);
  expect(dynamodb.passed()).toBe(2);
  expect(taken).toMatchObject({ allowed: { buckets: { minute: 11 } } });
  const rest = await Promise.all(Array.from({ length: 12 }, () => world.usage.take(caller, aCreate(), now)));
  // The plan's limit of open checks applies. The first check counts once.
  expect(rest.filter((each) => 'allowed' in each)).toHaveLength(plans.small.openChecks - 1);
});

test('a check is created although its jobs could not be sent, and the sweeper sends them', async () => {
  const now = new Date();
  const send = () => Promise.reject(new Error('SQS is unavailable'));
  const { status, body: check } = await create({}, now, { send, regions: world.queues.regions });
  const { id } = check as { id: string };
  expect(status).toBe(201);
  expect((await jobs()).filter((job) => job.checkId === id)).toEqual([]);
  await sweepAt(later(now, 61));
  expect((await jobs()).filter((job) => job.checkId === id)).toHaveLength(2);
});

test('the result of a run is stored after the table was unavailable', async () => {
  const { body: check } = await create({});
  const [job] = (await jobs()).filter((each) => each.checkId === (check as { id: string }).id);
  if (!job) throw new Error('no job was sent');
  const metrics = { ...noMetrics, performance: 98 };
  const work = runAudit({
    secrets: world.secrets,
    store: checkStore(db),
    leases: leaseStore(db),
    reports: { put: async () => {} },
    auditors: {
      audit: async () => {
        dynamodb.failAfter(0);
        setTimeout(() => dynamodb.heal(), 1500);
        return { state: 'succeeded', metrics, ...emptyResult, finalUrl: 'https://example.com/' };
      },
    },
    retryDelaysMs: [500, 500, 500, 500, 500],
  });
  await work(job, () => 600_000);
  const run = (await world.find(job.checkId)).runs.find(({ id }) => id === job.runId);
  expect(run).toMatchObject({ state: 'succeeded', performance: 98, attempts: [{ number: 1 }] });
});

test('three deliveries of one job, two of them at once, are one audit', async () => {
  const { body: check } = await create({});
  const [job] = (await jobs()).filter((each) => each.checkId === (check as { id: string }).id);
  if (!job) throw new Error('no job was sent');
  let audits = 0;
  const work = runAudit({
    secrets: world.secrets,
    store: checkStore(db),
    leases: leaseStore(db),
    reports: { put: async () => {} },
    auditors: {
      audit: async () => {
        audits++;
        await new Promise((resolve) => setTimeout(resolve, 200));
        return { state: 'succeeded', metrics: { ...noMetrics }, ...emptyResult, finalUrl: 'https://example.com/' };
      },
    },
  });
  await Promise.all([work(job, () => 600_000), work(job, () => 600_000)]);
  await work(job, () => 600_000);
  expect(audits).toBe(1);
});
