import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Lease } from '../../functions/lib/store/leases.ts';
import type { CheckView } from '../../shared/check.ts';
import type { Region } from '../../shared/regions.ts';
import { fetchDocumented } from '../support/documented.ts';
import { type Gateway, startFunctions } from '../support/gateway.ts';
import { problemOf } from '../support/problem.ts';
import { unlessMissing } from '../support/skips.ts';
import { aCheck, startWorld, type World } from '../support/world.ts';

let world: World;
let api: Gateway;
const start = async () => {
  api = await startFunctions();
};
/** Ids of the checks that were read, one for each read. */
const reads: string[] = [];
beforeAll(async () => {
  world = await startWorld({ CHANGES_FROM: 'process' });
  await start();
});
afterAll(async () => {
  await api.close();
  await world.stop();
});
beforeEach(() => {
  const { send } = DynamoDBDocumentClient.prototype;
  vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(function (this: never, ...args) {
    const { ExpressionAttributeValues: values } = args[0].input as {
      ExpressionAttributeValues?: { ':key0'?: string };
    };
    if (values?.[':key0']) reads.push(values[':key0'].replace('CHECK#', ''));
    return send.apply(this, args);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  reads.length = 0;
});

/** Creates a check whose runs are at work. */
const runningCheck = async (regions: Region[] = ['us-west1']) => {
  const check = aCheck({ regions });
  const runs = await world.create(check);
  const leases = await Promise.all(
    runs.map(async (run) => (await world.leases.claim(run, randomUUID(), new Date())) as Lease),
  );
  const finish = (i = 0) =>
    world.leases.finish(leases[i] as Lease, { state: 'succeeded', attempts: [], performance: 98 }, new Date());
  return { id: check.id, leases, finish };
};

const get = (id: string, headers: Record<string, string> = {}, init: RequestInit = {}, path = `/v1/checks/${id}`) =>
  fetchDocumented(`${api.url}${path}`, { headers, ...init });
/** Sends a request that waits, and returns when it has read the check. */
const startWait = async (id: string, headers: Record<string, string> = {}, init: RequestInit = {}, path?: string) => {
  const before = reads.filter((each) => each === id).length;
  const answer = get(id, { prefer: 'wait=25', ...headers }, init, path).then((response) => ({ response }));
  answer.catch(() => {}); // a test may abort it
  await expect.poll(() => reads.filter((each) => each === id).length).toBeGreaterThan(before + 1); // the read before the redirect, and the first of the wait
  await sleep(50);
  return { answer };
};
const stateOf = async (response: Response) => ((await response.json()) as CheckView).state;

test('a wait answers when the last run finishes, and reads nothing before', async () => {
  const { id, leases, finish } = await runningCheck();
  const { answer } = await startWait(id);
  await world.leases.renew(leases[0] as Lease, new Date()); // changes nothing that a client sees
  await sleep(800);
  expect(reads).toEqual([id, id]); // the second one is the first of the wait
  await finish();
  const { response } = await answer;
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'preference-applied': 'wait=25',
    vary: 'Prefer, Accept-Encoding',
    'cache-control': 'no-store',
    etag: expect.any(String),
  });
  expect(response.headers.has('retry-after')).toBe(false);
  expect(await stateOf(response)).toBe('succeeded');
});

test('a wait is redirected to a path of its own, with its query, and a read is not', async () => {
  const { id, leases, finish } = await runningCheck();
  const run = leases[0]?.run.id as string;
  const redirect = async (path: string) => {
    const { status, headers } = await get(id, { prefer: 'wait=5' }, { redirect: 'manual' }, path);
    return [status, URL.parse(headers.get('location') ?? '', api.url + path)?.href.replace(api.url, '')];
  };
  for (const path of [`/v1/checks/${id}`, `/v1/checks/${id}/runs/${run}`, `/v1/audit/runs/${run}`]) {
    expect(await redirect(path)).toEqual([307, `${path}/wait`]);
    expect((await get(id, {}, { redirect: 'manual' }, path)).status).toBe(200);
  }
  const withQuery = `/v1/audit/runs/${run}?checkId=${id}`;
  expect(await redirect(withQuery)).toEqual([307, withQuery.replace('?', '/wait?')]);
  await problemOf(await get(id, { prefer: 'wait=5' }, { redirect: 'manual' }, `/v1/checks/${run}`), 404, 'not-found');
  await finish();
  expect((await get(id, { prefer: 'wait=5' }, { redirect: 'manual' })).status).toBe(200);
});

test('a wait for an unfinished check ends after its time with the present state', async () => {
  const { id } = await runningCheck();
  const started = performance.now();
  const response = await get(id, { prefer: 'wait=1' });
  expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  expect(response.headers.get('preference-applied')).toBe('wait=1');
  expect(response.headers.get('retry-after')).toBe('2');
  expect(await stateOf(response)).toBe('running');
});

test('a finished check answers at once, and an invalid wait is ignored', async () => {
  const { id, finish } = await runningCheck();
  for (const prefer of ['wait=-1', 'wait=abc', 'respond-async', 'wait=0']) {
    const response = await get(id, { prefer });
    expect(response.headers.get('preference-applied')).toBe(prefer === 'wait=0' ? prefer : null);
    expect(response.headers.get('vary')).toBe('Prefer, Accept-Encoding');
    expect(await stateOf(response)).toBe('running');
  }
  await finish();
  const response = await get(id, { prefer: 'wait=9999' });
  expect(response.headers.get('preference-applied')).toBe('wait=25');
  expect(await stateOf(response)).toBe('succeeded');
});

