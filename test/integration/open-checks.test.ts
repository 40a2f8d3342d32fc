import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test, vi } from 'vitest';
import { createCheck } from '../../functions/create-check.ts';
import { deleteCheck } from '../../functions/delete-check.ts';
import { checkStore } from '../../functions/lib/store/checks.ts';
import { type Db, getItem } from '../../functions/lib/store/dynamodb.ts';
import { erasureStore } from '../../functions/lib/store/erasure.ts';
import { usageKey } from '../../functions/lib/store/items.ts';
import { leaseStore } from '../../functions/lib/store/leases.ts';
import { openCheckIds, putOpenCheck } from '../../functions/lib/store/open-checks.ts';
import { type Taken, usageStore } from '../../functions/lib/store/usage.ts';
import { sweep } from '../../functions/sweep.ts';
import { CHECK_LOOK_MS } from '../../shared/service/due-times.ts';
import { plans } from '../../shared/service/plans.ts';
import { startFaultyTable } from '../support/faulty-table.ts';
import { later, type World } from '../support/world.ts';
import { recordWriteUnits, sumOf } from '../support/write-units.ts';

const { world, dynamodb, newDb } = await startFaultyTable();
let db: Db;
beforeEach(() => {
  db = newDb();
});

const t0 = new Date('2131-01-01T12:00:00.000Z');
const anOwner = () => ({ owner: `owner-${randomUUID()}`, plan: 'small' as const });
type Owner = ReturnType<typeof anOwner>;
const aCheck = () => ({ id: randomUUID(), createId: randomUUID(), audits: 1 });
const usageOf = ({ owner }: Owner) => getItem(world.db, usageKey(owner));
/** Returns the number of checks that count as open: those that are stored, and those of creates at work. */
const openOf = async (owner: Owner) => {
  const creating = Object.keys((await usageOf(owner))?.creating ?? {});
  return new Set([...creating, ...(await openCheckIds(world.db, owner.owner, t0))]).size;
};
const tokensOf = async (owner: Owner) => (await usageOf(owner))?.['tokens-small'] as { minute: number; day: number };

const allowed = (taken: Taken) => {
  if ('refused' in taken) throw new Error('the create was refused');
  return taken.allowed;
};

type Stores = Pick<World, 'store' | 'usage' | 'erasure' | 'leases'>;
const cut = (): Stores => ({
  store: checkStore(db),
  usage: usageStore(db),
  erasure: erasureStore(db, world.reports),
  leases: leaseStore(db),
});
const requestOf = ({ owner, plan }: Owner, headers: Record<string, string> = {}) => ({
  owner,
  plan,
  requestId: randomUUID(),
  path: '/v1/checks',
  query: {},
  headers,
});
const create = async (
  of: Owner,
  { headers = {}, stores = world as Stores, now = t0, url = 'https://example.com/' } = {},
) => {
  const { store, usage } = stores;
  const targets = { targets: 'public' as const, ports: [443] };
  const body = { url, auditVersion: 'latest', regions: ['us-west1'] };
  const { secrets, due, queues } = world;
  const deps = { store, secrets, due, usage, queues, targets, retentionDays: 90, trendDays: 400 };
  const handle = createCheck({ ...deps, now: () => now });
  const reply = await handle({ ...requestOf(of, headers), method: 'POST', params: {}, body });
  return { status: reply.status, id: (reply.body as { id: string }).id };
};
const erase = (of: Owner, checkId: string, { store, erasure }: Stores = world) =>
  deleteCheck({ store, erasure, now: () => t0 })({
    ...requestOf(of),
    method: 'DELETE',
    params: { checkId },
    body: undefined,
  });
const finish = async (checkId: string, { leases }: Stores = world) => {
  const [run] = (await world.find(checkId)).runs;
  const lease = run && (await world.leases.claim(run, randomUUID(), t0));
  if (lease) await leases.finish(lease, { state: 'succeeded', attempts: [] }, t0);
};
const putOf = (Item: Record<string, unknown>) => new PutCommand({ TableName: world.db.table, Item });
const putOpen = async ({ owner }: Owner, count: number) => {
  const expiresAt = later(t0, 24 * 3600).getTime() / 1000;
  for (let i = 0; i < count; i++) await putOpenCheck(world.db, { owner, id: randomUUID(), createId: 'c', expiresAt });
};
const sweepAt = (now: Date) => sweep({ ...world, now: () => now })({});

