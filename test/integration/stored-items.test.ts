import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCheck } from '../../functions/create-check.ts';
import { deleteCheck } from '../../functions/delete-check.ts';
import { getCheck } from '../../functions/get-check.ts';
import { getRun } from '../../functions/get-run.ts';
import { sweep } from '../../functions/sweep.ts';
import { type CheckView, CheckView as checkViewSchema } from '../../shared/check.ts';
import { putItems, recordedItems, recordedReleases, release } from '../support/recorded-items.ts';
import { later, startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const owner = 'acme';
const recordedAt = new Date('2131-01-01T12:00:00.000Z');
const request = (params: Record<string, string>) => ({
  owner,
  requestId: randomUUID(),
  method: 'GET',
  path: '/',
  params,
  query: {},
  headers: {},
  body: undefined,
});
type Items = ReturnType<typeof recordedItems>;
const isCheck = (item: Items[number]) => item.sk === 'CHECK' && !item.erasedAt;
const idsIn = (items: Items) => items.filter(isCheck).map(({ id }) => String(id));
const get = async (checkId: string) => (await getCheck(world)(request({ checkId }))).body as CheckView;
const erase = (checkId: string) => deleteCheck({ ...world, now: () => recordedAt })(request({ checkId }));

/** Returns a value after `change` was applied to each object in it. */
const changed = (value: unknown, change: (object: Record<string, unknown>) => object): unknown => {
  if (Array.isArray(value)) return value.map((each) => changed(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return change(Object.fromEntries(Object.entries(value).map(([name, each]) => [name, changed(each, change)])));
};

test('the items of this release are recorded', () => {
  expect(recordedReleases(), 'To record them: npm run record -- test/record/items.test.ts').toContain(release);
});

test.each(recordedReleases())('checks, keys and usage that release %s wrote stay usable', async (of) => {
  const items = recordedItems(of);
  await putItems(world, items);
  for (const checkId of idsIn(items)) {
    const check = await get(checkId);
    expect(checkViewSchema.parse(check)).toEqual(check);
    for (const { id: runId } of check.runs) {
      expect((await getRun(world)(request({ checkId, runId }))).body).toMatchObject({ id: runId });
    }
  }
  const [key] = (await world.keys.list()).keys;
  expect(await world.keys.find(key?.prefix ?? '')).toMatchObject({ owner });

  const { store, due, usage, queues } = world;
  const now = () => later(recordedAt, 3600);
  const create = createCheck({
    secrets: world.secrets,
    store,
    due,
    usage,
    queues,
    targets: { targets: 'public', ports: [443] },
    retentionDays: 90,
    trendDays: 400,
    now,
  });
  const body = { url: 'https://example.com/', auditVersion: 'latest', regions: ['us-west1'] };
  expect((await create({ ...request({}), plan: 'small', method: 'POST', body })).status).toBe(201);
  for (let hours = 1; hours <= 30; hours++) {
    await sweep({ ...world, now: () => later(recordedAt, hours * 3660) })({}); // abandons the open runs
  }
  for (const checkId of idsIn(items)) {
    expect(['succeeded', 'partial', 'failed']).toContain((await get(checkId)).state);
    expect(await erase(checkId)).toEqual({ status: 204 });
  }
});

test.each(['lcp', 'cls', 'seo'] as const)(
  'a check from before the metric %s is shown without it, and can be erased',
  async (metric) => {
    const [first = ''] = recordedReleases();
    const items = changed(recordedItems(first), ({ [metric]: _, ...rest }) => rest) as Items;
    await putItems(world, items);
    for (const checkId of idsIn(items)) {
      for (const run of (await get(checkId)).runs) {
        expect(run[metric]).toBeNull();
        for (const sample of run.samples) expect(sample[metric]).toBeNull();
        if (run.spread) expect(run.spread[metric]).toBeNull();
      }
      expect(await erase(checkId)).toEqual({ status: 204 });
    }
  },
);

test('labels that an earlier release stored as a map are shown', async () => {
  const [first = ''] = recordedReleases();
  const labels = { branch: 'main' };
  const items = recordedItems(first).map((item) => (isCheck(item) ? { ...item, labels } : item));
  await putItems(world, items);
  for (const checkId of idsIn(items)) expect(await get(checkId)).toMatchObject({ labels });
});

test('a check whose version, region or error code this release does not know is shown as stored, and can be erased', async () => {
  const [first = ''] = recordedReleases();
  const unknown: Record<string, unknown> = {
    auditVersion: '8.6.0',
    region: 'mars-north1',
    device: 'watch',
    code: 'odd-page',
  };
  const renamed = (object: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, value && (unknown[name] ?? value)]));
  const items = changed(recordedItems(first), renamed) as Items;
  await putItems(world, items);
  const shown = await Promise.all(idsIn(items).map(get));
  expect(shown.flatMap(({ runs }) => runs.map(({ auditVersion }) => auditVersion))).toContain('8.6.0');
  expect(shown.flatMap(({ runs }) => runs.map(({ region }) => region))).toContain('mars-north1');
  expect(shown.flatMap(({ runs }) => runs.map(({ error }) => error?.code))).toContain('odd-page');
  for (const checkId of idsIn(items)) expect(await erase(checkId)).toEqual({ status: 204 });
});
