import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultOf } from '../../infra/local/backup/item-schemas.ts';
import type { Badge, ShieldsBadge } from '../../shared/badges.ts';
import type { ApiKey } from '../../shared/service/keys.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { finishedCheck } from '../support/finished-checks.ts';

let api: Api;
let owner: Headers;
beforeAll(async () => {
  api = await startApi({ AUTH: 'keys', PUBLIC_URL: 'https://tools.example.com/audit' });
  owner = await aKey();
});
afterAll(() => api.stop());

type Headers = Record<string, string>;
const page = 'https://shop.example/';
const aKey = async (fields: Partial<ApiKey> = {}): Promise<Headers> => {
  const { text } = await api.world.newKey({ owner: 'anonymous', ...fields });
  return { authorization: `Bearer ${text}` };
};
const call = (path: string, init: RequestInit = {}) => fetchDocumented(`${api.url}${path}`, init);
const send = (body: object, headers = owner) =>
  call('/v1/badges', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const make = async (body: object, headers = owner) => (await (await send(body, headers)).json()) as Badge;
const faceOf = async ({ id }: Pick<Badge, 'id'>) => {
  const { message, color } = (await (await call(`/v1/badges/${id}.json`)).json()) as ShieldsBadge;
  return `${message} ${color}`;
};
const audit = (url: string, performance: number, inputs: object = {}) =>
  finishedCheck(api.world, { url, regions: ['us-west1'], ...inputs }, [{ lcps: [1500], performance }]);

test('anyone sees the newest score of a page as an image and as JSON of shields.io', async () => {
  await audit(page, 61, { now: new Date(Date.now() - 3_600_000) });
  await audit(page, 92);
  const answer = await send({ url: page });
  const badge = (await answer.json()) as Badge;
  const image = 'https://tools.example.com/audit/v1/badges';
  const trend = 'https://tools.example.com/audit/pages?url=https%3A%2F%2Fshop.example%2F&device=mobile';
  expect(answer.status).toBe(201);
  expect(badge.markdown).toBe(`[![performance](${image}/${badge.id}.svg)](${trend})`);
  expect(badge.links.svg).toBe(`/audit/v1/badges/${badge.id}.svg`);
  const svg = await call(`/v1/badges/${badge.id}.svg?v=2&style=flat-square`); // as image proxies and READMEs send it
  const text = await svg.text();
  expect(text).toContain('<title>performance: 92</title>');
  expect(text).not.toContain('shop.example');
  const { 'content-type': type, 'cache-control': cache, etag = '', ...headers } = Object.fromEntries(svg.headers);
  expect({ status: svg.status, type, cache }).toEqual({
    status: 200,
    type: 'image/svg+xml; charset=utf-8',
    cache: 'public, max-age=300',
  });
  expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
  const shields = await call(`/v1/badges/${badge.id}.json`);
  expect(await shields.json()).toEqual({
    schemaVersion: 1,
    label: 'performance',
    message: '92',
    color: 'brightgreen',
    isError: false,
    cacheSeconds: 300,
  });
  const again = await call(`/v1/badges/${badge.id}.svg`, { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  await audit(page, 45);
  const changed = await call(`/v1/badges/${badge.id}.svg`, { headers: { 'if-none-match': etag } });
  expect([changed.status, await changed.text()]).toEqual([200, expect.stringContaining('<title>performance: 45<')]);
});

test('a badge of a branch, a region or a device shows their results only', async () => {
  const url = `${page}filters`;
  const hour = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await audit(url, 95, { labels: { branch: 'main' }, now: hour(30) });
  for (let i = 0; i < 55; i++) await audit(url, 51, { labels: { branch: 'other' }, now: hour(29 - i / 10) });
  await audit(url, 77, { device: 'desktop', now: hour(1) });
  await audit(url, 66, { regions: ['europe-north1'], now: hour(0.5) });
  expect(await faceOf(await make({ url, labels: { branch: 'main' } }))).toBe('95 brightgreen');
  expect(await faceOf(await make({ url, labels: { branch: 'none' } }))).toBe('no result lightgrey');
  expect(await faceOf(await make({ url, device: 'desktop' }))).toBe('77 orange');
  expect(await faceOf(await make({ url, region: 'europe-north1' }))).toBe('66 orange');
  expect(await faceOf(await make({ url, region: 'us-west1' }))).toBe('51 orange');
  expect(await faceOf(await make({ url, category: 'accessibility' }))).toBe('78 orange');
});

test('a badge shows results of its owner only, and says so if a page has none', async () => {
  const url = `${page}owners`;
  await audit(url, 92);
  const other = await aKey({ owner: 'acme' });
  expect(await faceOf(await make({ url }, other))).toBe('no result lightgrey');
  await finishedCheck(api.world, { url, regions: ['us-west1'] }, [{ failed: 'http-error' }]);
  expect(await faceOf(await make({ url }))).toBe('failed lightgrey');
});

test('a revoked badge is a grey image, and as JSON a 404, as one that never was', async () => {
  const badge = await make({ url: `${page}revoked` });
  const other = await aKey({ owner: 'acme' });
  const revoke = (headers: Headers) => call(`/v1/badges/${badge.id}`, { method: 'DELETE', headers });
  expect((await revoke(other)).status).toBe(404);
  expect((await revoke(owner)).status).toBe(204);
  expect((await revoke(owner)).status).toBe(404);
  for (const id of [badge.id, randomUUID()]) {
    const svg = await call(`/v1/badges/${id}.svg`);
    expect([svg.status, await svg.text()]).toEqual([200, expect.stringContaining('no such badge')]);
    expect((await call(`/v1/badges/${id}.json`)).status).toBe(404);
  }
  expect((await make({ url: badge.url })).id).not.toBe(badge.id);
});

test.each(['', 'x.svg', `${randomUUID()}.png`, randomUUID(), '..%2f..%2fv1%2fchecks.svg'])(
  'an address %j that is none of a badge is a 404 as a problem document',
  async (path) => {
    const answer = await call(`/v1/badges/${path || '%20'}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  },
);

test('the same inputs give the same badge, which the list of its owner shows', async () => {
  const url = `${page}same`;
  const [first, again] = [await send({ url }), await send({ url: 'https://SHOP.example/same', device: 'mobile' })];
  const badge = (await first.json()) as Badge;
  expect([first.status, again.status, await again.json()]).toEqual([201, 200, badge]);
  expect((await make({ url, category: 'seo' })).id).not.toBe(badge.id);
  const { badges } = (await (await call('/v1/badges', { headers: owner })).json()) as { badges: Badge[] };
  expect(badges.filter((each) => each.url === url)).toHaveLength(2);
  expect(badges).toContainEqual(badge);
  const other = await aKey({ owner: 'nobody' });
  expect(await (await call('/v1/badges', { headers: other })).json()).toEqual({ badges: [] });
});

test('making, listing and revoking need a key with the right scope', async () => {
  const reader = await aKey({ scopes: ['checks:read'] });
  const id = randomUUID();
  const statuses = [
    (await send({ url: page }, {})).status,
    (await send({ url: page }, reader)).status,
    (await call('/v1/badges')).status,
    (await call(`/v1/badges/${id}`, { method: 'DELETE' })).status,
    (await call(`/v1/badges/${id}`, { method: 'DELETE', headers: reader })).status,
  ];
  expect(statuses).toEqual([401, 403, 401, 401, 403]);
});

test('an owner has as many badges as the plan of the key says', async () => {
  const small = await aKey({ owner: 'small', plan: 'small' });
  for (let i = 0; i < 20; i++) expect((await send({ url: `${page}${i}` }, small)).status).toBe(201);
  const refused = await send({ url: `${page}more` }, small);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect((await send({ url: `${page}0` }, small)).status).toBe(200);
});

test.each([
  ['no URL', {}, 'url'],
  ['another address', { url: 'javascript:alert(1)' }, 'url'],
  ['an unknown device', { url: page, device: 'watch' }, 'device'],
  ['an unknown region', { url: page, region: 'moon' }, 'region'],
  ['a name of no label', { url: page, labels: { 'A B': 'x' } }, 'labels'],
  ['an unknown category', { url: page, category: 'speed' }, 'category'],
  ['an unknown field', { url: page, style: 'flat' }, 'style'],
])('a badge with %s is a 400 that names the field', async (_, badge, field) => {
  const answer = await send(badge);
  const { errors } = (await answer.json()) as { errors: { path: string }[] };
  expect([answer.status, errors[0]?.path.split('.')[0]]).toEqual([400, field]);
});

test('a check of the data knows badges, marks, builds and their uploads', async () => {
  const json = { ...owner, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    call(path, { method: 'POST', headers: json, body: JSON.stringify(body) }).then((answer) => answer.json());
  await post('/v1/marks', { text: 'deploy' });
  const { id } = (await post('/v1/projects/lookup', { token: owner.authorization?.replace('Bearer ', '') })) as Badge;
  const now = new Date().toISOString();
  const commit = { hash: 'a'.repeat(40), branch: 'main', commitMessage: 'm', author: 'a', avatarUrl: '', runAt: now };
  const build = (await post(`/v1/projects/${id}/builds`, {
    ...commit,
    committedAt: now,
    lifecycle: 'unsealed',
  })) as Badge;
  const lhr = gunzipSync(readFileSync(new URL('../recorded/reports/13.5.0.json.gz', import.meta.url))).toString();
  await post(`/v1/projects/${id}/builds/${build.id}/runs`, { url: page, lhr, representative: false });
  const { Items = [] } = await api.world.db.client.send(new ScanCommand({ TableName: api.world.db.table }));
  expect([...new Set(Items.map(({ pk }) => String(pk).split('#')[0]))]).toEqual(
    expect.arrayContaining(['BADGE', 'MARK', 'BUILD', 'UPLOAD']),
  );
  expect(Items.flatMap(({ pk, sk, ...item }) => faultOf(pk, sk, item) ?? [])).toEqual([]);
});
