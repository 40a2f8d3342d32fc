import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { SERVICE_VERSION } from '../../shared/service/version.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { aCheck, type World } from '../support/world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  api = await startApi();
  world = api.world;
});
afterAll(() => api.stop());

const get = async (path: string, ifNoneMatch?: string, method = 'GET') => {
  const headers: Record<string, string> = ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch };
  const answer = await fetchDocumented(`${api.url}${path}`, { method, headers });
  const { headers: got, status } = answer;
  return { status, etag: got.get('etag') ?? '', retryAfter: got.get('retry-after'), text: await answer.text() };
};

test('a check and its run have a strong ETag that changes with each visible change only', async () => {
  const check = aCheck({ regions: ['us-west1'] });
  const [run] = (await world.create(check)) as [RunItem];
  const paths = [`/v1/checks/${check.id}`, `/v1/checks/${check.id}/runs/${run.id}`, `/v1/audit/runs/${run.id}`];
  const tags = async () => Promise.all(paths.map(async (path) => (await get(path)).etag));

  const created = await tags();
  for (const tag of created) expect(tag).toMatch(/^"[\w-]{43}-gzip"$/);
  const marked = await world.due.markSent(run, new Date());
  expect(await tags()).toEqual(created);

  const lease = await world.claim(marked as RunItem);
  const running = await tags();
  for (const [i, tag] of running.entries()) expect(tag).not.toBe(created[i]);
  await world.leases.renew(lease, new Date(Date.now() + 15_000));
  expect(await tags()).toEqual(running);
});

test('If-None-Match turns an unchanged check or run into a 304 without a body, for GET and HEAD', async () => {
  const check = aCheck({ regions: ['us-west1'] });
  const [run] = (await world.create(check)) as [RunItem];
  for (const path of [`/v1/checks/${check.id}`, `/v1/audit/runs/${run.id}`]) {
    const { etag } = await get(path);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      expect(await get(path, known)).toEqual({ status: 304, etag, retryAfter: '2', text: '' });
      expect(await get(path, known, 'HEAD')).toEqual({ status: 304, etag, retryAfter: '2', text: '' });
    }
    expect(await get(path, '"other"')).toMatchObject({ status: 200, etag });
    expect(await get(path, undefined, 'HEAD')).toEqual({ status: 200, etag, retryAfter: '2', text: '' });
  }
  expect((await get(`/v1/checks/${randomUUID()}`, '*')).status).toBe(404);
});

test('a long answer is compressed if the client accepts it, and each form has its own strong ETag', async () => {
  const check = aCheck({ regions: ['us-west1', 'us-east4'] });
  await world.create(check);
  const url = `${api.url}/v1/checks/${check.id}`;
  const read = async (coding: string, ifNoneMatch = '"none"', method = 'GET') => {
    const headers = { 'accept-encoding': coding, 'if-none-match': ifNoneMatch };
    const answer = await fetchDocumented(url, { method, headers }); // `fetch` decompresses
    const { status, headers: got } = answer;
    const etag = got.get('etag') ?? '';
    return { status, etag, coding: got.get('content-encoding'), vary: got.get('vary'), text: await answer.text() };
  };
  const [gzip, plain] = [await read('gzip, br'), await read('identity')];
  expect(gzip).toMatchObject({ status: 200, coding: 'gzip', vary: 'Prefer, Accept-Encoding', text: plain.text });
  expect(plain).toMatchObject({ status: 200, coding: null, vary: 'Prefer, Accept-Encoding' });
  expect(gzip.etag).toBe(plain.etag.replace(/"$/, '-gzip"'));
  expect(await read('gzip', gzip.etag)).toMatchObject({ status: 304, etag: gzip.etag, vary: gzip.vary, text: '' });
  expect(await read('identity', plain.etag)).toMatchObject({ status: 304, etag: plain.etag });
  expect((await read('identity', gzip.etag)).status).toBe(200);
  expect(await read('gzip', '"none"', 'HEAD')).toMatchObject({
    status: 200,
    coding: 'gzip',
    etag: gzip.etag,
    text: '',
  });

  const short = await fetch(`${api.url}/health`, { headers: { 'accept-encoding': 'gzip' } });
  expect([short.headers.get('content-encoding'), await short.text()]).toEqual([
    null,
    `{"status":"ok","version":"${SERVICE_VERSION}"}`,
  ]);
});

test('only an unfinished check or run has Retry-After', async () => {
  const { check, run } = await world.finishedRun('{}');
  for (const path of [`/v1/checks/${check.id}`, `/v1/audit/runs/${run.id}`]) {
    expect(await get(path)).toMatchObject({ status: 200, retryAfter: null });
  }
});
