import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditVersions } from '../../shared/audit-versions.ts';
import type { CheckView } from '../../shared/check.ts';
import { PACKAGED_CHROMIUM } from '../../shared/chromium.ts';
import { noMetrics, spreadOf } from '../../shared/metrics/page-metrics.ts';
import { openApiDocument } from '../../shared/openapi/document.ts';
import { allRegions, type Region } from '../../shared/regions.ts';
import { RunView } from '../../shared/run.ts';
import { plans } from '../../shared/service/plans.ts';
import { routes } from '../../shared/service/routes.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { problemOf } from '../support/problem.ts';
import { webDir } from '../support/web-dir.ts';
import type { World } from '../support/world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  api = await startApi({ TARGETS: 'local', TARGETS_ALLOW: '*.test,10.1.0.0/16', WEB_DIR: await webDir() });
  world = api.world;
});
afterAll(() => api.stop());

const aBody = { url: 'https://example.com/', auditVersion: 'latest', regions: ['europe-west3', 'us-east4'] };
const call = (path: string, init: RequestInit = {}) =>
  fetchDocumented(`${api.url}${path}`, { redirect: 'manual', ...init });
const post = (body: unknown, headers: Record<string, string> = {}) =>
  call('/v1/checks', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const created = async (body: unknown = aBody, headers = {}) => {
  const answer = await post(body, headers);
  expect(answer.status).toBe(201);
  return (await answer.json()) as { id: string; runs: { id: string; region: Region }[] };
};

test('a create responds 201 with Location and exactly the fields of the contract', async () => {
  const answer = await post(aBody);
  expect(answer.status).toBe(201);
  const check = (await answer.json()) as Record<string, unknown>;
  expect(answer.headers.get('location')).toBe(`/v1/checks/${check.id}`);
  expect(check).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    auditVersion: auditVersions[0].version,
    url: aBody.url,
    regions: aBody.regions,
    runs: aBody.regions.map((region) => ({ id: expect.any(String), region, state: 'created' })),
  });
});

test('a create queues one job in each requested region and none elsewhere', async () => {
  await Promise.all(allRegions.map(world.jobsIn)); // empties the queues of other tests
  const { id, runs } = await created();
  expect(await world.jobsIn('asia-northeast1')).toEqual([]); // first: a shared queue would pass the next two checks
  const { correlationId, ...run } = await world.runOf(id);
  const options = { device: 'mobile', samples: 1 };
  expect(run).toMatchObject({ url: aBody.url, auditVersion: auditVersions[0].version, options });
  const job = { checkId: id, correlationId, owner: 'anonymous', createId: expect.any(String) };
  expect(await world.jobsIn('europe-west3')).toEqual([{ ...job, region: 'europe-west3', runId: runs[0]?.id }]);
  expect(await world.jobsIn('us-east4')).toEqual([{ ...job, region: 'us-east4', runId: runs[1]?.id }]);
});

test('a URL with characters past U+FFFF is accepted, comes back as sent, and its job is queued', async () => {
  await world.jobsIn('us-west1');
  const url = 'https://example.com/\u{1f600}/\u{20bb7}?q=\u{1f600}#\u{20bb7}'; // an emoji and a rare kanji
  const { id, runs } = await created({ ...aBody, url, regions: ['us-west1'] });
  expect(await world.jobsIn('us-west1')).toMatchObject([{ checkId: id, runId: runs[0]?.id }]);
  expect(await world.runOf(id)).toMatchObject({ url, state: 'created', sends: 1 });
});

test('the options that a client sends are echoed and reach the run', async () => {
  const options = {
    device: 'desktop',
    samples: 3,
    categories: ['seo', 'best-practices'],
    throttling: { rttMs: 80, throughputKbps: 5000.5, cpuSlowdownMultiplier: 2 },
    blockedUrlPatterns: ['*/ads/*', 'tracker.js'],
  };
  const { id, ...echoed } = await created({ ...aBody, regions: ['asia-northeast1'], ...options });
  expect(echoed).toMatchObject(options);
  const check = await (await call(`/v1/checks/${id}`)).json();
  expect(check).toMatchObject({ ...options, runs: [{ device: 'desktop', samples: [] }] });
  expect(await world.jobsIn('asia-northeast1')).toMatchObject([{ checkId: id }]);
  expect((await world.runOf(id)).options).toEqual(options);
});

