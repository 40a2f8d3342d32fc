import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteCheck } from '../../functions/delete-check.ts';
import { getCheck } from '../../functions/get-check.ts';
import { checkKey, type RunItem, readItems } from '../../functions/lib/store/items.ts';
import type { CheckView } from '../../shared/check.ts';
import { finishRun } from '../support/finished-checks.ts';
import { aCheck, startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const requestFor = (checkId: string) => ({
  owner: 'anonymous',
  requestId: randomUUID(),
  method: 'GET',
  path: '/',
  query: {},
  headers: {},
  body: undefined,
  params: { checkId },
});

/** Returns a value after `change` was applied to each object in it. */
const changed = (value: unknown, change: (object: Record<string, unknown>) => object): unknown => {
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => changed(each, change));
  return change(Object.fromEntries(Object.entries(value).map(([name, each]) => [name, changed(each, change)])));
};

/** Values of another release, by the name of their attribute. */
const unknown: Record<string, unknown> = {
  auditVersion: '8.6.0',
  region: 'mars-north1',
  device: 'watch',
  code: 'odd-page',
};

test('a check whose version, region or error code this release does not know is shown as stored, and can be erased', async () => {
  const check = aCheck({ regions: ['us-west1', 'us-east4'] });
  const [succeeds, fails] = (await world.create(check)) as [RunItem, RunItem];
  await finishRun(world, succeeds, { lcps: [633.4, 640] });
  await finishRun(world, fails, { failed: 'http-error' });
  const ofAnotherRelease = (object: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, value && (unknown[name] ?? value)]));
  const { client, table } = world.db;
  const stored = await readItems(world.db, check.id, { owner: undefined });
  for (const item of [stored.check, ...stored.runs])
    await client.send(new PutCommand({ TableName: table, Item: changed(item, ofAnotherRelease) as RunItem }));

  const { runs, ...shown } = (await getCheck(world)(requestFor(check.id))).body as CheckView;
  expect(shown).toMatchObject({ auditVersion: '8.6.0', state: 'partial' });
  expect(runs).toMatchObject([
    { auditVersion: '8.6.0', region: 'mars-north1', device: 'watch', lcp: expect.stringMatching(/ms$/) },
    { region: 'mars-north1', error: { code: 'odd-page' } },
  ]);
  expect(await deleteCheck(world)(requestFor(check.id))).toEqual({ status: 204 });
  expect(await readItems(world.db, check.id, { owner: undefined, trends: true })).toMatchObject({
    check: { ...checkKey(check.id), erasedAt: expect.any(String) },
    runs: [],
    trends: [],
  });
});
