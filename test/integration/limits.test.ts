import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createCheck } from '../../functions/create-check.ts';
import { clientSettings } from '../../functions/lib/aws-client.ts';
import type { Request } from '../../functions/lib/http/endpoint.ts';
import { openDb } from '../../functions/lib/store/dynamodb.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { type Lease, leaseStore } from '../../functions/lib/store/leases.ts';
import { openCheckIds, putOpenCheck } from '../../functions/lib/store/open-checks.ts';
import { type UsageStore, usageStore } from '../../functions/lib/store/usage.ts';
import { Problem, runError } from '../../shared/problems.ts';
import { ReadEnv } from '../../shared/service/env.ts';
import type { plans } from '../../shared/service/plans.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { later, type World } from '../support/world.ts';

let world: World;
let api: Api;
let db: DynamoDBDocumentClient;
beforeAll(async () => {
  api = await startApi({ AUTH: 'keys' });
  world = api.world;
  db = DynamoDBDocumentClient.from(new DynamoDBClient(clientSettings()));
});
afterAll(() => api.stop());

const aBody = { url: 'https://example.com/', auditVersion: 'latest', regions: ['us-west1'] };
const anOwner = () => `owner-${randomUUID()}`;
const keyOf = async (owner: string, plan: keyof typeof plans = 'small') => (await world.newKey({ owner, plan })).text;
const post = (key: string, body: unknown = aBody, headers: Record<string, string> = {}) =>
  fetchDocumented(`${api.url}/v1/checks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  });
const bucketsOf = async (owner: string) => {
  const Key = { pk: `OWNER#${owner}`, sk: 'USAGE' };
  const { Item } = await db.send(new GetCommand({ TableName: world.env.TABLE_NAME, Key, ConsistentRead: true }));
  return Item;
};
const openOf = async (owner: string) => (await openCheckIds(world.db, owner, new Date(0))).length;
/** Lets an owner have open checks. */
const putOpen = async (owner: string, count: number) => {
  const expiresAt = later(t0, 24 * 3600).getTime() / 1000;
  for (let i = 0; i < count; i++) await putOpenCheck(world.db, { owner, id: randomUUID(), createId: 'c', expiresAt });
};
const put = (owner: string, item: object) =>
  db.send(
    new PutCommand({
      TableName: world.env.TABLE_NAME,
      Item: { pk: `OWNER#${owner}`, sk: 'USAGE', stamp: 's', ...item },
    }),
  );
const everything = async () => {
  const items: Record<string, unknown>[] = [];
  for await (const { Items = [] } of paginateScan({ client: db }, { TableName: world.env.TABLE_NAME as string }))
    items.push(...Items);
  return items.map(({ lastUsedAt, ...item }) => item);
};

const t0 = new Date('2131-01-01T12:00:00.000Z');
const request = (owner: string, more: Partial<Request> = {}): Request => ({
  owner,
  plan: 'small',
  requestId: randomUUID(),
  method: 'POST',
  path: '/v1/checks',
  params: {},
  query: {},
  headers: {},
  body: aBody,
  ...more,
});
const createAt = (now: Date, store: Partial<World['store']> = {}, usage: UsageStore = world.usage) =>
  createCheck({
    secrets: world.secrets,
    store: { ...world.store, ...store },
    due: world.due,
    usage,
    queues: world.queues,
    targets: { targets: 'public', ports: [443] },
    retentionDays: 90,
    trendDays: 400,
    now: () => now,
  });

test('a create reports the policy and the runs left', async () => {
  const key = await keyOf(anOwner());
  const one = await post(key, { ...aBody, regions: ['us-west1', 'us-east4', 'europe-west3'] });
  expect(one.status).toBe(201);
  expect(one.headers.get('ratelimit-policy')).toBe('"audits-per-minute";q=12;w=60, "audits-per-day";q=200;w=86400');
  expect(one.headers.get('ratelimit')).toMatch(/^"audits-per-minute";r=9;t=[1-5]$/);
  expect((await post(key)).headers.get('ratelimit')).toMatch(/^"audits-per-minute";r=8;t=[1-5]$/);
});