const throttling = { rttMs: 80, throughputKbps: 5000, cpuSlowdownMultiplier: 2 };
const simulation = (name: string, change = {}) => ({ name, ...throttling, ...change });
test.each([
  ['an unknown device', { device: 'tablet' }, 'device'],
  ['no samples', { samples: 0 }, 'samples'],
  ['too many samples', { samples: 16 }, 'samples'],
  ['a fractional number of samples', { samples: 1.5 }, 'samples'],
  ['no category', { categories: [] }, 'categories'],
  ['an unknown category', { categories: ['speed'] }, 'categories.0'],
  ['a category twice', { categories: ['seo', 'seo'] }, 'categories'],
  ['51 blocked patterns', { blockedUrlPatterns: Array(51).fill('*/ads/*') }, 'blockedUrlPatterns'],
  ['an empty blocked pattern', { blockedUrlPatterns: ['*/ads/*', ''] }, 'blockedUrlPatterns.1'],
  ['a blocked pattern of 201 characters', { blockedUrlPatterns: ['x'.repeat(201)] }, 'blockedUrlPatterns.0'],
  ['a blocked pattern that is no text', { blockedUrlPatterns: [7] }, 'blockedUrlPatterns.0'],
  ['blocked patterns as a text', { blockedUrlPatterns: '*/ads/*' }, 'blockedUrlPatterns'],
  ['a pattern that blocks the page', { blockedUrlPatterns: ['*/ads/*', 'http*example.com'] }, 'blockedUrlPatterns.1'],
  ['no simulation', { simulations: [] }, 'simulations'],
  ['nine simulations', { simulations: Array.from({ length: 9 }, (_, i) => simulation(`${i}`)) }, 'simulations'],
  ['an unknown simulation', { simulations: ['3g', '5g'] }, 'simulations.1'],
  ['a name of the prototype', { simulations: ['toString'] }, 'simulations.0'],
  ['a simulation twice', { simulations: ['3g', simulation('a'), '3g'] }, 'simulations'],
  ['the name of a preset twice', { simulations: ['3g', simulation('3g')] }, 'simulations'],
  ['a simulation with a slow network', { simulations: [simulation('a', { rttMs: 5001 })] }, 'simulations.0.rttMs'],
  ['a simulation without a name', { simulations: [throttling] }, 'simulations.0'],
  ['a name of 33 characters', { simulations: [simulation('x'.repeat(33))] }, 'simulations.0.name'],
  ['simulations without performance', { simulations: ['3g'], categories: ['seo'] }, 'simulations'],
  ['an unknown throttling', { throttling: 'calibrated' }, 'throttling'],
  ['an unknown throttling field', { throttling: { ...throttling, requestLatencyMs: 1 } }, 'throttling'],
  ['a throttling field missing', { throttling: { ...throttling, rttMs: undefined } }, 'throttling.rttMs'],
  ['a negative throttling value', { throttling: { ...throttling, rttMs: -1 } }, 'throttling.rttMs'],
  ['no throughput', { throttling: { ...throttling, throughputKbps: 0 } }, 'throttling.throughputKbps'],
  [
    'a huge slowdown',
    { throttling: { ...throttling, cpuSlowdownMultiplier: 1e9 } },
    'throttling.cpuSlowdownMultiplier',
  ],
  ['a throttling value as a text', { throttling: { ...throttling, rttMs: '80' } }, 'throttling.rttMs'],
  ['a category that the version lacks', { categories: ['pwa'], auditVersion: '12' }, 'categories'],
  ['a category that is newer than the version', { categories: ['agentic-browsing'], auditVersion: '12' }, 'categories'],
])('a create with %s is refused with the path of the field', async (_, wrong, path) => {
  const { errors } = await problemOf(await post({ ...aBody, ...wrong }), 400, 'invalid-request');
  expect(errors?.map((error) => error.path)).toEqual([path]);
});

