import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeBadge } from 'badge-maker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunItem } from '../../../functions/lib/store/items.ts';
import type { Lease } from '../../../functions/lib/store/leases.ts';
import { filesIn, sizesOf } from '../../../infra/bundle/files.ts';
import { build } from '../../../infra/bundle/main.ts';
import { checkSize } from '../../../infra/bundle/sizes.ts';
import { auditVersions } from '../../../shared/audit-versions.ts';
import { functionRows } from '../../../shared/service/functions.ts';
import { apiFunctions } from '../../../shared/service/routes.ts';
import { buildFunctions, builtHandler } from '../../support/built-functions.ts';
import { FULL } from '../../support/full.ts';
import { type Gateway, startHandlers } from '../../support/gateway.ts';
import { serveOnHttp } from '../../support/services-on-http.ts';
import { aCheck, startWorld, type World } from '../../support/world.ts';

const ELF = Buffer.from('\x7fELF', 'latin1');
const built = fileURLToPath(new URL('../../../dist/functions', import.meta.url));

let world: World;
let api: Gateway;
let http: Awaited<ReturnType<typeof serveOnHttp>>;
beforeAll(async () => {
  await buildFunctions();
  world = await startWorld();
  http = await serveOnHttp(world.aws);
  Object.assign(process.env, http.env);
  api = await startHandlers(builtHandler);
});
afterAll(async () => {
  await api?.close();
  await http?.close();
  await world?.stop();
});

const call = async (path: string, method = 'GET', body?: unknown) => {
  const sent = body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {};
  const answer = await fetch(`${api.url}${path}`, { method, ...sent });
  const text = await answer.text();
  return { status: answer.status, allow: answer.headers.get('allow'), body: text && JSON.parse(text) };
};

test('the deployed API functions answer events of API Gateway, from a create to its report', async () => {
  const inputs = { url: 'https://example.com/', auditVersion: 'latest', regions: ['europe-west3'] };
  const { status, body: check } = await call('/v1/checks', 'POST', inputs);
  expect(status).toBe(201);
  const runPath = `/v1/checks/${check.id}/runs/${check.runs[0].id}`;
  expect(await world.jobsIn('europe-west3')).toMatchObject([{ checkId: check.id, runId: check.runs[0].id }]);
  expect(await call(`/v1/checks/${check.id}`)).toMatchObject({ status: 200, body: { id: check.id, state: 'created' } });
  expect(await call(runPath)).toMatchObject({ status: 200, body: { region: 'europe-west3', state: 'created' } });
  expect(await call(`${runPath}/report`)).toMatchObject({ status: 409, body: { code: 'report-not-ready' } });
});

