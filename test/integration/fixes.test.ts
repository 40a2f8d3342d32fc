import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fixes } from '../../shared/fixes/fix.ts';
import { fixesOf } from '../../shared/fixes/fixes.ts';
import { runError } from '../../shared/problems.ts';
import type { RunView } from '../../shared/run.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { problemOf } from '../support/problem.ts';
import { readReport } from '../support/recorded-reports.ts';
import { failing, slowPage } from '../support/slow-page.ts';
import { aCheck, type World } from '../support/world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  api = await startApi();
  world = api.world;
});
afterAll(() => api.stop());

/** Requests the fixes of a new run with this report. */
const open = async (report: object) => {
  const { path } = await world.finishedRun(JSON.stringify(report));
  return (headers = {}, method = 'GET') =>
    fetchDocumented(`${api.url}${path.replace(/report$/, 'fixes')}`, { method, headers });
};

test('a run says what to fix first, from its report', async () => {
  const report = JSON.parse(gunzipSync(readReport('13.5.0')).toString());
  const get = await open(report);
  const answer = await get();
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  const { fixes } = (await answer.json()) as Fixes;
  expect(fixes).toEqual(fixesOf(report));
  expect(fixes[0]).toMatchObject({ audit: 'paste-preventing-inputs', category: 'best-practices', points: 11.5 });
});

test('fixes that the client has are a 304, and HEAD has no body', async () => {
  const get = await open(slowPage({ any: failing({ metricSavings: { LCP: 500 } }) }));
  const head = await get({}, 'HEAD');
  const etag = head.headers.get('etag') as string;
  expect([head.status, await head.text()]).toEqual([200, '']);
  const cached = await get({ 'if-none-match': etag });
  expect([cached.status, cached.headers.get('etag'), await cached.text()]).toEqual([304, etag, '']);
});

test('a page without faults has no fixes', async () => {
  expect(await (await (await open(slowPage({})))()).json()).toEqual({ fixes: [] });
});

test('an item shows no secret of a URL', async () => {
  const items = [{ url: 'https://user:pass@a.example/x.js?api_key=4f3c2b1a9d&v=2', wastedMs: 300 }];
  const get = await open(slowPage({ any: failing({ details: { type: 'table', items } }) }));
  const text = await (await get()).text();
  expect(text).not.toMatch(/user:pass|4f3c2b1a9d/);
  expect(text).toContain('&v=2');
});

test('an unfinished run is a 409, an unknown run a 404, and so is a failed run', async () => {
  const check = aCheck();
  const [run, other] = await world.create(check);
  if (!other) throw new Error('no run');
  const at = (runId?: string) => fetchDocumented(`${api.url}/v1/checks/${check.id}/runs/${runId}/fixes`);
  await problemOf(await at(run?.id), 409, 'report-not-ready');
  await problemOf(await at(check.id), 404, 'not-found');
  const report = await world.storeReport(other, gzipSync(JSON.stringify(slowPage({}))));
  await world.finish(other, { state: 'failed', error: runError('page-hung'), report });
  const { detail } = await problemOf(await at(other.id), 404, 'report-unavailable');
  expect(detail).toContain('page-hung');
});

test('a parameter that no fixes have is a 400', async () => {
  const { path } = await world.finishedRun(JSON.stringify(slowPage({})));
  const answer = await fetchDocumented(`${api.url}${path.replace(/report$/, 'fixes')}?limit=3`);
  await problemOf(answer, 400, 'invalid-request');
});

test('a run links to its fixes if it has a report', async () => {
  const { path, check, run } = await world.finishedRun(JSON.stringify(slowPage({})));
  const linksOf = async (url: string) => ((await (await fetchDocumented(url)).json()) as RunView).links;
  const { fixes } = await linksOf(`${api.url}${path.replace(/\/report$/, '')}`);
  expect(fixes).toBe(`/v1/checks/${check.id}/runs/${run.id}/fixes`);
  const [open] = await world.create(aCheck());
  expect(await linksOf(`${api.url}/v1/audit/runs/${open?.id}`)).toMatchObject({ report: null, fixes: null });
});