test('simulations are echoed, and an unknown preset is refused with the presets', async () => {
  const simulations = ['3g', 'region', simulation('train')];
  const { id, ...echoed } = await created({ ...aBody, simulations });
  expect(echoed).toMatchObject({ simulations });
  const check = await (await call(`/v1/checks/${id}`)).json();
  expect(check).toMatchObject({ simulations, runs: [{ simulations: null }, { simulations: null }] });
  const { detail } = await problemOf(await post({ ...aBody, simulations: ['5g'] }), 400, 'invalid-request');
  expect(detail).toContain('Each is one of "4g", "4g-slow", "3g", "slow-phone", "region", or an object');
});

test('a pattern that blocks the page itself is refused by its name', async () => {
  const answer = await post({ ...aBody, blockedUrlPatterns: ['*/ads/*', '*://example.com/*'] });
  const { detail } = await problemOf(answer, 400, 'invalid-request');
  expect(detail).toBe(
    'The pattern "*://example.com/*" must not match the URL of the page itself. Send a pattern that matches less, or leave it out.',
  );
});

test('a refused throttling names all values that are accepted', async () => {
  const { detail } = await problemOf(await post({ ...aBody, throttling: 'calibrated' }), 400, 'invalid-request');
  expect(detail).toBe(
    'The throttling must be "none", or an object with the numbers `rttMs` (1 to 5,000), `throughputKbps` (10 to 1,000,000) and `cpuSlowdownMultiplier` (1 to 20), and no other field.',
  );
});

test('a check shows every field of its runs, with null for unknown values', async () => {
  const { id } = await created();
  const answer = await call(`/v1/checks/${id}`);
  expect(answer.status).toBe(200);
  const check = (await answer.json()) as { state: string; runs: Record<string, unknown>[] };
  expect(check.state).toBe('created');
  for (const run of check.runs) {
    expect(Object.keys(run).sort()).toEqual(Object.keys(RunView.shape).sort());
    for (const metric of ['performance', 'pwa', 'fcp', 'cls', 'startedAt', 'error']) expect(run[metric]).toBeNull();
  }
});

test('a finished run shows the times that are stored as numbers as whole milliseconds', async () => {
  const { id } = await created({ ...aBody, regions: ['us-east4'] });
  const lease = await world.leases.claim(await world.runOf(id), randomUUID(), new Date());
  const metrics = { ...noMetrics, performance: 98, fcp: 633.4567890123456, tbt: 0, cls: 0.04321 };
  const samples = [
    { ...metrics, cpuBusy: 0.1, contended: false },
    { ...metrics, fcp: 800.5, cpuBusy: null, contended: null },
  ];
  const outcome = { state: 'succeeded' as const, ...metrics, samples, spread: spreadOf(samples), attempts: [] };
  if (lease) await world.leases.finish(lease, outcome, new Date());
  expect(await world.runOf(id)).toMatchObject({ ...metrics, samples });

  const { runs } = (await (await call(`/v1/checks/${id}`)).json()) as { runs: unknown[] };
  const { fcp, si, lcp, tti, tbt, cls } = metrics;
  expect(runs[0]).toMatchObject({ numericValues: { fcp, si, lcp, tti, tbt, cls } });
  const texts = { performance: 98, pwa: null, fcp: '633ms', lcp: null, tbt: '0ms', cls: 0.04321 };
  expect(runs[0]).toMatchObject({
    ...texts,
    samples: [
      { ...texts, cpuBusy: 0.1, contended: false },
      { ...texts, fcp: '801ms', cpuBusy: null, contended: null },
    ],
    spread: { fcp: { min: '633ms', max: '801ms' }, tbt: { min: '0ms', max: '0ms' }, lcp: null },
  });
});