test('the deployed get-check polls the table while a client waits', async () => {
  const check = aCheck({ regions: ['us-west1'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = (await world.leases.claim(run, randomUUID(), new Date())) as Lease;
  const answer = fetch(`${api.url}/v1/checks/${check.id}`, { headers: { prefer: 'wait=25' } });
  await sleep(200);
  await world.leases.finish(lease, { state: 'failed', attempts: [] }, new Date()); // the bundle has a store of its own
  expect((await answer).headers.get('preference-applied')).toBe('wait=25');
  expect(await (await answer).json()).toMatchObject({ state: 'failed' });
});

test('the deployed API functions list regions and versions, and reject unknown paths and methods', async () => {
  expect(await call('/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await call('/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
  expect((await call('/v1/regions')).body.regions).toHaveLength(6);
  expect((await call('/v1/audit/versions')).body.versions).toHaveLength(auditVersions.length);
  expect(await call('/v1/nothing')).toMatchObject({ status: 404, body: { code: 'not-found' } });
  expect(await call('/v1/checks', 'PATCH')).toMatchObject({ status: 405, body: { code: 'method-not-allowed' } });
  expect(await call('/v1/regions', 'OPTIONS')).toEqual({ status: 204, allow: 'GET, HEAD, OPTIONS', body: '' });
});

test('the functions on arm64 have no native code', async () => {
  const native = async (name: string) =>
    [...(await filesIn(join(built, name)))]
      .filter(([path, content]) => path.endsWith('.node') || Buffer.from(content).subarray(0, 4).equals(ELF))
      .map(([path]) => path);
  const rows = Object.entries(functionRows).filter(([, { architecture }]) => architecture === 'arm64');
  expect(rows.length).toBeGreaterThan(10);
  for (const [name] of rows) expect(await native(name), name).toEqual([]);
});

test('the deployed get-report returns a page with the deployed report viewer', async () => {
  const { path, check } = await world.finishedRun('{"lighthouseVersion": "13.5.0"}');
  const answer = await fetch(`${api.url}${path}`, { headers: { accept: 'text/html' } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const page = await answer.text();
  expect(page).toContain('__LIGHTHOUSE_JSON__ = {"lighthouseVersion": "13.5.0"}');
  expect(page.length).toBeGreaterThan(180_000); // the viewer
  expect(page).toContain('__initLighthouseReport__();');
  expect(await call(`/v1/checks/${check.id}`, 'DELETE')).toMatchObject({ status: 204 });
  expect(await call(path)).toMatchObject({ status: 404 });
});

test('the deployed links draw a badge as the library does with its whole table of characters', async () => {
  const { body: badge } = await call('/v1/badges', 'POST', { url: 'https://example.com/badge' });
  const svg = await (await fetch(`${api.url}${badge.links.svg}`)).text();
  expect(svg).toBe(makeBadge({ label: 'performance', message: 'no result', color: 'lightgrey' }));
});

test('the deployed docs returns the page and its files', async () => {
  const page = await (await fetch(`${api.url}/docs`)).text();
  const urls = [...page.matchAll(/(?:href|src)="(docs\/[^"]+)"/g)].map(([, url]) => url);
  expect(urls).toHaveLength(5);
  for (const url of urls) expect((await fetch(`${api.url}/${url}`)).status).toBe(200);
  expect(await call('/v1/openapi.json')).toMatchObject({ status: 200, body: { openapi: '3.1.1' } });
});

test('the deployed web page has its files, also at an unknown path', async () => {
  const page = await (await fetch(api.url)).text();
  const urls = [...page.matchAll(/(?:href|src)="(\/assets[^"]+)"/g)].map(([, url]) => url);
  expect(urls.map((url) => url?.split('/').at(-1))).toEqual(expect.arrayContaining(['icon.svg', 'app.js']));
  for (const url of urls) expect((await fetch(`${api.url}${url}`)).status).toBe(200);
  const missing = await fetch(`${api.url}/nothing`, { headers: { accept: 'text/html' } });
  expect([missing.status, await missing.text()]).toEqual([404, page]);
});

test('the deployed sweep runs', async () => {
  const sweep = await builtHandler('sweep');
  await expect(sweep({} as never, {} as never)).resolves.toBeUndefined();
});

test('source maps of a deployed function name our sources', async () => {
  const script = `
    const { findSourceMap } = await import('node:module');
    const file = ${JSON.stringify(join(built, 'get-check', 'index.mjs'))};
    await import(file);
    console.log(JSON.stringify(findSourceMap(file)?.payload.sources));
  `;
  const args = ['--enable-source-maps', '--input-type=module', '-e', script];
  const sources: string[] = JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
  expect(sources.map((path) => path.split('/').slice(-2).join('/'))).toContain('functions/get-check.ts');
});

/** A second build takes half a minute, so it is made at full size only. */
const testInFull = FULL ? test : () => {};
testInFull('two builds produce the same bytes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'page-audit-build-'));
  await build({ out: join(folder, 'elsewhere', 'functions') });
  expect(await hashes(join(folder, 'elsewhere', 'functions'))).toEqual(await hashes(built));
  await rm(folder, { recursive: true });
});

const hashes = async (folder: string) =>
  [...(await filesIn(folder))].map(
    ([path, content]) => `${path} ${createHash('sha256').update(content).digest('hex')}`,
  );

test('every function is smaller than its limit', async () => {
  const sizes: Record<string, number> = {};
  for (const name of [...apiFunctions, 'sweep', 'run-audit']) {
    const files = sizesOf(await filesIn(join(built, name)));
    sizes[name] = files.reduce((sum, [, bytes]) => sum + bytes, 0);
  }
  const { 'run-audit': audit, ...others } = sizes;
  expect(audit).toBeLessThan(200_000_000); // Lambda refuses 250 MB
  for (const [name, bytes] of Object.entries(others)) {
    expect(bytes, name).toBeLessThan(name === 'docs' ? 3_000_000 : 1_500_000);
  }
});

test('a function above its limit fails the build, and the error names its ten largest parts', () => {
  const parts = new Map(Array.from({ length: 12 }, (_, i) => [`node_modules/library-${i}`, i * 1e6]));
  const asset = { files: new Map([['index.mjs', 'x'.repeat(100)]]), parts };
  expect(checkSize('get-run', asset, 101)).toEqual({ all: 100, maps: 0 });
  const largest = Array.from({ length: 10 }, (_, i) => `library-${11 - i}`);
  expect(() => checkSize('get-run', asset, 100)).toThrow(new RegExp(`^get-run .*${largest.join('[^]*')}$`, 's'));
});