test('a create that dies after its take is counted once, however often its Idempotency-Key is repeated', async () => {
  const owner = anOwner();
  const dies = { ...world, store: { ...world.store, create: () => new Promise<never>(() => {}) } };
  const headers = { 'idempotency-key': randomUUID() };
  for (let i = 0; i < 3; i++) {
    void create(owner, { headers, stores: dies, now: later(t0, i) });
    await expect.poll(() => openOf(owner)).toBe(1);
  }
  expect((await create(owner, { headers, now: later(t0, 5) })).status).toBe(201);
  expect([await openOf(owner), (await tokensOf(owner)).day]).toEqual([1, 199]);
});

test('a repeated create that asks for more audits takes the missing tokens', async () => {
  const owner = anOwner();
  const { id } = aCheck();
  await world.usage.take(owner, { ...aCheck(), id, audits: 2 }, t0);
  await world.usage.take(owner, { ...aCheck(), id, audits: 6 }, later(t0, 1));
  await world.usage.take(owner, { ...aCheck(), id, audits: 1 }, later(t0, 2));
  expect([await openOf(owner), Math.floor((await tokensOf(owner)).day)]).toEqual([1, 194]);
});

test('a create whose take got no response at all costs nothing', async () => {
  const owner = anOwner();
  dynamodb.loseResponseOf(1, 2, 3, 4); // every try of the SDK
  await expect(create(owner, { stores: cut() })).rejects.toThrow();
  expect([await openOf(owner), (await tokensOf(owner)).day]).toEqual([0, 200]);
});

test('a take that the SDK repeats after another create came in between counts once', async () => {
  const owner = anOwner();
  await world.usage.take(owner, aCheck(), t0); // the buckets exist, so that both takes subtract
  dynamodb.loseResponseOf(1);
  dynamodb.before(async (nth) => {
    if (nth === 2) await world.usage.take(owner, aCheck(), later(t0, 1));
  });
  await usageStore(db).take(owner, aCheck(), later(t0, 1));
  expect(dynamodb.passed()).toBe(2);
  expect([await openOf(owner), Math.floor((await tokensOf(owner)).day)]).toEqual([3, 197]);
});

test('a refund that the SDK repeats returns the tokens once', async () => {
  const owner = anOwner();
  const { refund } = allowed(await usageStore(db).take(owner, aCheck(), t0));
  dynamodb.loseResponseOf(1);
  await refund();
  await refund();
  expect([await openOf(owner), (await tokensOf(owner)).day]).toEqual([0, 200]);
});

test('creates of one check at the same time differ by their ids', async () => {
  const owner = anOwner();
  const check = aCheck();
  const first = allowed(await world.usage.take(owner, check, t0));
  await world.usage.take(owner, { ...check, createId: randomUUID(), audits: 3 }, t0);
  await first.refund(); // the entry belongs to the second create
  expect([await openOf(owner), (await tokensOf(owner)).day]).toEqual([1, 197]);
});

test('a create at the limit counts again, so that closed and erased checks make room', async () => {
  const owner = anOwner();
  const ids = [];
  for (let i = 0; i < plans.small.openChecks; i++) ids.push((await create(owner)).id);
  await expect(create(owner)).rejects.toMatchObject({ code: 'too-many-requests' });
  expect(await usageOf(owner)).toMatchObject({ creating: {}, openAtMost: 10 });
  await finish(ids[0] as string);
  await erase(owner, ids[1] as string);
  expect((await usageOf(owner))?.openAtMost).toBe(10); // the end of a check writes no usage
  const made = await Promise.allSettled(Array.from({ length: 5 }, () => create(owner, { now: later(t0, 30) })));
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect([await openOf(owner), (await usageOf(owner))?.openAtMost]).toEqual([10, 10]);
});

test('a recount that the SDK repeats, or that meets another one, lowers the bound once', async () => {
  const owner = anOwner();
  await putOpen(owner, 7);
  await world.usage.take(owner, aCheck(), t0);
  await world.db.client.send(putOf({ ...(await usageOf(owner)), openAtMost: 10, creating: {} }));
  dynamodb.loseResponseOf(1); // of the recount
  const taken = await Promise.all([usageStore(db).take(owner, aCheck(), t0), world.usage.take(owner, aCheck(), t0)]);
  taken.map(allowed);
  expect(await usageOf(owner)).toMatchObject({ openAtMost: 9 });
});