test('a client can follow the links of a check and its runs', async () => {
  const { check } = await world.finishedRun('{}');
  const shown = (await (await call(`/v1/checks/${check.id}`)).json()) as CheckView;
  expect(await (await call(shown.links.self)).json()).toEqual(shown);
  const [run] = shown.runs as [RunView];
  expect(await (await call(run.links.self)).json()).toEqual(run);
  expect(await (await call(run.links.check)).json()).toEqual(shown);
  for (const path of [run.links.report as string, run.links.page, shown.links.page])
    expect((await call(path)).status).toBe(200);
  expect(Object.keys(run.links)).toEqual([
    'self',
    'check',
    'page',
    'report',
    'fixes',
    'screenshot',
    'filmstrip',
    'trace',
    'har',
  ]);
});

test('the links of a run without a report have no report', async () => {
  const { id } = await created();
  const { runs } = (await (await call(`/v1/checks/${id}`)).json()) as CheckView;
  expect(runs[0]?.links).toMatchObject({ check: `/v1/checks/${id}`, report: null, screenshot: null, filmstrip: null });
});

test('a URL comes back exactly as sent', async () => {
  const url = 'HTTPS://EXAMPLE.com:443/a/../b?q=ü#frag';
  const { id } = await created({ ...aBody, url });
  expect(((await (await call(`/v1/checks/${id}`)).json()) as { url: string }).url).toBe(url);
});

test('both paths show the same run, and another check id is a 404', async () => {
  const [one, two] = [await created(), await created()];
  const runId = one.runs[0]?.id;
  const paths = [
    `/v1/checks/${one.id}/runs/${runId}`,
    `/v1/audit/runs/${runId}`,
    `/v1/audit/runs/${runId}?checkId=${one.id}`,
  ];
  const answers = await Promise.all(paths.map(async (path) => (await call(path)).json()));
  expect(answers[0]).toMatchObject({ id: runId, state: 'created', region: 'europe-west3' });
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
  for (const path of [
    `/v1/checks/${two.id}/runs/${runId}`,
    `/v1/audit/runs/${runId}?checkId=${two.id}`,
    `/v1/audit/runs/${runId}?checkId=`,
    `/v1/audit/runs/${runId}?checkId=nonsense`,
  ]) {
    await problemOf(await call(path), 404, 'not-found');
  }
});

test('ids are case-insensitive', async () => {
  const { id } = await created();
  expect((await call(`/v1/checks/${id.toUpperCase()}`)).status).toBe(200);
});

test('the same Idempotency-Key and body return the same check in its present state', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const first = await created(aBody, headers);
  await world.leases.claim(await world.runOf(first.id), randomUUID(), new Date());
  const again = await post(` ${JSON.stringify(aBody)} `, headers);
  expect(again.status).toBe(200);
  expect(again.headers.get('location')).toBe(`/v1/checks/${first.id}`);
  expect(await again.json()).toMatchObject({ id: first.id, runs: [{ state: 'running' }, { state: 'created' }] });
});

test('the same Idempotency-Key with another body is refused', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  await created(aBody, headers);
  for (const other of [{ url: 'https://example.org/' }, { auditVersion: '12' }, { regions: ['us-east4'] }]) {
    await problemOf(await post({ ...aBody, ...other }, headers), 422, 'idempotency-mismatch');
  }
  await problemOf(await post(aBody, { 'idempotency-key': 'x'.repeat(256) }), 400, 'invalid-request');
});

test('the same Idempotency-Key with another name of the same audit version returns the same check', async () => {
  for (const [first, second] of [
    ['13.5.0', '13'],
    ['latest', '13.5.0'],
  ]) {
    const headers = { 'idempotency-key': randomUUID() };
    const { id } = await created({ ...aBody, auditVersion: first }, headers);
    const again = await post({ ...aBody, auditVersion: second }, headers);
    expect([again.status, await again.json()]).toMatchObject([200, { id, auditVersion: '13.5.0' }]);
  }
});

