import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { emptyResult } from '../../functions/auditor/judge.ts';
import { createCheck } from '../../functions/create-check.ts';
import { checkStore } from '../../functions/lib/store/checks.ts';
import { type Db, openDb } from '../../functions/lib/store/dynamodb.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { leaseStore } from '../../functions/lib/store/leases.ts';
import { usageStore } from '../../functions/lib/store/usage.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { sweep } from '../../functions/sweep.ts';
import { noMetrics } from '../../shared/page-metrics.ts';
import { plans } from '../../shared/plans.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { later, startWorld, type World } from '../support/world.ts';

/** A world whose DynamoDB and S3 can be cut off; `db` goes through the fault, `world.db` does not. */
let world: World;
let dynamodb: Awaited<ReturnType<typeof startFaultProxy>>;
let db: Db;
beforeAll(async () => {
  world = await startWorld();
  await world.find(randomUUID()).catch(() => {}); // its client has its endpoint now
  const isWrite = (headers: Record<string, unknown>) => /PutItem|UpdateItem/.test(String(headers['x-amz-target']));
  dynamodb = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB as string, isWrite);
  process.env.AWS_ENDPOINT_URL_DYNAMODB = dynamodb.url;
});
beforeEach(() => {
  // A new client for each: one that has failed much tries nothing again.
  db = openDb({ TABLE_NAME: world.env.TABLE_NAME as string, HOME_REGION: world.env.HOME_REGION as string });
});
afterEach(() => dynamodb.heal());
afterAll(async () => {
  await dynamodb.stop();
  await world.stop();
});

const body = { url: 'https://example.com/', auditVersion: 'latest', regions: ['europe-west3', 'us-east4'] };
const create = (
  headers: Record<string, string>,
  now = new Date(),
  queues: Pick<World['queues'], 'send' | 'regions'> = world.queues,
) =>
  createCheck({
    store: checkStore(db),
    queues,
    usage: world.usage,
    targets: { targets: 'public', ports: [443] },
    retentionDays: 90,
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

// Two runs and their pointers, the check, two notes that a job is sent: seven writes.
test.each([0, 1, 2, 3, 4])('a create that dies after %i writes shows nothing, and is cleared away', async (writes) => {
  const now = new Date('2031-01-01T00:00:00.000Z');
  const headers = { 'idempotency-key': randomUUID() };
  dynamodb.failFrom(writes);
  await expect(create(headers, now)).rejects.toThrow();
  expect(dynamodb.passed()).toBe(writes);
  dynamodb.heal();
  const open = async () =>
    (
      await Promise.all(
        (['europe-west3', 'us-east4', 'checks'] as const).map((of) => world.due.list(of, later(now, 61), 100)),
      )
    ).flat();
  const left = await open();
  for (const { pk } of left) expect(await world.store.find(pk.slice('CHECK#'.length))).toBeUndefined();
  await sweepAt(later(now, 61));
  expect(await open()).toEqual([]);
  expect(await jobs()).toEqual([]);
});

test.each([0, 1, 2, 3, 4, 5, 6])(
  'a create that dies after %i writes and is repeated ends as one whole check',
  async (writes) => {
    const now = new Date();
    const headers = { 'idempotency-key': randomUUID() };
    dynamodb.failFrom(writes);
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
  },
);

test.each([1, 2, 3, 4, 5, 6, 7])(
  'a create whose write no. %i is done and not answered, and sent again by the SDK, ends as one whole check',
  async (nth) => {
    dynamodb.loseResponseOf(nth);
    const { status, body: made } = await create({});
    expect(dynamodb.passed()).toBeGreaterThan(7);
    expect(status).toBe(201);
    const { id } = made as { id: string };
    expect((await world.find(id)).runs.map(({ sends }) => sends)).toEqual([1, 1]);
    expect((await jobs()).filter((job) => job.checkId === id)).toHaveLength(2);
  },
);

test('a write that is not answered at all is given up and sent again', async () => {
  dynamodb.failFrom(Number.POSITIVE_INFINITY);
  dynamodb.before((nth) => (nth === 1 ? new Promise(() => {}) : Promise.resolve()));
  const { status, body: made } = await create({});
  expect(status).toBe(201);
  expect((await world.find((made as { id: string }).id)).runs).toHaveLength(2);
}, 10_000);

test('a claim that is done and not answered is a claim, and nobody else has it', async () => {
  const { body: made } = await create({});
  const [run] = (await world.find((made as { id: string }).id)).runs as [RunItem];
  dynamodb.loseResponseOf(1);
  const lease = await leaseStore(db).claim(run, randomUUID(), new Date());
  expect(dynamodb.passed()).toBe(2);
  expect(lease?.run).toMatchObject({ id: run.id, state: 'running', lease: { id: lease?.id } });
  expect(await leaseStore(db).claim(run, randomUUID(), new Date())).toBeUndefined();
});

test('tokens whose taking is done and not answered are taken once', async () => {
  const limits = usageStore(db);
  const [caller, now] = [{ owner: randomUUID(), plan: 'small' as const }, new Date()];
  dynamodb.loseResponseOf(1);
  const { headers } = await limits.take(caller, 1, now);
  expect(dynamodb.passed()).toBe(2);
  expect(headers.ratelimit).toMatch(/^"minute";r=11;/);
  const rest = await Promise.allSettled(Array.from({ length: 12 }, () => world.usage.take(caller, 1, now)));
  // The plan's own bound on checks that are open at once: one of them is this one, counted once.
  expect(rest.filter(({ status }) => status === 'fulfilled')).toHaveLength(plans.small.openChecks - 1);
});

test('a check whose jobs could not be queued is created all the same, and queued by the sweeper', async () => {
  const now = new Date();
  const send = () => Promise.reject(new Error('SQS is away'));
  const { status, body: made } = await create({}, now, { send, regions: world.queues.regions });
  const { id } = made as { id: string };
  expect(status).toBe(201);
  expect((await jobs()).filter((job) => job.checkId === id)).toEqual([]);
  await sweepAt(later(now, 61));
  expect((await jobs()).filter((job) => job.checkId === id)).toHaveLength(2);
});

test('a store that is away while a run is finished gets the result when it is back', async () => {
  const { body: made } = await create({});
  const [job] = (await jobs()).filter((each) => each.checkId === (made as { id: string }).id);
  if (!job) throw new Error('no job was sent');
  const metrics = { ...noMetrics, performance: 98 };
  const work = runAudit({
    store: checkStore(db),
    leases: leaseStore(db),
    reports: { put: async () => {}, delete: async () => {} },
    auditors: {
      audit: async () => {
        dynamodb.failFrom(0);
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

test('the same job twice, at once and again, is one audit', async () => {
  const { body: made } = await create({});
  const [job] = (await jobs()).filter((each) => each.checkId === (made as { id: string }).id);
  if (!job) throw new Error('no job was sent');
  let audits = 0;
  const work = runAudit({
    store: checkStore(db),
    leases: leaseStore(db),
    reports: { put: async () => {}, delete: async () => {} },
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
