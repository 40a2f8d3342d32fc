import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getReport } from '../../functions/get-report.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { runError } from '../../shared/problems.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { problemOf } from '../support/problem.ts';
import { aCheck, type World } from '../support/world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  api = await startApi();
  world = api.world;
});
afterAll(() => api.stop());

const call = (path: string, init: RequestInit = {}) =>
  fetchDocumented(`${api.url}${path}`, { redirect: 'manual', ...init });
const get = (path: string, headers: Record<string, string>, method = 'GET') =>
  fetchDocumented(`${api.url}${path}`, {
    redirect: 'manual',
    method,
    headers: { 'accept-encoding': 'gzip', ...headers },
  });
const asHtml = { accept: 'text/html' };
const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

test('both paths serve a report, gzipped only if the client accepts gzip', async () => {
  const json = JSON.stringify({ lighthouseVersion: '13.5.0', text: 'ü'.repeat(1000) });
  const { run, path } = await world.finishedRun(json);
  for (const each of [path, `/v1/audit/runs/${run.id}/report`]) {
    const plain = await call(each, { headers: { 'accept-encoding': 'identity' } });
    expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([
      null,
      'Accept, Accept-Encoding',
    ]);
    expect(await plain.text()).toBe(json);
    const zipped = await call(each, { headers: { 'accept-encoding': 'gzip' } });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(await zipped.text()).toBe(json);
    expect(zipped.headers.get('etag')).not.toBe(plain.headers.get('etag'));
  }
});

test('a report that the client has cached is a 304', async () => {
  const { path } = await world.finishedRun('{}');
  const headers = { 'accept-encoding': 'gzip' };
  const etag = (await call(path, { headers })).headers.get('etag') as string;
  for (const known of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
    const answer = await call(path, { headers: { ...headers, 'if-none-match': known } });
    expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([304, etag, '']);
  }
  const changed = await call(path, { headers: { ...headers, 'if-none-match': '"other"' } });
  expect(changed.status).toBe(200);
  const head = await call(path, { method: 'HEAD', headers });
  expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
});