test('with If-None-Match a wait answers at the next visible change, and with 304 if there is none', async () => {
  const { id, finish } = await runningCheck(['us-west1', 'us-east4']);
  const { headers } = await get(id);
  const tag = { 'if-none-match': headers.get('etag') as string };
  const unchanged = await get(id, { prefer: 'wait=1', ...tag });
  expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
  expect(unchanged.headers.get('preference-applied')).toBe('wait=1');

  const { answer } = await startWait(id, tag);
  await finish(0);
  const { response } = await answer;
  expect(response.status).toBe(200);
  expect(await stateOf(response)).toBe('running');

  const outdated = await get(id, { prefer: 'wait=25', ...tag });
  expect(outdated.status).toBe(200);

  await finish(1);
  const final = await get(id);
  const known = await get(id, { prefer: 'wait=25', 'if-none-match': final.headers.get('etag') as string });
  expect(known.status).toBe(304); // at once, because a finished check changes no more
});

test.each([
  ['its check', (id: string, runId: string) => `/v1/checks/${id}/runs/${runId}`],
  ['its id alone', (_: string, runId: string) => `/v1/audit/runs/${runId}`],
])('a run that is read by %s waits for its end, and for its next change', async (_, pathOf) => {
  const { id, leases, finish } = await runningCheck(['us-west1', 'us-east4']);
  const path = pathOf(id, leases[0]?.run.id as string);
  const present = await get(id, {}, {}, path);
  expect([present.status, present.headers.get('retry-after')]).toEqual([200, '2']);
  const tag = { 'if-none-match': present.headers.get('etag') as string };
  const unchanged = await get(id, { prefer: 'wait=1', ...tag }, {}, path);
  expect(unchanged.status).toBe(304);
  expect(Object.fromEntries(unchanged.headers)).toMatchObject({ 'preference-applied': 'wait=1', 'retry-after': '2' });

  const both = await Promise.all([startWait(id, {}, {}, path), startWait(id, tag, {}, path)]);
  await finish(1); // the other run does not end them
  await sleep(100);
  expect(reads.filter((each) => each === id).length).toBeGreaterThanOrEqual(6);
  await finish(0);
  for (const { answer } of both) {
    const { response } = await answer;
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'preference-applied': 'wait=25',
      vary: 'Prefer, Accept-Encoding',
    });
    expect([response.headers.get('retry-after'), await stateOf(response)]).toEqual([null, 'succeeded']);
  }
});

test('a HEAD waits too', async () => {
  const { id, finish } = await runningCheck();
  const { answer } = await startWait(id, {}, { method: 'HEAD' });
  await finish();
  const { response } = await answer;
  expect([response.status, response.headers.get('retry-after')]).toEqual([200, null]);
});

test('a wait for a check that is erased meanwhile answers 404', async () => {
  const { id } = await runningCheck();
  const { answer } = await startWait(id);
  expect((await get(id, {}, { method: 'DELETE' })).status).toBe(204);
  await problemOf((await answer).response, 404, 'not-found');
});

test('an eleventh wait of an owner is refused, and the end of a client makes room', async () => {
  const { id, finish } = await runningCheck();
  const leaving = new AbortController();
  const first = await startWait(id, {}, { signal: leaving.signal });
  const others = await Promise.all(Array.from({ length: 9 }, () => startWait(id)));
  await expect.poll(() => reads.filter((each) => each === id).length).toBe(20); // all ten wait

  const refused = await get(id, { prefer: 'wait=25' });
  expect(refused.headers.get('retry-after')).toBe('2');
  const { detail } = await problemOf(refused, 429, 'too-many-requests');
  expect(detail).toContain('Already 10 requests');
  expect((await get(id)).status).toBe(200); // without a wait

  leaving.abort();
  await expect(first.answer).rejects.toThrow();
  await expect.poll(async () => (await get(id, { prefer: 'wait=1' })).status).toBe(200);
  await finish();
  for (const { answer } of others) expect(await stateOf((await answer).response)).toBe('succeeded');
});

test('a service that stops answers its waits with the present state', async () => {
  const { id } = await runningCheck();
  const { answer } = await startWait(id);
  await api.close();
  const { response } = await answer; // the gateway would close the connection of a slower answer
  expect([response.status, response.headers.get('retry-after')]).toEqual([200, '2']);
  expect(await stateOf(response)).toBe('running');
  await start();
});

const hasCurl = spawnSync('curl', ['--version']).status === 0;
const needsCurl = unlessMissing(hasCurl ? undefined : 'curl');

test('the loop of the documentation follows a check to its end with curl alone', needsCurl, async () => {
  const { id, finish } = await runningCheck();
  const [loop = ''] = /^while curl .*?\bdone$/ms.exec(readFileSync('shared/API.md', 'utf8')) ?? [];
  expect(loop.split('\n').length).toBeLessThanOrEqual(3);
  const ours = loop
    .replace(/http:\S+/, `${api.url}/v1/checks/${id}`)
    .replace('wait=25', 'wait=1')
    .replace('sleep 2', 'sleep 0.1');
  const cwd = mkdtempSync(join(tmpdir(), 'page-audit-wait-'));
  const ended = promisify(execFile)('bash', ['-c', ours], { cwd });
  await expect.poll(() => reads.length).toBeGreaterThanOrEqual(5); // one wait has ended without a result
  await finish();
  await ended;
  expect(JSON.parse(readFileSync(join(cwd, 'check.json'), 'utf8'))).toMatchObject({ id, state: 'succeeded' });
  rmSync(cwd, { recursive: true });
});
