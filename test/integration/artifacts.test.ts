import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeReports } from '../../functions/lib/runs/store-report.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import type { ArtifactName } from '../../shared/options/artifacts.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { finishRun } from '../support/finished-checks.ts';
import { problemOf } from '../support/problem.ts';
import { aCheck, type World } from '../support/world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  api = await startApi();
  world = api.world;
});
afterAll(() => api.stop());

const fileOf = (value: object) => {
  const json = JSON.stringify(value);
  return { gzip: gzipSync(json), bytes: json.length };
};
const trace = { traceEvents: [{ name: 'navigationStart' }] };
const har = { log: { version: '1.2', entries: [] } };

/** Stores the files of a run as an auditor does, and finishes it. */
const finished = async (names: ArtifactName[], reports: Pick<World['reports'], 'put'> = world.reports) => {
  const check = aCheck({ regions: ['us-west1'], artifacts: names });
  const [run] = (await world.create(check)) as [RunItem];
  const all = { trace: fileOf(trace), har: fileOf(har) };
  const artifacts = Object.fromEntries(names.map((name) => [name, all[name]]));
  const lease = { id: crypto.randomUUID(), run } as Parameters<typeof storeReports>[0]['lease'];
  let left = 20_000;
  const remainingMs = () => (left -= 500); // so that retries end
  const work = { reports, lease, retryDelaysMs: [1], remainingMs, signal: new AbortController().signal };
  const report = { ...fileOf({ lighthouseVersion: '13.5.0' }), artifacts };
  const written = await storeReports(work, { own: report, against: undefined }, 1, true);
  if (!('stored' in written)) throw new Error('the report is not stored');
  await finishRun(world, run, { lcps: [900] }, written.stored.own);
  const { links } = (await api.client.get(check.id)).runs[0] as { links: Record<string, string | null> };
  return { check, run, links };
};
const get = (path: string | null | undefined, init: RequestInit = {}) => fetchDocumented(`${api.url}${path}`, init);

test('a run links the files that its check asked for, and serves them with gzip or without', async () => {
  const { check, links } = await finished(['trace', 'har']);
  for (const [name, content] of Object.entries({ trace, har })) {
    for (const encoding of ['gzip', 'identity']) {
      const answer = await get(links[name], { headers: { 'accept-encoding': encoding } });
      expect([answer.status, await answer.json()]).toEqual([200, content]);
      expect(answer.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null);
    }
    const etag = (await get(links[name], { method: 'HEAD' })).headers.get('etag') as string;
    expect((await get(links[name], { headers: { 'if-none-match': etag } })).status).toBe(304);
  }
  await get(`/v1/checks/${check.id}`, { method: 'DELETE' });
  expect(await world.reports.keysOf(check.id, 90)).toEqual([]);
  await problemOf(await get(links.trace), 404, 'not-found');
});

test('a run without a file says how to get one', async () => {
  const { links, run } = await finished(['har']);
  expect(links.trace).toBeNull();
  const answer = await get(`/v1/checks/${run.checkId}/runs/${run.id}/trace`);
  expect((await problemOf(answer, 404, 'report-unavailable')).detail).toContain('"artifacts": ["trace"]');
});

test('a run does without a file that storage refuses, and has the other one', async () => {
  const put = (key: string, gzip: Buffer) =>
    key.includes('.trace.') ? Promise.reject(new Error('S3 is down')) : world.reports.put(key, gzip);
  const { links } = await finished(['trace', 'har'], { put });
  expect([links.trace, links.har, links.report]).toEqual([null, expect.any(String), expect.any(String)]);
});

test('a file that has expired is a 404 that says so', async () => {
  const { check, links } = await finished(['trace']);
  for (const key of await world.reports.keysOf(check.id, 90))
    if (key.includes('/14d/')) await world.reports.delete(key);
  const problem = await problemOf(await get(links.trace), 404, 'report-unavailable');
  expect(problem.detail).toBe('The trace has expired. To audit the page again, create a new check.');
});

const create = (body: object) =>
  get('/v1/checks', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.com/', auditVersion: '13', regions: ['us-west1'], ...body }),
  });

test('a check repeats the files that it asks for', async () => {
  const answer = await create({ artifacts: ['har'] });
  expect(await answer.json()).toMatchObject({ artifacts: ['har'] });
});

test.for([
  { artifacts: ['trace', 'trace'] },
  { artifacts: ['video'] },
  { artifacts: [] },
  { artifacts: 'trace' },
  { artifacts: ['har'], headers: { 'x-token': 'abcdef' } },
  { artifacts: ['har'], basicAuth: { username: 'a', password: 'b' } },
  { artifacts: ['trace'], cookies: [{ name: 'a', value: 'b', domain: 'example.com' }] },
])('%j is refused by the name of the field', async (body) => {
  const problem = await problemOf(await create(body), 400, 'invalid-request');
  expect(problem.errors?.map(({ path }) => path.split('.')[0])).toContain('artifacts');
});
