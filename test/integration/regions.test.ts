import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCheck } from '../../functions/create-check.ts';
import { ready } from '../../functions/discover.ts';
import { CACHE_MS, regionRows } from '../../functions/lib/checks/region-rows.ts';
import { regionStore } from '../../functions/lib/store/regions.ts';
import { commandFrom } from '../../infra/operator/region-commands.ts';
import type { RegionList } from '../../shared/service/offer.ts';
import { runCommand } from '../support/command.ts';
import { fetchDocumented } from '../support/documented.ts';
import { type Gateway, startFunctions } from '../support/gateway.ts';
import { problemOf } from '../support/problem.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { later, startWorld, type World } from '../support/world.ts';

const dataDir = temporaryFolder('regions-command');
let world: World;
let api: Gateway;
beforeAll(async () => {
  world = await startWorld({}, { dataDir });
});
afterAll(async () => {
  await api?.close();
  await world.stop();
});

const t0 = new Date('2026-11-21T10:00:00.000Z');
const bodyOf = (regions: string[]) => ({ url: 'https://example.com/', auditVersion: 'latest', regions });

test('a create with a paused region is refused as a whole within 20 seconds of the pause, but its repetition is not', async () => {
  let now = t0;
  const targets = { targets: 'public' as const, ports: [443] };
  const handle = createCheck({ ...world, targets, retentionDays: 90, trendDays: 400, now: () => now });
  const create = (regions: string[], key = randomUUID() as string) =>
    handle({
      owner: 'anonymous',
      requestId: 'r',
      body: bodyOf(regions),
      headers: { 'idempotency-key': key },
    } as never);
  const key = randomUUID();
  expect((await create(['us-west1', 'us-east4'], key)).status).toBe(201);
  expect(await world.regions.pause('us-east4', now)).toBe(true);
  expect(await world.regions.pause('us-east4', later(now, 1))).toBe(false);

  now = later(t0, CACHE_MS / 1000);
  const refused = await create(['us-west1', 'us-east4', 'europe-west3']).catch((error) => error);
  expect(refused).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(
      'These regions are paused: us-east4. Leave them out of `regions`, or retry later.',
    ),
    errors: [{ path: 'regions', message: 'Paused: us-east4.' }],
    headers: { 'retry-after': '300' },
  });
  expect((await create(['us-west1', 'us-east4'], key)).status).toBe(200);
  expect((await create(['us-west1', 'europe-west3'])).status).toBe(201);
  expect(await world.regions.resume('us-east4')).toBe(true);
  expect(await world.regions.resume('us-east4')).toBe(false);
  now = later(now, CACHE_MS / 1000);
  expect((await create(['us-west1', 'us-east4'])).status).toBe(201);
});

test('the command pauses, lists and resumes a region of a running service', async () => {
  const regions = (...args: string[]) => runCommand('regions.ts', dataDir, args);
  expect(await regions('pause', 'us-west1')).toMatchObject({
    code: 0,
    stderr: `us-west1 is paused. To end that: DATA_DIR=${dataDir} npm run regions -- resume us-west1\n`,
  });
  api = await startFunctions();
  const sent = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf(['us-west1'])),
  };
  const answer = await fetchDocumented(`${api.url}/v1/checks`, sent);
  expect(answer.headers.get('retry-after')).toBe('300');
  await problemOf(answer, 503, 'unavailable');
  const offered = (await (await fetchDocumented(`${api.url}/v1/regions`)).json()) as RegionList;
  expect(offered.regions.filter(({ available }) => !available).map(({ id }) => id)).toEqual(['us-west1']);
  expect((await fetchDocumented(`${api.url}/ready`)).status).toBe(200);

  await world.regions.recordSuccess('us-east4', t0);
  const { stdout } = await regions('list');
  expect(stdout).toMatch(/^us-west1 +us-west-2 +paused since \d{4}-\d\d-\d\d \d\d:\d\d +never$/m);
  expect(stdout).toMatch(/^us-east4 +us-east-1 +open +2026-11-21 10:00$/m);
  expect((await regions('resume', 'us-west1')).stderr).toContain('us-west1 takes checks again');
  expect((await world.regions.read(['us-west1']))[0]?.pausedAt).toBeNull();
  expect(() => commandFrom(['pause', 'mars'])).toThrow('There is no region "mars". Use one of us-west1');
});

test('a success is recorded at most once a minute, and never takes back a later one', async () => {
  const store = regionStore(world.db);
  const last = async () => (await store.read(['europe-north1']))[0]?.lastSuccessAt;
  await store.recordSuccess('europe-north1', t0);
  await store.recordSuccess('europe-north1', later(t0, 59));
  expect(await last()).toBe(t0.toISOString());
  await store.recordSuccess('europe-north1', later(t0, 60));
  await regionStore(world.db).recordSuccess('europe-north1', t0); // another process, whose clock is behind
  expect(await last()).toBe(later(t0, 60).toISOString());
});

test('where a canary audits, a region without a recent success is not available, and without any the service is not ready', async () => {
  const statuses = [
    { id: 'us-west1' as const, pausedAt: null, lastSuccessAt: later(t0, -44 * 60).toISOString() },
    { id: 'us-east4' as const, pausedAt: null, lastSuccessAt: later(t0, -46 * 60).toISOString() },
    { id: 'europe-west3' as const, pausedAt: null, lastSuccessAt: null },
  ];
  const available = (minutes?: number) =>
    regionRows(statuses, { successWithinMinutes: minutes }, t0).map((row) => row.available);
  expect(available(45)).toEqual([true, false, false]);
  expect(available()).toEqual([true, true, true]);
  const readyWith = (of: typeof statuses) =>
    ready({ readRegions: async () => of, successWithinMinutes: 45, obstacle: () => undefined, now: () => t0 })();
  expect((await readyWith(statuses)).status).toBe(200);
  await expect(readyWith(statuses.slice(1))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('No region is available.'),
  });
});