test('ten concurrent creates with one Idempotency-Key make one check', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(aBody, headers)));
  expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(9).fill(200), 201]);
  const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { id: string }).id));
  expect(new Set(ids).size).toBe(1);
});

test.each([
  ['malformed JSON', '{"url":', 'invalid-request', 'JSON'],
  ['an empty body', '', 'invalid-request', 'empty'],
  ['an array', [aBody], 'invalid-request', 'must be a JSON object'],
  ['null', 'null', 'invalid-request', 'must be a JSON object'],
  ['a wrong type', { ...aBody, url: 7 }, 'invalid-request', 'url'],
  ['an unknown field', { ...aBody, colour: 'red' }, 'invalid-request', 'colour'],
  [
    'a field named __proto__',
    '{"url":"https://example.com/","auditVersion":"12","regions":["us-east4"],"__proto__":{}}',
    'invalid-request',
    '__proto__',
  ],
  [
    'a field twice',
    '{"url":"https://example.com/","auditVersion":"12","regions":["us-east4"],"url":"x"}',
    'invalid-request',
    'twice',
  ],
  ['a URL with one slash', { ...aBody, url: 'http:/example.com/' }, 'invalid-request', 'http://'],
  ['a missing field', { url: aBody.url, regions: aBody.regions }, 'invalid-request', 'auditVersion'],
  ['no region', { ...aBody, regions: [] }, 'invalid-request', 'one or more regions'],
  ['an unknown region', { ...aBody, regions: ['us-west1', 'mars'] }, 'unsupported-region', 'australia-southeast1'],
  ['a region twice', { ...aBody, regions: ['us-west1', 'us-west1'] }, 'invalid-request', 'once'],
  ['an unknown version', { ...aBody, auditVersion: '8' }, 'unsupported-audit-version', '13.5.0'],
  ['another scheme', { ...aBody, url: 'ftp://example.com/' }, 'invalid-request', 'http'],
  ['a URL without a scheme', { ...aBody, url: 'example.com' }, 'invalid-request', 'url'],
  ['credentials in the URL', { ...aBody, url: 'https://user:pass-word@example.com/' }, 'invalid-request', 'user name'],
  [
    'a URL of 2,049 characters',
    { ...aBody, url: `https://example.com/${'a'.repeat(2029)}` },
    'invalid-request',
    '2048',
  ],
  [
    'an API key in the URL',
    { ...aBody, url: `https://example.com/?key=pas_0123456789ab_${'f00d'.repeat(16)}` },
    'invalid-request',
    'API key',
  ],
  ['a URL without a host', { ...aBody, url: 'https:///' }, 'invalid-request', 'url'],
  ['a private address', { ...aBody, url: 'http://10.0.0.1/' }, 'forbidden-target', 'url'],
  ['metadata of a cloud', { ...aBody, url: 'http://169.254.169.254/' }, 'forbidden-target', 'url'],
  ['the metadata address', { ...aBody, url: 'http://169.254.169.254/latest/' }, 'forbidden-target', 'url'],
])('a create with %s is a 400 that says what would be accepted', async (_, body, code, hint) => {
  const problem = await problemOf(await post(body), 400, code);
  expect(JSON.stringify(problem)).toContain(hint);
  expect(JSON.stringify(problem)).not.toContain('pass-word');
});

test('an unknown field is refused with the fields that a create accepts', async () => {
  const { errors } = await problemOf(await post({ ...aBody, colour: 'red' }), 400, 'invalid-request');
  const accepted =
    'Accepted fields: url, auditVersion, regions, device, samples, categories, labels, throttling, blockedUrlPatterns, against, simulations, headers, basicAuth, cookies, storageState, assertions, interactions, artifacts, secretTexts.';
  expect(errors).toEqual([{ path: 'colour', message: `Unknown field. ${accepted}` }]);
});

