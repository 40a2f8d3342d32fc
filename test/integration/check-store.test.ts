import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judge } from '../../functions/auditor/verdict/judge.ts';
import { clientSettings } from '../../functions/lib/aws-client.ts';
import { updateItem } from '../../functions/lib/store/dynamodb.ts';
import { ifExists } from '../../functions/lib/store/expressions.ts';
import { type RunItem, runKey } from '../../functions/lib/store/items.ts';
import type { Lease } from '../../functions/lib/store/leases.ts';
import { type Check, checkView } from '../../shared/check.ts';
import { MAX_SAMPLES } from '../../shared/options/audit-options.ts';
import { runError } from '../../shared/problems.ts';
import { RunView, runView } from '../../shared/run.ts';
import { audited, metrics, observed } from '../support/observation.ts';
import { aCheck, later, startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const claim = (run: RunItem, now?: Date): Promise<Lease> => world.claim(run, now);
const find = async (id: string): Promise<Check> => {
  const { item, runs } = await world.find(id);
  return { ...item, runs };
};
const succeeded = { state: 'succeeded' as const, attempts: [], performance: 98 };
const failed = { state: 'failed' as const, attempts: [], error: runError('internal') };

test('a check is read with all its fields and its runs in the order of its regions', async () => {
  const check = aCheck({ regions: ['us-west1', 'asia-northeast1', 'europe-west3'] });
  await world.create(check);
  const read = checkView(await find(check.id));
  expect(read).toEqual(checkView(check));
  expect(Object.keys(read.runs[0] ?? {}).sort()).toEqual(Object.keys(RunView.shape).sort());
});

test('a second create with the same id is rejected and changes nothing', async () => {
  const check = aCheck();
  await world.create(check);
  const again = {
    owner: 'anonymous',
    correlationId: 'c',
    fingerprint: 'other',
    createId: randomUUID(),
    expiresAt: new Date(),
    trendExpiresAt: new Date(),
    retentionDays: 90,
  };
  expect(await world.store.create(check, again)).toBeUndefined();
  expect((await world.find(check.id)).item.fingerprint).toBe('f');
});

test('only one of two deliveries of a job claims the run', async () => {
  const check = aCheck();
  const [run] = (await world.create(check)) as [RunItem];
  const [one, two] = await Promise.all([0, 1].map(() => world.leases.claim(run, randomUUID(), new Date())));
  expect([one, two].filter(Boolean)).toHaveLength(1);
  const shown = runView(await world.runOf(check.id));
  expect(shown).toMatchObject({ state: 'running', finishedAt: null });
  expect(shown.startedAt).toBe(shown.updatedAt);
});

test('a run can be claimed by a worker that read it before its job was sent again', async () => {
  const [run] = (await world.create(aCheck())) as [RunItem];
  await world.due.markSent(run, new Date());
  expect(await world.leases.claim(run, randomUUID(), new Date())).toBeDefined();
});

test('a claim replaces an expired lease and counts it; the old holder can write nothing more', async () => {
  const check = aCheck();
  const [run] = (await world.create(check)) as [RunItem];
  const now = new Date();
  const first = await claim(run, now);
  expect(await world.leases.claim(first.run, randomUUID(), later(now, 59))).toBeUndefined();
  const second = await claim(first.run, later(now, 61));
  expect(second.run.lostLeases).toBe(1);

  expect(await world.leases.renew(first, now)).toBe(false);
  expect(await world.leases.recordAttempt(first, { attempts: [], samples: [] })).toBe(false);
  expect(await world.leases.release(first, now)).toBeUndefined();
  expect(await world.leases.finish(first, succeeded, now)).toBe(false);
  expect(await world.leases.renew(second, later(now, 62))).toBe(true);
  expect((await world.runOf(check.id)).state).toBe('running');
});

test('a claim leaves a lease that its holder has renewed late, after the claim had read it', async () => {
  const [run] = (await world.create(aCheck())) as [RunItem];
  const now = new Date();
  const holder = await claim(run, now);
  expect(await world.leases.renew(holder, later(now, 61))).toBe(true);
  expect(await world.leases.claim(holder.run, randomUUID(), later(now, 62))).toBeUndefined();
  expect(await world.leases.finish(holder, succeeded, later(now, 63))).toBe(true);
});

test('a renewed lease changes nothing that clients see', async () => {
  const check = aCheck();
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await claim(run);
  const before = runView(await world.runOf(check.id));
  expect(await world.leases.renew(lease, later(new Date(), 15))).toBe(true);
  expect(runView(await world.runOf(check.id))).toEqual(before);
});

test('late writes do not change a finished run', async () => {
  const check = aCheck({ regions: ['us-west1'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await claim(run);
  expect(await world.leases.finish(lease, succeeded, new Date())).toBe(true);
  const done = await world.find(check.id);

  expect(await world.leases.finish(lease, failed, new Date())).toBe(false);
  expect(await world.leases.claim(run, randomUUID(), new Date())).toBeUndefined();
  expect(await world.due.abandon(lease.run, runError('abandoned'), new Date())).toBe(false);
  expect(await world.due.markSent(run, new Date())).toBeUndefined();
  expect(await world.find(check.id)).toEqual(done);
});

test('the last run to finish closes its check, and removes both from the index of open items', async () => {
  const check = aCheck();
  const [one, two] = (await world.create(check)) as [RunItem, RunItem];
  await world.leases.finish(await claim(one), succeeded, new Date());
  expect((await world.find(check.id)).item.completedAt).toBeNull();
  expect(checkView(await find(check.id)).state).toBe('running');
  const at = later(new Date(), 7);
  await world.leases.finish(await claim(two), failed, at);
  const closed = await world.find(check.id);
  expect(closed.item.completedAt).toBe(at.toISOString());
  expect(checkView({ ...closed.item, runs: closed.runs })).toMatchObject({
    state: 'partial',
    updatedAt: at.toISOString(),
  });

  const farAway = later(new Date(), 10 * 24 * 3600);
  const open = await Promise.all(
    (['europe-west3', 'us-east4', 'checks'] as const).map((of) =>
      world.due.list({ kind: of, shard: 0 }, farAway, 1000),
    ),
  );
  expect(open.flat().filter(({ pk }) => pk === `CHECK#${check.id}`)).toEqual([]);
});

test('two runs that finish at once close their check', async () => {
  const check = aCheck();
  const leases = await Promise.all((await world.create(check)).map((run) => claim(run)));
  await Promise.all(leases.map((lease, i) => world.leases.finish(lease, succeeded, later(new Date(), i))));
  expect((await world.find(check.id)).item.completedAt).not.toBeNull();
});

test('the item of a run with the most samples, each retaken, stays far below the limit of DynamoDB', async () => {
  const check = aCheck({ regions: ['us-west1'], samples: MAX_SAMPLES });
  const [run] = (await world.create(check)) as [RunItem];
  const sample = { ...metrics, cpuBusy: 0.123, contended: false };
  const samples = Array.from({ length: MAX_SAMPLES }, (_, i) => ({ ...sample, lcp: 912.3456789 + i }));
  const at = new Date().toISOString();
  const attempt = { startedAt: at, finishedAt: at, seconds: 10.123, code: null, auditCode: null, contended: true };
  const attempts = Array.from({ length: 2 * MAX_SAMPLES }, (_, i) => ({ number: i + 1, ...attempt }));
  await world.leases.finish(await claim(run), { ...succeeded, samples, attempts }, new Date());
  const stored = await world.runOf(check.id);
  expect(stored).toMatchObject({ samples, attempts });
  expect(JSON.stringify(stored).length).toBeLessThan(16_384); // 4 % of the limit. A write costs a unit for each KiB
});

test('the secrets of a page are not stored', async () => {
  const check = aCheck({ regions: ['us-west1'] });
  const [run] = (await world.create(check)) as [RunItem];
  const message = 'The page asked for https://user:hunter2@example.com/ with "Authorization: Bearer hunter2.x".';
  const end = audited({
    runtimeError: { code: 'SOMETHING_NEW', message },
    finalUrl: 'https://u:hunter2@a.example/',
    warnings: [message],
  });
  const { report: _, ...outcome } = { ...judge(observed(end)), interactions: undefined };
  await world.leases.finish(await claim(run), { ...outcome, attempts: [] }, new Date());
  const shown = runView(await world.runOf(check.id));
  expect(shown.warnings).toHaveLength(1);
  expect(shown.error?.message).toContain('example.com');
  expect(JSON.stringify(shown)).not.toContain('hunter2');
  expect(shown.finalUrl).toBe('https://a.example/');
});

test('a released run keeps its state and attempts, is due now, and can be claimed', async () => {
  const check = aCheck();
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await claim(run);
  const now = new Date();
  await world.leases.release(lease, now);
  const back = await world.runOf(check.id);
  expect(back).toMatchObject({ state: 'running', dueAt: now.toISOString(), lostLeases: 0 });
  expect(await world.leases.claim(back, randomUUID(), now)).toBeDefined();
});

test('every item has an expiry date', async () => {
  const check = aCheck();
  const [run] = (await world.create(check)) as [RunItem];
  const db = DynamoDBDocumentClient.from(new DynamoDBClient(clientSettings()));
  const items = [
    { Key: { pk: `CHECK#${check.id}`, sk: 'CHECK' }, days: 90 },
    { Key: { pk: `CHECK#${check.id}`, sk: `RUN#${run.id}` }, days: 90 },
    { Key: { pk: `RUN#${run.id}`, sk: 'RUN' }, days: 90 },
    { Key: { pk: `CHECK#${check.id}`, sk: `TREND#${run.id}` }, days: 400 },
  ];
  for (const { Key, days } of items) {
    const { Item } = await db.send(new GetCommand({ TableName: world.env.TABLE_NAME, Key }));
    expect(Item?.expiresAt, Key.sk).toBe(Math.floor(Date.parse(check.createdAt) / 1000) + days * 24 * 3600);
  }
});

test('an expired check is gone for its owner, and its id is free, before DynamoDB deletes its items', async () => {
  const check = aCheck({ regions: ['us-west1'] });
  const creation = { owner: 'anonymous', correlationId: 'c', fingerprint: 'f', retentionDays: 90 };
  const create = (expiresAt: Date) =>
    world.store.create(check, { ...creation, createId: randomUUID(), expiresAt, trendExpiresAt: expiresAt });
  const [run] = (await create(later(new Date(), -60))) as [RunItem];
  await world.leases.finish(await claim(run), succeeded, new Date());
  expect(await world.store.find(check.id, 'anonymous', new Date())).toBeUndefined();
  expect(await create(later(new Date(), 60))).toHaveLength(1);
  expect((await world.store.find(check.id, 'anonymous', new Date()))?.runs).toMatchObject([{ state: 'created' }]);
  expect(await world.store.find(check.id, 'anonymous', later(new Date(), 61))).toBeUndefined(); // by the caller's clock
  expect(await create(later(new Date(), 60))).toBeUndefined();
});

test('an item that does not match its schema causes an error that names the item', async () => {
  const check = aCheck();
  const [run] = (await world.create(check)) as [RunItem];
  await updateItem(world.db, runKey(check.id, run.id), { set: { performance: 'good' }, ...ifExists });
  await expect(world.store.findOfAnyOwner(check.id)).rejects.toThrow(`RUN#${run.id} can not be read`);
});
