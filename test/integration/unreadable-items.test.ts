import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { log } from '../../functions/lib/log.ts';
import { runKey } from '../../functions/lib/store/items.ts';
import { closeLostRun } from '../../functions/lib/sweep/dead-letters.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { sweep } from '../../functions/sweep.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { problemOf } from '../support/problem.ts';
import { aCheck, later, type World } from '../support/world.ts';

let world: World;
let api: Api;
let authorization: string;
beforeAll(async () => {
  api = await startApi({ AUTH: 'keys' });
  world = api.world;
});
beforeEach(async () => {
  owner = `owner-${randomUUID().slice(0, 8)}`;
  authorization = `Bearer ${(await world.newKey({ owner })).text}`;
});
afterAll(() => api.stop());

let owner: string;
const call = (path: string, init = {}) => fetchDocumented(`${api.url}${path}`, { headers: { authorization }, ...init });
const DAY = 24 * 3600;
const create = async (now = new Date()) => {
  const check = aCheck({ now, regions: ['us-west1'] });
  const more = {
    correlationId: 'c',
    fingerprint: 'f',
    retentionDays: 90,
    createId: randomUUID(),
    trendExpiresAt: later(now, 400 * DAY),
  };
  await world.store.create(check, { owner, ...more, expiresAt: later(now, 90 * DAY) });
  return { id: check.id, runId: check.runs[0]?.id as string };
};
type Item = Record<string, unknown> & { pk: string; sk: string };
const keysOf = ({ id, runId }: { id: string; runId: string }) => ({
  check: { pk: `CHECK#${id}`, sk: 'CHECK' },
  run: runKey(id, runId),
  entry: { pk: `CHECK#${id}`, sk: `TREND#${runId}` },
});
const change = async (Key: { pk: string; sk: string }, damage: (item: Item) => object) => {
  const { Item } = await world.db.client.send(new GetCommand({ TableName: world.db.table, Key }));
  await world.db.client.send(new PutCommand({ TableName: world.db.table, Item: { ...damage(Item as Item), ...Key } }));
};
const without =
  (name: string) =>
  ({ [name]: _, ...item }: Item) =>
    item;
const damages: [string, 'check' | 'run' | 'entry', (item: Item) => object][] = [
  ['a check without its createId', 'check', without('createId')],
  ['a check without the time of its creation', 'check', without('createdAt')],
  ['a check whose runs are no list', 'check', (item) => ({ ...item, runIds: 'none' })],
  ['a check that lists a run which is missing', 'check', (item) => ({ ...item, runIds: [randomUUID()] })],
  ['a check whose labels are no JSON', 'check', (item) => ({ ...item, labels: '{' })],
  ['a run of a later release', 'run', (item) => ({ ...item, state: 'paused' })],
  ['a run without its createId', 'run', without('createId')],
  ['an entry of a series without its createId', 'entry', without('createId')],
];

test.each(damages)('%s can be erased, and nothing of it stays', async (_, which, damage) => {
  const check = await create();
  await change(keysOf(check)[which], damage);
  expect((await call(`/v1/checks/${check.id}`, { method: 'DELETE' })).status).toBe(204);
  await problemOf(await call(`/v1/checks/${check.id}`), 404, 'not-found');
  expect(await world.erasure.eraseRemains(check.id)).toBe(true);
});

test.each(damages.slice(0, 6))('%s fails no sweep and is reported once', async (_, which, damage) => {
  const now = new Date(Date.UTC(2040, 0, 1));
  const [damaged, sound] = [await create(now), await create(now)];
  await change(keysOf(damaged)[which], damage);
  const [run] = (await world.find(sound.id)).runs;
  const report = vi.spyOn(log, 'error').mockImplementation(() => log);
  const failed = vi.spyOn(world.due, 'setAside');
  for (let minutes = 5; minutes < 2 * 24 * 60; minutes += 240)
    await sweep({ ...world, now: () => later(now, minutes * 60) })({});
  expect(failed.mock.calls.length).toBeGreaterThan(0);
  const lines = report.mock.calls.filter(([message]) => message !== 'The run is abandoned.');
  expect(lines.map(([message]) => message)).toEqual(
    lines.map(() => "The item can't be read. It stays open until it is erased or expires."),
  );
  expect(lines.length).toBeLessThanOrEqual(2); // the run and its check
  expect(await world.store.findRunOfAnyOwner(run as never)).not.toMatchObject({ sends: 0 });
  vi.restoreAllMocks();
});

test('a list shows the ids of the checks that can not be read', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.unshift((await create(later(new Date(), i))).id);
  const [noEntry, open, sound, other] = ids as [string, string, string, string];
  await change({ pk: `CHECK#${noEntry}`, sk: 'CHECK' }, (item) => ({ ...item, listed: '{' }));
  await change({ pk: `CHECK#${open}`, sk: 'CHECK' }, without('createId'));
  const list = async (query = '') =>
    (await (await call(`/v1/checks${query}`)).json()) as Record<string, { id: string }[]>;
  expect(await list()).toMatchObject({
    checks: [{ id: sound }, { id: other }],
    unreadable: [noEntry, open],
    nextCursor: null,
  });
  const first = await list('?limit=3');
  expect(first).toMatchObject({ checks: [{ id: sound }], unreadable: [noEntry, open], nextCursor: expect.any(String) });
  expect(await list(`?limit=3&cursor=${first.nextCursor}`)).toMatchObject({
    checks: [{ id: other }],
    nextCursor: null,
  });
  const filtered = await list('?url=https://example.com/');
  expect(filtered).toMatchObject({ checks: [{ id: sound }, { id: other }], unreadable: [open] });

  const { detail } = await problemOf(await call(`/v1/checks/${open}`), 500, 'internal');
  expect(detail).toBe('This release of the service can not read the stored data. They can be erased.');
});

test('a series shows the ids of the runs that can not be read', async () => {
  const [garbled, sound] = [await create(later(new Date(), 1)), await create()];
  for (const { id } of [garbled, sound]) await world.finish(await world.runOf(id));
  await change(keysOf(garbled).entry, (item) => ({ ...item, listed: 7 }));
  const path = '/v1/runs?url=https://example.com/';
  const series = (await (await call(path)).json()) as Record<string, unknown>;
  expect(series).toMatchObject({ runs: [{ id: sound.runId }], unreadable: [garbled.runId] });
  const trend = (await (await call(`${path}&device=mobile`)).json()) as object;
  expect(trend).toMatchObject({ runs: [{ id: sound.runId }], unreadable: [garbled.runId] });
  const csv = await call(path, { headers: { authorization, accept: 'text/csv' } });
  expect((await csv.text()).trim().split('\n')).toHaveLength(2);
});

test('a job for a run that can not be read is dropped, because the sweeper reports the run', async () => {
  const { id, runId } = await create();
  await change(runKey(id, runId), (item) => ({ ...item, state: 'paused' }));
  const job = { checkId: id, runId, region: 'us-west1' as const, correlationId: 'c', owner, createId: 'c' };
  const audit = vi.fn();
  await runAudit({ ...world, auditors: { audit } })(job, () => 600_000);
  await closeLostRun(world)(job);
  expect(audit).not.toHaveBeenCalled();
});