test('labels are echoed and stored, and belong to what a repeated create must repeat', async () => {
  const labels = { branch: 'main', commit: 'a1b2' };
  const headers = { 'idempotency-key': randomUUID() };
  const { id, ...rest } = await created({ ...aBody, labels }, headers);
  expect(rest).toMatchObject({ labels });
  expect(await (await call(`/v1/checks/${id}`)).json()).toMatchObject({ labels });
  const repeated = await post({ ...aBody, labels: { commit: 'a1b2', branch: 'main' } }, headers);
  expect([repeated.status, await repeated.json()]).toMatchObject([200, { id, labels }]);
  const changed = await post({ ...aBody, labels: { ...labels, branch: 'next' } }, headers);
  await problemOf(changed, 422, 'idempotency-mismatch');
});

test('a category that a version lacks is refused with the categories that it has', async () => {
  const { detail, errors } = await problemOf(
    await post({ ...aBody, auditVersion: '12', categories: ['seo', 'pwa'] }),
    400,
    'invalid-request',
  );
  expect(detail).toBe(
    'Audit version 12.8.2 has no category `pwa`. Its categories: performance, accessibility, best-practices, seo.',
  );
  expect(errors).toEqual([{ path: 'categories', message: detail }]);
});

test('a secret in a field name is redacted from the response', async () => {
  const problem = await problemOf(
    await post({ ...aBody, [`pas_0123456789ab_${'f00d'.repeat(16)}`]: 1 }),
    400,
    'invalid-request',
  );
  expect(problem.errors?.[0]?.path).toBe('pas_0123456789ab_[redacted]');
});

test('one response lists all wrong fields', async () => {
  const problem = await problemOf(
    await post({ url: 'nonsense', auditVersion: '1', regions: ['mars'] }),
    400,
    'invalid-request',
  );
  expect(problem.errors?.map(({ path }) => path)).toEqual(['url', 'auditVersion', 'regions']);
});

test('a body over 128 KiB is a 413, and a body of another type is a 415', async () => {
  await problemOf(await post({ ...aBody, url: 'x'.repeat(129 * 1024) }), 413, 'payload-too-large');
  await problemOf(await post(aBody, { 'content-type': 'text/plain' }), 415, 'unsupported-media-type');
  await problemOf(
    await post(aBody, { 'content-type': 'application/x-www-form-urlencoded' }),
    415,
    'unsupported-media-type',
  );
  await problemOf(
    await post(aBody, { 'content-type': 'application/json; charset=latin1' }),
    415,
    'unsupported-media-type',
  );
  expect((await post(aBody, { 'content-type': 'application/json; charset=utf-8' })).status).toBe(201);
  const gzipped = await call('/v1/checks', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify(aBody)),
  });
  expect(gzipped.headers.get('accept-encoding')).toBe('identity');
  await problemOf(gzipped, 415, 'unsupported-media-type');
});