test('a create that dies before its check counts until the sweeper deletes its runs', async () => {
  const owner = anOwner();
  const [nothing, runsOnly] = [cut(), cut()];
  dynamodb.failAfter(1); // only the take succeeds
  await expect(create(owner, { stores: nothing })).rejects.toThrow();
  dynamodb.heal();
  expect(await openOf(owner)).toBe(1);
  dynamodb.failAfter(5); // the take, the run with its pointer and entry, and the open check
  const last = new Date(t0.getTime() + 7); // the sweep has seen by then that the queue holds jobs
  await expect(create(owner, { stores: runsOnly, now: last })).rejects.toThrow();
  dynamodb.heal();
  expect(await openOf(owner)).toBe(2);
  await sweepAt(later(t0, 61));
  await create(owner, { now: later(t0, 61) });
  expect(await openOf(owner)).toBe(1);
});

test('a refund that fails is made up for at the limit', async () => {
  const owner = anOwner();
  for (let i = 0; i < plans.small.openChecks; i++) {
    const stores = cut();
    dynamodb.failAfter(1); // only the take succeeds
    await expect(create(owner, { stores })).rejects.toThrow();
    dynamodb.heal();
  }
  expect(await openOf(owner)).toBe(plans.small.openChecks);
  expect((await create(owner, { now: later(t0, 61) })).status).toBe(201);
  expect(await openOf(owner)).toBe(1);
}, 60_000);

test.each([1, 2, 3, 4])(
  'a check whose closing loses the response of write %i or all later ones counts no more',
  async (nth) => {
    const owner = anOwner();
    const [lost, dead] = [await create(owner), await create(owner)];
    dynamodb.loseResponseOf(nth);
    await finish(lost.id, cut());
    expect(await openOf(owner)).toBe(1);
    dynamodb.heal();
    dynamodb.failAfter(nth < 3 ? 1 : 2); // the run is finished; nothing after it, or only the entry of its series
    await finish(dead.id, cut()).catch(() => {}); // a living worker repeats it
    dynamodb.heal();
    await sweepAt(new Date(t0.getTime() + CHECK_LOOK_MS + 1));
    expect((await world.find(dead.id)).item.completedAt).not.toBeNull();
    expect(await openOf(owner)).toBe(0);
  },
);

test.each([1, 2])('an erased check counts no more if the response of write %i is lost or it dies then', async (nth) => {
  const owner = anOwner();
  const [lost, dead] = [await create(owner), await create(owner)];
  dynamodb.loseResponseOf(nth);
  expect(await erase(owner, lost.id, cut())).toEqual({ status: 204 });
  expect(await openOf(owner)).toBe(1);
  dynamodb.heal();
  dynamodb.failAfter(1);
  expect(await erase(owner, dead.id, cut())).toEqual({ status: 204 });
  dynamodb.heal();
  expect(await openOf(owner)).toBe(1);
  await sweepAt(later(t0, 91));
  expect(await openOf(owner)).toBe(0);
});

test('two creates at once with one new Idempotency-Key at the limit are a 201 and a 200', async () => {
  for (let round = 0; round < 5; round++) {
    const owner = anOwner();
    const tokens = { minute: 1, day: 1, at: t0.getTime() };
    await putOpen(owner, 9);
    await world.db.client.send(putOf({ ...usageKey(owner.owner), stamp: 's', 'tokens-small': tokens }));
    const headers = { 'idempotency-key': randomUUID() };
    const both = await Promise.all([0, 1].map((i) => create(owner, { headers, now: new Date(t0.getTime() + i) })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(both[0]?.id).toBe(both[1]?.id);
    expect([await openOf(owner), Math.floor((await tokensOf(owner)).day)]).toEqual([10, 0]);
  }
});

/** Returns the write units that the work costs. */
const unitsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const writes = recordWriteUnits();
  await work();
  vi.restoreAllMocks();
  return sumOf(writes);
};

test('a create and its end cost the same, however many checks of the owner are open', async () => {
  const costOf = (owner: Owner, url: string) => unitsOf(async () => finish((await create(owner, { url })).id));
  const large = { ...anOwner(), plan: 'large' as const } as unknown as Owner;
  const few = await costOf(large, 'https://example.com/a');
  await putOpen(large, 300);
  const many = await costOf(large, 'https://example.com/b'); // another page, because a page keeps its results
  expect(many).toBe(few);
  expect(few).toBeGreaterThan(10);
});
