import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunItem } from '../../functions/lib/store/items.ts';
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
  for (const tag of created) expect(tag).toMatch(/^"[\w-]{43}"$/);
  const marked = await world.store.markSent(run, new Date());
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

test('only an unfinished check or run has Retry-After', async () => {
  const { check, run } = await world.finishedRun('{}');
  for (const path of [`/v1/checks/${check.id}`, `/v1/audit/runs/${run.id}`]) {
    expect(await get(path)).toMatchObject({ status: 200, retryAfter: null });
  }
});