test('a body that is not UTF-8 is a 400', async () => {
  const body = Buffer.concat([Buffer.from('{"url":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
  const answer = await call('/v1/checks', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  await problemOf(answer, 400, 'invalid-request');
});

test('a wrong method is a 405 with Allow, an unknown path is a 404, and OPTIONS and HEAD are supported', async () => {
  const { id } = await created();
  const wrong = await call('/v1/checks', { method: 'PUT' });
  expect(wrong.headers.get('allow')).toBe('POST, GET, HEAD, OPTIONS');
  await problemOf(wrong, 405, 'method-not-allowed');
  const patch = await call(`/v1/checks/${id}`, { method: 'PATCH' });
  expect(patch.headers.get('allow')).toBe('GET, HEAD, DELETE, OPTIONS');

  for (const path of [
    '//',
    '/v1',
    '/v1/nothing',
    '/v1/checks/',
    '/v1//checks',
    '/v1%2Fregions',
    `/v1/checks/${id}/runs`,
    '/health/x?y=z',
  ]) {
    await problemOf(await call(path), 404, 'not-found');
  }
  const options = await call('/v1/regions', { method: 'OPTIONS' });
  expect([options.status, options.headers.get('allow'), await options.text()]).toEqual([204, 'GET, HEAD, OPTIONS', '']);
  const head = await call(`/v1/checks/${id}`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'application/json', '']);
  expect((await call(`/v1/checks/${randomUUID()}`, { method: 'HEAD' })).status).toBe(404);
});

test.each(['nonsense', '%ZZ', '%', '%00', '..%2f..', "'; drop table", `${'a'.repeat(300)}`, '%F0%9F%92%A9'])(
  'an id that is not a UUID (%s) is a 404',
  async (id) => {
    for (const path of [`/v1/checks/${id}`, `/v1/checks/${id}/runs/${id}`, `/v1/audit/runs/${id}/report`]) {
      await problemOf(await call(path), 404, 'not-found');
    }
  },
);

test('the OpenAPI document has the query parameters that each route accepts', async () => {
  const ofApi = routes.filter((route) => !('query' in route && route.query === 'any'));
  for (const { method, path } of ofApi) {
    const url = path.replaceAll(/\{\w+\}/g, randomUUID());
    const answer = await call(`${url}?nonsense=1`, { method });
    const refusal = (await answer.json()) as { detail?: string; error?: { message: string } };
    const [, accepted] = /Accepted parameters: (.*)\.$/.exec(refusal.detail ?? refusal.error?.message ?? '') ?? [];
    expect([path, answer.status]).toEqual([path, 400]);
    const { parameters = [], security = [] } = openApiDocument().paths?.[path]?.[method.toLowerCase() as 'get'] ?? {};
    const documented = [
      ...parameters.flatMap((each) => ('in' in each && each.in === 'query' ? each.name : [])),
      ...security.flatMap((scheme) => ('share' in scheme ? 'share' : [])), // the scheme is a query parameter
    ];
    expect([method, path, documented.sort()]).toEqual([method, path, accepted?.split(', ').sort() ?? []]);
  }
});

test('an unknown query parameter is refused with the accepted ones', async () => {
  const { id, runs } = await created();
  const problem = await problemOf(await call(`/v1/audit/runs/${runs[0]?.id}?checkid=${id}`), 400, 'invalid-request');
  expect(problem.errors).toEqual([{ path: 'checkid', message: 'Unknown parameter. Accepted parameters: checkId.' }]);
});

test('regions, versions and health show what the deployment offers', async () => {
  const { regions } = (await (await call('/v1/regions')).json()) as { regions: unknown[] };
  expect(regions).toHaveLength(6);
  expect(regions).toContainEqual({
    id: 'europe-west3',
    awsRegion: 'eu-central-1',
    place: 'Frankfurt, Germany',
    available: true,
    pausedAt: null,
    lastSuccessAt: null,
  });
  const { versions } = (await (await call('/v1/audit/versions')).json()) as { versions: { version: string }[] };
  expect(versions.map(({ version }) => version)).toEqual(auditVersions.map(({ version }) => version));
  expect(versions[0]).toMatchObject({ aliases: expect.arrayContaining(['latest', '13']) });
  expect(versions[0]).toMatchObject({
    metrics: ['fcp', 'si', 'lcp', 'tti', 'tbt', 'cls', 'ttfb', 'bytes', 'requests', 'mainThreadCpu'],
  });
  expect(await (await call('/v1/limits')).json()).toEqual({
    maxBodyBytes: 131_072,
    maxUrlLength: 2048,
    maxSamples: 15,
    ports: [80, 443, 8080, 8443],
    allowedTargets: ['*.test', '10.1.0.0/16'],
    chromium: { version: PACKAGED_CHROMIUM, source: 'package', releasedOn: '2026-09-16', ageDays: expect.any(Number) },
    retentionDays: 90,
    trendDays: 400,
    plans,
  });
  expect(await (await call('/health')).json()).toEqual({
    status: 'ok',
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
  });
});