test('a create takes a token for each sample in each region', async () => {
  const key = await keyOf(anOwner());
  const one = await post(key, { ...aBody, regions: ['us-west1', 'us-east4'], samples: 5 });
  expect([one.status, one.headers.get('ratelimit')]).toEqual([201, expect.stringMatching(/^"audits-per-minute";r=2;/)]);
  const refused = await post(key, { ...aBody, samples: 4 });
  expect(refused.status).toBe(429);
  expect((await refused.json()).detail).toMatch(
    /^The plan allows 12 audits a minute, and this check needs 4\. Retry in /,
  );
});

test('a create over the limit is a 429 that says when to retry, and writes nothing', async () => {
  const owner = anOwner();
  const key = await keyOf(owner);
  for (const regions of [6, 5]) {
    const all = ['us-west1', 'us-east4', 'europe-north1', 'europe-west3', 'asia-northeast1', 'australia-southeast1'];
    expect((await post(key, { ...aBody, regions: all.slice(0, regions) })).status).toBe(201);
  }
  await Promise.all((['us-west1', 'us-east4'] as const).map(world.jobsIn));
  const before = await everything();
  const refused = await post(key, { ...aBody, regions: ['us-west1', 'us-east4'] });
  expect(refused.status).toBe(429);
  expect(refused.headers.get('ratelimit')).toMatch(/^"audits-per-minute";r=1;t=[1-5]$/);
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(5);
  const problem = Problem.strict().parse(await refused.json());
  expect(problem).toMatchObject({
    code: 'too-many-requests',
    detail: `The plan allows 12 audits a minute, and this check needs 2. Retry in ${seconds} s.`,
  });
  expect(await everything()).toEqual(before);
  expect(await world.jobsIn('us-west1')).toEqual([]);
  expect((await post(key)).status).toBe(201); // one run was left
});

test('a create with invalid inputs takes no tokens', async () => {
  const owner = anOwner();
  const key = await keyOf(owner);
  expect((await post(key, { ...aBody, url: 'http://10.0.0.1/' })).status).toBe(400);
  expect(await bucketsOf(owner)).toBeUndefined();
});