test('a report too large for a Lambda response is a redirect to a presigned URL', async () => {
  const json = JSON.stringify({ text: 'a'.repeat(5 * 1024 * 1024) });
  const { path, run } = await world.finishedRun(json);
  expect((await call(path, { headers: { 'accept-encoding': 'gzip' } })).status).toBe(200); // the gzipped form is small
  const answer = await call(path, { headers: { 'accept-encoding': 'identity' } });
  expect(answer.status).toBe(303);
  const location = answer.headers.get('location') as string;
  expect(location).toMatch(new RegExp(`/reports/.*${run.id}/[^/]+\\.json\\.gz\\?.*X-Amz-Expires=300`));
  const head = await call(path, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
  // A HEAD is not redirected, because a presigned URL allows GET only.
  expect([head.status, head.headers.get('etag')]).toEqual([200, answer.headers.get('etag')]);
});

test('the report of an unfinished run is a 409 with Retry-After', async () => {
  const check = aCheck();
  const [run] = await world.create(check);
  const answer = await call(`/v1/checks/${check.id}/runs/${run?.id}/report`);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  await problemOf(answer, 409, 'report-not-ready');
});

test('a run that failed without a report is a 404 with its error code', async () => {
  const check = aCheck({ regions: ['us-west1'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await world.leases.claim(run, randomUUID(), new Date());
  if (!lease) throw new Error('the run is taken');
  await world.leases.finish(lease, { state: 'failed', attempts: [], error: runError('dns-failure') }, new Date());
  const problem = await problemOf(await call(`/v1/audit/runs/${run.id}/report`), 404, 'report-unavailable');
  expect(problem.detail).toContain('dns-failure');
});

test('a report that is gone is a 404 in every form, while its check is still there', async () => {
  const { run, check, path } = await world.finishedRun(JSON.stringify({ text: 'a'.repeat(5 * 2 ** 20) }));
  for (const key of await world.reports.keysOf(check.id, 90)) await world.reports.delete(key);
  for (const each of [path, `/v1/audit/runs/${run.id}/report`]) {
    const problem = await problemOf(await get(each, {}), 404, 'report-unavailable');
    expect(problem.detail).toContain('has expired');
    await problemOf(await get(each, { 'accept-encoding': 'identity' }), 404, 'report-unavailable'); // a redirect before
    await problemOf(await get(each, asHtml), 404, 'report-unavailable');
    await problemOf(await get(each, { ...asHtml, 'accept-encoding': 'identity' }), 404, 'report-unavailable');
    for (const accept of ['application/json', 'text/html'])
      expect((await get(each, { accept }, 'HEAD')).status).toBe(404);
  }
  expect((await call(`/v1/checks/${check.id}`)).status).toBe(200);
});

test.each([
  ['the report is gone', false, 'report-unavailable'],
  ['the role lacks a right', true, 'Access Denied'],
] as const)('a 403 of S3 means that %s if it lists the report: %s', async (_, exists, expected) => {
  const { run, check } = await world.finishedRun('{}');
  const denied = Object.assign(new Error('Access Denied'), {
    name: 'AccessDenied',
    $metadata: { httpStatusCode: 403 },
  });
  const reports = { get: () => Promise.reject(denied), exists: async () => exists, urlOf: async () => '' };
  const request = {
    owner: 'anonymous',
    params: { checkId: check.id, runId: run.id },
    path: '/report',
    headers: {},
    query: {},
  };
  const answer = getReport({ store: world.store, reports, maxBytes: 1000 })(request as never);
  await expect(answer).rejects.toMatchObject(exists ? { message: expected } : { code: expected });
});

test('an internal error shows the client a request id and no internals', async () => {
  const { path } = await world.finishedRun('{}', { gzip: Buffer.from('no gzip') });
  const problem = await problemOf(await call(path, { headers: { 'accept-encoding': 'identity' } }), 500, 'internal');
  expect(problem.requestId).not.toBe('');
  expect(JSON.stringify(problem)).not.toMatch(/header|gzip|at .*ts:/);
});

test('a client that accepts HTML gets the report as a sandboxed page with escaped data', async () => {
  const { path, run } = await world.finishedRun(JSON.stringify({ text: '</script><script>alert(1)</script>' }));
  for (const each of [path, `/v1/audit/runs/${run.id}/report`]) {
    const answer = await get(each, asHtml);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox allow-scripts [^;]*; default-src 'none'; /);
    expect(answer.headers.get('content-security-policy')).not.toContain('allow-same-origin');
    const page = await answer.text();
    expect(page).toContain('__LIGHTHOUSE_JSON__ = {"text":"\\u003c/script>\\u003cscript>alert(1)\\u003c/script>"}');
    expect(page).toContain('__initLighthouseReport__');
  }
});

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/json, text/html', 'application/json'],
  ['text/html;q=0.5, application/json', 'application/json'],
  ['image/png', 'application/json'],
  ['nonsense', 'application/json'],
  [browserAccept, 'text/html; charset=utf-8'],
  ['application/json;q=0.5, text/html', 'text/html; charset=utf-8'],
  ['text/*', 'text/html; charset=utf-8'],
])('`Accept: %s` gets %s', async (accept, type) => {
  const { path } = await world.finishedRun('{}');
  const answer = await get(path, accept ? { accept } : {});
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
});

test('each form of a report has its own ETag and the same Vary', async () => {
  const { path } = await world.finishedRun('{}');
  const forms = [asHtml, { accept: 'application/json' }].flatMap((accept) =>
    ['gzip', 'identity'].map((encoding) => ({ ...accept, 'accept-encoding': encoding })),
  );
  const tags: string[] = [];
  for (const form of forms) {
    const answer = await get(path, form);
    expect(answer.headers.get('vary')).toBe('Accept, Accept-Encoding');
    expect(answer.headers.get('content-encoding')).toBe(form['accept-encoding'] === 'gzip' ? 'gzip' : null);
    tags.push(answer.headers.get('etag') as string);
    const again = await get(path, { ...form, 'if-none-match': tags.at(-1) as string });
    expect(again.status).toBe(304);
    // A browser replaces its cached headers with the headers of a 304.
    expect(again.headers.get('content-security-policy')).toBe(answer.headers.get('content-security-policy'));
  }
  expect(new Set(tags).size).toBe(4);
});

test('HEAD of an HTML report has the headers of GET', async () => {
  const { path } = await world.finishedRun('{}');
  const [head, answer] = [await get(path, asHtml, 'HEAD'), await get(path, asHtml)];
  for (const name of ['etag', 'content-type', 'content-security-policy', 'vary']) {
    expect(head.headers.get(name)).toBe(answer.headers.get(name));
  }
  expect([head.status, await head.text()]).toEqual([200, '']);
});

/** Returns the URL from which an HTML report without data loads them. */
const urlIn = async (answer: Response) => {
  const page = await answer.text();
  expect([answer.status, page.length < 2 ** 20]).toEqual([200, true]);
  return JSON.parse(page.match(/"http:[^"]+X-Amz-Expires=300[^"]+"/)?.[0] ?? 'null') as string;
};

test('an HTML report too large to send loads its data from storage, and no cache keeps it', async () => {
  const json = JSON.stringify({ text: randomBytes(15 * 2 ** 20).toString('base64') });
  const { path } = await world.finishedRun(json);
  const answer = await get(path, asHtml);
  expect([answer.headers.get('cache-control'), answer.headers.get('etag')]).toEqual(['no-store', null]);
  const policy = answer.headers.get('content-security-policy');
  const url = await urlIn(answer);
  expect(policy).toMatch(new RegExp(`^sandbox allow-scripts [^;]*; .*; connect-src ${new URL(url).origin}$`));
  expect(policy).not.toContain('allow-same-origin');
  expect((await get(path, asHtml, 'HEAD')).status).toBe(200);
});

test('an HTML report is sent with its data if its gzipped form is small', async () => {
  const { path } = await world.finishedRun(JSON.stringify({ text: 'a'.repeat(5 * 2 ** 20) }));
  expect(await (await get(path, asHtml)).text()).toContain('aaaaaaa');
  expect(await urlIn(await get(path, { ...asHtml, 'accept-encoding': 'identity' }))).not.toBeNull();
});

test('a report too large to render as HTML is not read', async () => {
  const json = JSON.stringify({ text: 'a'.repeat(33 * 2 ** 20) });
  const { path } = await world.finishedRun(json, { gzip: Buffer.from('no gzip') });
  expect(await urlIn(await get(path, asHtml))).not.toBeNull();
});