test('exactly 10 of 50 concurrent creates are allowed with 10 tokens', async () => {
  const owner = anOwner();
  const key = await keyOf(owner, 'standard');
  const at = Date.now() + 60_000; // a clock that is ahead has filled the buckets, so no token comes in during the test
  await put(owner, { 'tokens-standard': { minute: 10, day: 100, at } });
  const answers = await Promise.all(Array.from({ length: 50 }, () => post(key)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
  expect(await bucketsOf(owner)).toMatchObject({ 'tokens-standard': { minute: 0, day: 90, at } });
  expect(await openOf(owner)).toBe(10);
});

test('exactly 10 of 50 instances that create at once are allowed with 10 tokens', async () => {
  const owner = anOwner();
  await put(owner, { 'tokens-standard': { minute: 10, day: 100, at: t0.getTime() } });
  const takes = Array.from({ length: 50 }, () =>
    usageStore(world.db).take({ owner, plan: 'standard' }, { id: randomUUID(), createId: randomUUID(), audits: 1 }, t0),
  );
  const refused = (await Promise.all(takes)).filter((taken) => 'refused' in taken);
  expect(refused).toHaveLength(40);
  for (const taken of refused) expect(taken.refused).toMatchObject({ limit: 'auditsPerMinute' });
  expect(await bucketsOf(owner)).toMatchObject({ 'tokens-standard': { minute: 0, day: 90 } });
});

test('50 instances that create at once within the limits are all allowed without a retry', async () => {
  const owner = anOwner();
  const at = t0.getTime();
  await put(owner, { 'tokens-large': { minute: 500, day: 1000, at }, creating: {}, openAtMost: 7 });
  const send = vi.spyOn(world.db.client, 'send');
  const takes = Array.from({ length: 50 }, () =>
    usageStore(world.db).take(
      { owner, plan: 'large' },
      { id: randomUUID(), createId: randomUUID(), audits: 3 },
      later(t0, 1),
    ),
  );
  await Promise.all(takes);
  expect(send).toHaveBeenCalledTimes(100); // one read and one write per create
  send.mockRestore();
  expect(await bucketsOf(owner)).toMatchObject({ 'tokens-large': { minute: 350, day: 850, at } });
  expect(await bucketsOf(owner)).toMatchObject({ openAtMost: 57 });
});

test('each owner has its own limits, which all keys of one plan share', async () => {
  const [mine, yours] = [anOwner(), anOwner()];
  const keys = [await keyOf(mine), await keyOf(mine), await keyOf(yours)] as const;
  for (let i = 0; i < 12; i++) await post(keys[0]);
  expect((await Promise.all(keys.map((key) => post(key)))).map(({ status }) => status)).toEqual([429, 429, 201]);
});

test('a key takes no tokens from another plan of its owner', async () => {
  const owner = anOwner();
  const [small, large, another] = [await keyOf(owner), await keyOf(owner, 'large'), await keyOf(owner, 'large')];
  const at = Date.now() + 60_000; // a clock that is ahead has filled the buckets, so no token comes in during the test
  await put(owner, { 'tokens-small': { minute: 12, day: 200, at }, 'tokens-large': { minute: 600, day: 40_000, at } });
  expect((await post(small)).headers.get('ratelimit')).toMatch(/^"audits-per-minute";r=11;/);
  expect(await bucketsOf(owner)).toMatchObject({ 'tokens-large': { minute: 600, day: 40_000, at } });
  expect((await post(large)).headers.get('ratelimit')).toMatch(/^"audits-per-minute";r=599;/);
  expect((await post(another)).headers.get('ratelimit')).toMatch(/^"audits-per-minute";r=598;/); // the keys of one plan share tokens
  expect((await post(small)).headers.get('ratelimit')).toMatch(/^"audits-per-minute";r=10;/);
  expect(await bucketsOf(owner)).toMatchObject({ 'tokens-large': { minute: 598, day: 39_998, at } });
  expect(await openOf(owner)).toBe(4);
});

test('an owner without tokens gets those of a larger plan with a new key, while the old key stays in use', async () => {
  const owner = anOwner();
  await put(owner, { 'tokens-small': { minute: 0, day: 0, at: t0.getTime() } });
  await expect(createAt(t0)(request(owner))).rejects.toMatchObject({ code: 'too-many-requests' });
  const by = (plan: keyof typeof plans, seconds: number) => createAt(later(t0, seconds))(request(owner, { plan }));
  expect((await by('large', 0)).headers).toMatchObject({ ratelimit: '"audits-per-minute";r=599;t=1' });
  expect((await by('small', 432)).status).toBe(201); // one of the plan's 200 tokens a day has come in
  expect(await bucketsOf(owner)).toMatchObject({
    'tokens-small': { day: 0 },
    'tokens-large': { minute: 599, day: 49_999 },
  });
});

test('concurrent creates of two plans take their own tokens, but share the count of open checks', async () => {
  const owner = anOwner();
  await putOpen(owner, 4);
  const create = (plan: keyof typeof plans) => createAt(t0)(request(owner, { plan }));
  const both = Array.from({ length: 5 }, () => [create('small'), create('large')]).flat();
  const ended = await Promise.allSettled(both);
  const allowed = (i: number) => ended.filter(({ status }, at) => at % 2 === i && status === 'fulfilled').length;
  expect(allowed(1)).toBe(5); // only the plan `small` limits its owner to 10 open checks
  expect(await bucketsOf(owner)).toMatchObject({
    'tokens-small': { minute: 12 - allowed(0), day: 200 - allowed(0) },
    'tokens-large': { minute: 595, day: 49_995 },
  });
  expect(await openOf(owner)).toBe(4 + 5 + allowed(0));
  await expect(create('small')).rejects.toMatchObject({ message: expect.stringContaining('10 checks open at once') });
  expect((await create('large')).status).toBe(201);
});

test('attributes of no plan are ignored, except the open checks', async () => {
  const owner = anOwner();
  await put(owner, { minute: 0, day: 0, at: later(t0, 60).getTime() });
  await putOpen(owner, 9);
  const broken = createAt(t0, { create: () => Promise.reject(new Error('connection lost')) });
  await expect(broken(request(owner))).rejects.toThrow('connection lost');
  expect(await bucketsOf(owner)).toMatchObject({ 'tokens-small': { minute: 12, day: 200 } });
  expect((await createAt(t0)(request(owner))).headers).toMatchObject({ ratelimit: '"audits-per-minute";r=11;t=5' });
  await expect(createAt(t0)(request(owner))).rejects.toMatchObject({ code: 'too-many-requests' });
});

test('a create that repeats an Idempotency-Key takes no tokens and is allowed at the limit', async () => {
  const owner = anOwner();
  const key = await keyOf(owner);
  const headers = { 'idempotency-key': randomUUID() };
  expect((await post(key, aBody, headers)).status).toBe(201);
  await put(owner, { 'tokens-small': { minute: 0, day: 0, at: Date.now() + 60_000 } });
  const again = await post(key, aBody, headers);
  expect([again.status, again.headers.get('ratelimit')]).toEqual([200, null]);
  expect(await bucketsOf(owner)).toMatchObject({ 'tokens-small': { minute: 0, day: 0 } });
  expect((await post(key)).status).toBe(429);
});

test('ten concurrent creates with one Idempotency-Key count once', async () => {
  const owner = anOwner();
  const create = createAt(t0);
  const headers = { 'idempotency-key': randomUUID() };
  const answers = await Promise.all(Array.from({ length: 10 }, () => create(request(owner, { headers }))));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
  expect(await openOf(owner)).toBe(1);
  expect(await bucketsOf(owner)).toMatchObject({ 'tokens-small': { minute: 11, day: 199 } });
});

test('a create whose check another one has stored since its first look costs nothing, with and without tokens', async () => {
  const owner = anOwner();
  const headers = { 'idempotency-key': randomUUID() };
  const id = idOf(await createAt(t0)(request(owner, { headers })));
  const late = () => {
    let looks = 0;
    const findOrErased: World['store']['findOrErased'] = async (...of) =>
      looks++ === 0 ? undefined : world.store.findOrErased(...of);
    return createAt(t0, { findOrErased })(request(owner, { headers }));
  };
  const repeated = await late();
  expect([repeated.status, idOf(repeated)]).toEqual([200, id]);
  expect(await bucketsOf(owner)).toMatchObject({
    'tokens-small': { minute: 11, day: 199 },
    creating: {},
    openAtMost: 1,
  });
  expect(await openOf(owner)).toBe(1);
  await put(owner, { 'tokens-small': { minute: 0, day: 0, at: t0.getTime() } });
  expect((await late()).status).toBe(200);
});

test('a create that fails to write is refunded', async () => {
  const owner = anOwner();
  const broken = createAt(t0, { create: () => Promise.reject(new Error('connection lost')) });
  await expect(broken(request(owner))).rejects.toThrow('connection lost');
  expect(await bucketsOf(owner)).toMatchObject({ 'tokens-small': { minute: 12, day: 200 } });
  expect(await openOf(owner)).toBe(0);
  for (let i = 0; i < 10; i++) expect((await createAt(t0)(request(owner))).status).toBe(201);
  await expect(createAt(t0)(request(owner))).rejects.toMatchObject({ code: 'too-many-requests' });
});

test('a refund goes to the plan of the key', async () => {
  const owner = anOwner();
  const create = async () => {
    await createAt(t0)(request(owner, { plan: 'large' }));
    throw new Error('connection lost');
  };
  await expect(createAt(t0, { create })(request(owner))).rejects.toThrow('connection lost');
  expect(await bucketsOf(owner)).toMatchObject({
    'tokens-small': { minute: 12, day: 200 },
    'tokens-large': { minute: 599, day: 49_999 },
  });
  expect(await openOf(owner)).toBe(1);
});

test('a create whose write succeeded but whose response was lost is answered 201', async () => {
  const owner = anOwner();
  const create: World['store']['create'] = async (...args) => {
    await world.store.create(...args);
    throw new Error('connection lost');
  };
  const reply = await createAt(t0, { create })(request(owner));
  expect(reply.status).toBe(201);
  expect((await world.find(idOf(reply))).runs.map(({ sends }) => sends)).toEqual([1]);
  expect(await bucketsOf(owner)).toMatchObject({ 'tokens-small': { minute: 11, day: 199 } });
  expect(await openOf(owner)).toBe(1);
});

test('a create that fails because of another with its Idempotency-Key is refunded and answers with the other check', async () => {
  const owner = anOwner();
  const headers = { 'idempotency-key': randomUUID() };
  const create: World['store']['create'] = async () => {
    await createAt(t0)(request(owner, { headers }));
    throw new Error('connection lost');
  };
  expect((await createAt(t0, { create })(request(owner, { headers }))).status).toBe(200);
  expect(await bucketsOf(owner)).toMatchObject({ 'tokens-small': { minute: 11, day: 199 } });
  expect(await openOf(owner)).toBe(1);
});

test('a token comes in with time, and not before', async () => {
  const owner = anOwner();
  await put(owner, { 'tokens-small': { minute: 0, day: 100, at: t0.getTime() } });
  const refused = createAt(later(t0, 4.9))(request(owner));
  await expect(refused).rejects.toMatchObject({ headers: { 'retry-after': '1' } });
  expect((await createAt(later(t0, 5))(request(owner))).status).toBe(201);
});

/** Finishes all runs of a check at once, so that each may be the last. */
const finish = async (checkId: string, now: Date) => {
  const { runs } = await world.find(checkId);
  const leases = await Promise.all(runs.map((run) => world.leases.claim(run, randomUUID(), now)));
  await Promise.all(
    leases.map((lease) => world.leases.finish(lease as Lease, { state: 'succeeded', attempts: [] }, now)),
  );
};
const idOf = (reply: { body?: unknown }) => (reply.body as { id: string }).id;

test('a check counts as open until its last run is finished', async () => {
  const owner = anOwner();
  const create = (regions: string[]) => createAt(t0)(request(owner, { body: { ...aBody, regions } }));
  const first = idOf(await create(['us-west1', 'us-east4']));
  const second = idOf(await create(['us-west1']));
  expect(await openOf(owner)).toBe(2);
  await finish(first, t0);
  await world.store.closeIfFinished(first, t0); // a second call changes nothing
  expect(await openOf(owner)).toBe(1);
  await world.due.abandon(await world.runOf(second), runError('abandoned'), t0);
  expect((await world.find(second)).item.completedAt).not.toBeNull();
  expect(await openOf(owner)).toBe(0);
});

test('the erasure of an open check lowers the count once', async () => {
  const owner = anOwner();
  const key = await keyOf(owner);
  const ids = await Promise.all([0, 1, 2].map(async () => idOf({ body: await (await post(key)).json() })));
  const erase = (id?: string) =>
    fetchDocumented(`${api.url}/v1/checks/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } });
  const [before, open] = [await bucketsOf(owner), await openOf(owner)];
  const both = await Promise.all([erase(ids[0]), erase(ids[0])]);
  expect(both.map(({ status }) => status).sort()).toEqual([204, 404]);
  expect((await erase(ids[0])).status).toBe(404);
  expect([open, await openOf(owner)]).toEqual([3, 2]);
  await finish(ids[1] as string, new Date());
  expect((await erase(ids[1])).status).toBe(204); // its closing has lowered the count
  expect(await openOf(owner)).toBe(1);
  expect((await bucketsOf(owner))?.['tokens-small']).toEqual(before?.['tokens-small']); // an erasure refunds no tokens
});

test('a check that is erased and closed at once lowers the count once, whichever comes first', async () => {
  const owner = anOwner();
  const create = async () => idOf(await createAt(t0)(request(owner)));
  await create(); // makes a second decrement visible
  const closedFirst = await world.find(await create());
  await finish(closedFirst.item.id, t0);
  expect(await world.erasure.markErased(closedFirst.item, t0)).toBe(true); // a request that has read the open check
  expect(await openOf(owner)).toBe(1);

  const erasedFirst = await world.find(await create());
  const db = openDb(ReadEnv.parse(process.env));
  const send = db.client.send.bind(db.client);
  const marked: boolean[] = [];
  vi.spyOn(db.client, 'send').mockImplementation(async (command: unknown) => {
    const { UpdateExpression: update = '' } = (command as { input: { UpdateExpression?: string } }).input;
    if (update.includes('#completedAt')) marked.push(await world.erasure.markErased(erasedFirst.item, t0));
    return send(command as never) as never;
  });
  const lease = await world.leases.claim(erasedFirst.runs[0] as RunItem, randomUUID(), t0);
  await leaseStore(db).finish(lease as Lease, { state: 'succeeded', attempts: [] }, t0);
  expect([marked, await openOf(owner)]).toEqual([[true], 1]);
});

test('a create that finds an erased check takes no tokens', async () => {
  const owner = anOwner();
  const headers = { 'idempotency-key': randomUUID() };
  const id = idOf(await createAt(t0)(request(owner, { headers })));
  const { item } = await world.find(id);
  await world.erasure.markErased(item, t0);
  await world.erasure.eraseRemains(id);
  const before = await bucketsOf(owner);
  expect(await openOf(owner)).toBe(0);
  const erased = { code: 'being-erased' };
  await expect(createAt(t0)(request(owner, { headers }))).rejects.toMatchObject(erased);
  expect(await bucketsOf(owner)).toEqual(before);

  let looks = 0; // the check is erased after the first look
  const findOrErased: World['store']['findOrErased'] = async (...of) =>
    looks++ === 0 ? undefined : world.store.findOrErased(...of);
  await expect(createAt(t0, { findOrErased })(request(owner, { headers }))).rejects.toMatchObject(erased);
  const { stamp, ...rest } = before ?? {};
  expect(await bucketsOf(owner)).toMatchObject(rest);
});

test('a plan limits the open checks, and a check that closes makes room', async () => {
  const owner = anOwner();
  await putOpen(owner, 9);
  const id = idOf(await createAt(t0)(request(owner)));
  const before = await bucketsOf(owner);
  await expect(createAt(t0)(request(owner))).rejects.toMatchObject({
    code: 'too-many-requests',
    message: 'The plan allows 10 checks open at once. Retry in 10 s.',
    headers: { 'retry-after': '10', ratelimit: '"audits-per-minute";r=11;t=5' },
  });
  expect(await bucketsOf(owner)).toEqual(before);
  await finish(id, t0);
  expect((await createAt(t0)(request(owner))).status).toBe(201);
});

test('the usage of an idle owner expires when its buckets are full', async () => {
  const owner = anOwner();
  await createAt(t0)(request(owner));
  expect((await bucketsOf(owner))?.expiresAt).toBe(later(t0, 3 * 24 * 3600).getTime() / 1000);
  await createAt(later(t0, -60))(request(owner, { plan: 'large' })); // a clock that is behind
  expect((await bucketsOf(owner))?.expiresAt).toBe(later(t0, 3 * 24 * 3600).getTime() / 1000);
  await createAt(later(t0, 60))(request(owner, { plan: 'large' }));
  expect((await bucketsOf(owner))?.expiresAt).toBe(later(t0, 3 * 24 * 3600 + 60).getTime() / 1000);
});

test('without a plan nothing is counted', async () => {
  const owner = anOwner();
  const answer = await createAt(t0)(request(owner, { plan: undefined }));
  expect(answer.headers).not.toHaveProperty('ratelimit');
  expect(await bucketsOf(owner)).toBeUndefined();
});
