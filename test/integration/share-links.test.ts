import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { shareToken } from '../../functions/lib/checks/share-token.ts';
import { updateItem } from '../../functions/lib/store/dynamodb.ts';
import { ifExists } from '../../functions/lib/store/expressions.ts';
import { checkKey, type RunItem } from '../../functions/lib/store/items.ts';
import { linkStore } from '../../functions/lib/store/links.ts';
import { createLink as createSharedLink } from '../../functions/links.ts';
import type { CheckView } from '../../shared/check.ts';
import { noMetrics, spreadOf } from '../../shared/metrics/page-metrics.ts';
import type { ApiKey } from '../../shared/service/keys.ts';
import { expectDocumented, fetchDocumented } from '../support/documented.ts';
import { type Gateway, startFunctions } from '../support/gateway.ts';
import { problemOf } from '../support/problem.ts';
import { webDir } from '../support/web-dir.ts';
import { aCheck, startWorld, type World } from '../support/world.ts';

const PAGE = 'https://pages.example.com';
let world: World;
let api: Gateway;
let owner: Headers;
beforeAll(async () => {
  world = await startWorld({ AUTH: 'keys', CORS_ORIGINS: PAGE, CHANGES_FROM: 'process', WEB_DIR: await webDir() });
  api = await startFunctions();
  await fetch(`${api.url}/v1/checks/${randomUUID()}`); // reads the environment
  owner = await aKey();
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await api.close();
  await world.stop();
});

/** Starts the functions again, so that they read the environment again. */
const newApi = async () => {
  vi.resetModules();
  await world.aws.connect();
  return await startFunctions();
};

type Headers = Record<string, string>;
const aKey = async (fields: Partial<ApiKey> = {}): Promise<Headers> => {
  const { text } = await world.newKey({ owner: 'anonymous', ...fields });
  return { authorization: `Bearer ${text}` };
};
const call = (path: string, headers: Headers = {}, init: RequestInit = {}) =>
  fetchDocumented(`${api.url}${path}`, { redirect: 'manual', headers, ...init });
const linksOf = (checkId: string) => `/v1/checks/${checkId}/links`;
const createLink = (checkId: string, body?: unknown, headers = owner) =>
  body === undefined
    ? call(linksOf(checkId), headers, { method: 'POST' })
    : call(
        linksOf(checkId),
        { ...headers, 'content-type': 'application/json' },
        { method: 'POST', body: JSON.stringify(body) },
      );
const revoke = (checkId: string, headers = owner) => call(linksOf(checkId), headers, { method: 'DELETE' });
const erase = (checkId: string) => call(`/v1/checks/${checkId}`, owner, { method: 'DELETE' });

/** Returns the token of a new link of a check. */
const tokenFor = async (checkId: string, body?: unknown): Promise<string> => {
  const { url } = (await (await createLink(checkId, body)).json()) as { url: string };
  return new URLSearchParams(new URL(url).hash.slice(1)).get('share') as string;
};
const secretOf = async (checkId: string) => (await world.store.findShare(checkId))?.secret as string;
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

const image = 'data:image/jpeg;base64,/9j/4AAQ';
const audits = {
  'final-screenshot': { details: { data: image } },
  'screenshot-thumbnails': { details: { items: [{ timing: 375, data: image }] } },
};
const finish = async (run: RunItem) => {
  const json = JSON.stringify({ lighthouseVersion: '13.5.0', auditVersion: '13.5.0', categories: {}, audits });
  const report = await world.storeReport(run, gzipSync(json));
  const samples = [633, 640, 629].map((lcp) => ({
    ...noMetrics,
    lcp,
    cpuBusy: 0,
    contended: false,
  }));
  const metrics = { ...noMetrics, lcp: 633, samples, spread: spreadOf(samples) };
  await world.finish(run, { state: 'succeeded', ...metrics, report });
};
const finishedCheck = async () => {
  const check = aCheck();
  const runs = await world.create(check);
  for (const run of runs) await finish(run);
  return { id: check.id, runId: runs[0]?.id as string };
};
/** Returns every path that a link of the check opens. */
const pathsOf = ({ id, runId }: { id: string; runId: string }) => [
  `/v1/checks/${id}`,
  `/v1/checks/${id}/comparison`,
  ...['', '/report', '/fixes', '/screenshot', '/filmstrip'].map((part) => `/v1/checks/${id}/runs/${runId}${part}`),
];

const DEAD =
  'This link shows no check. It may be incomplete or revoked, or its check was erased. Ask its sender for a new one.';
const expectDead = async (path: string, token: string, detail = DEAD) => {
  const separator = path.includes('?') ? '&' : '?';
  const problem = await problemOf(await call(`${path}${separator}share=${token}`), 404, 'not-found');
  expect(problem.detail).toBe(detail);
};

test('a link is the address of the web page with a token in its fragment', async () => {
  const { id } = await finishedCheck();
  const answer = await createLink(id);
  expect(answer.status).toBe(201);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const { url, expiresAt } = (await answer.json()) as { url: string; expiresAt: string };
  expect(url).toMatch(new RegExp(`^${api.url}/checks/${id}#share=pas_share_[\\w-]{48}$`));
  expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 7 * 24 * 3600_000 - 60_000);
  expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 7 * 24 * 3600_000);
  expect((await fetch(url)).headers.get('content-type')).toContain('text/html');
});

test('whoever has the token reads the check, its runs and reports without a key, by GET and HEAD', async () => {
  const check = await finishedCheck();
  const token = await tokenFor(check.id);
  for (const path of pathsOf(check)) {
    expect((await call(path)).status, path).toBe(401);
    const shared = await call(`${path}?share=${token}`, { origin: PAGE });
    expect([path, shared.status, shared.headers.get('access-control-allow-origin')]).toEqual([path, 200, PAGE]);
    const own = await call(path, owner);
    expect(shared.headers.get('etag')).toBe(own.headers.get('etag'));
    const text = await shared.text();
    expect(text).toBe(await own.text());
    expect(text).not.toContain(token);
    expect((await call(`${path}?share=${token}`, {}, { method: 'HEAD' })).status).toBe(200);
  }
});

test('a browser opens the HTML report with the token', async () => {
  const { id, runId } = await finishedCheck();
  const path = `/v1/checks/${id}/runs/${runId}/report?share=${await tokenFor(id)}`;
  const answer = await call(path, { accept: 'text/html' });
  expect([answer.status, answer.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
});

test('no view, list or link shows the secret', async () => {
  const { id } = await finishedCheck();
  const answer = await createLink(id);
  const secret = await secretOf(id);
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  const texts = [await answer.text()];
  for (const path of [`/v1/checks/${id}`, '/v1/checks', '/v1/runs?url=https://example.com/']) {
    texts.push(await (await call(path, owner)).text());
  }
  for (const text of texts) expect(text).not.toMatch(new RegExp(`${secret}|secret`));
});

test('links that are created at the same time all work', async () => {
  const { id } = await finishedCheck();
  const { item } = await world.find(id);
  const links = linkStore(world.db);
  const secrets = await Promise.all(Array.from({ length: 5 }, () => links.secretOf(item)));
  expect(new Set([...secrets, await secretOf(id)]).size).toBe(1);
  const tokens = await Promise.all(['1d', '2d', '30d'].map((expiresIn) => tokenFor(id, { expiresIn })));
  expect(new Set(tokens).size).toBe(3);
  for (const token of tokens) expect((await call(`/v1/checks/${id}?share=${token}`)).status).toBe(200);
});

test('a link ends with its check', async () => {
  const { id } = await finishedCheck();
  const { item } = await world.find(id);
  const update = (expiresAt: number) => updateItem(world.db, checkKey(id), { set: { expiresAt }, ...ifExists });
  const end = inSeconds(3600);
  await update(end);
  const { url, expiresAt } = (await (await createLink(id, { expiresIn: '30d' })).json()) as Record<string, string>;
  expect(expiresAt).toBe(new Date(end * 1000).toISOString());
  const token = url?.split('share=')[1] as string;
  await update(inSeconds(-10));
  await expectDead(`/v1/checks/${id}`, token);
  await update(item.expiresAt as number);
  expect((await call(`/v1/checks/${id}?share=${token}`)).status).toBe(200);
});

test.each([
  ...[0, 7, null, '', '0d', '31d', '07d', '1w', '7', '7D', ' 7d', '1.5d', '-1d', ['7d']].map((expiresIn) => ({
    expiresIn,
  })),
  { expires: '7d' },
  { expiresIn: '7d', label: 'x' },
  [[]],
  'text',
])('a link of %j is refused', async (body) => {
  const { id } = await finishedCheck();
  const { detail } = await problemOf(await createLink(id, body), 400, 'invalid-request');
  expect(detail).toMatch(/whole number of days from 1 to 30|Accepted fields: expiresIn/);
  expect(await secretOf(id)).toBeUndefined();
});

test('an unknown check, another owner’s check and an erased check can not be shared or revoked', async () => {
  const { id } = await finishedCheck();
  const other = await aKey({ owner: 'umbrella' });
  const reader = await aKey({ scopes: ['checks:read'] });
  for (const [checkId, headers] of [
    [id, other],
    [randomUUID(), owner],
    ['nonsense', owner],
  ] as const) {
    await problemOf(await createLink(checkId, undefined, headers), 404, 'not-found');
    await problemOf(await revoke(checkId, headers), 404, 'not-found');
  }
  await problemOf(await createLink(id, undefined, reader), 403, 'forbidden');
  await problemOf(await revoke(id, reader), 403, 'forbidden');
  expect(await secretOf(id)).toBeUndefined();
  const { item } = await world.find(id);
  expect(await world.erasure.markErased(item, new Date())).toBe(true);
  await problemOf(await createLink(id), 404, 'not-found');
  await problemOf(await revoke(id), 404, 'not-found');
});

test('a link that is created while its check is erased opens nothing, and its secret is erased', async () => {
  const { id } = await finishedCheck();
  const { item } = await world.find(id);
  expect(await world.erasure.markErased(item, new Date())).toBe(true);
  const secret = await linkStore(world.db).secretOf(item); // the erasure came after the read of the check
  await expectDead(`/v1/checks/${id}`, shareToken(secret, id, inSeconds(60)));
  expect(await world.erasure.eraseRemains(id)).toBe(false);
  expect(await world.store.findShare(id)).toBeUndefined();
  expect(await world.erasure.eraseRemains(id)).toBe(true);
});

test('a link opens no later check with the same id', async () => {
  const check = aCheck({ now: new Date(Date.now() - 91 * 24 * 3600_000) });
  await world.create(check);
  const secret = await linkStore(world.db).secretOf((await world.find(check.id)).item);
  await world.create({ ...check, createdAt: new Date().toISOString() }); // the first one has expired
  await expectDead(`/v1/checks/${check.id}`, shareToken(secret, check.id, inSeconds(60)));
  expect((await call(`/v1/checks/${check.id}?share=${await tokenFor(check.id)}`)).status).toBe(200);
});

test('a token is verified before anything of its check is read', async () => {
  const { id } = await finishedCheck();
  const token = await tokenFor(id);
  const read = vi.spyOn(DynamoDBDocumentClient.prototype, 'send');
  const keysRead = () => read.mock.calls.splice(0).map(([{ input }]) => JSON.stringify(input));
  const wrong = token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  for (const checkId of [id, randomUUID()]) {
    await expectDead(`/v1/checks/${checkId}`, wrong);
    expect(keysRead()).toEqual([expect.stringContaining(`SHARE#${checkId}`)]);
  }
  await expectDead(`/v1/checks/${id}`, 'nonsense');
  expect(keysRead()).toEqual([]);
  expect((await call(`/v1/checks/${id}?share=${token}`)).status).toBe(200);
  expect(keysRead()).toEqual([expect.stringContaining(`SHARE#${id}`), expect.stringContaining(`CHECK#${id}`)]);
});

test('an erased check is unreadable through its links, like one that never existed', async () => {
  const check = await finishedCheck();
  const token = await tokenFor(check.id);
  expect((await erase(check.id)).status).toBe(204);
  for (const path of [...pathsOf(check), ...pathsOf({ id: randomUUID(), runId: randomUUID() })]) {
    await expectDead(path, token);
  }
});

test('a revocation ends all links of the check, and a later link works', async () => {
  const { id } = await finishedCheck();
  const [first, second] = [await tokenFor(id), await tokenFor(id, { expiresIn: '1d' })];
  expect([(await revoke(id)).status, (await revoke(id)).status]).toEqual([204, 204]);
  for (const token of [first, second]) await expectDead(`/v1/checks/${id}`, token);
  const third = await tokenFor(id);
  expect((await call(`/v1/checks/${id}?share=${third}`)).status).toBe(200);
  await expectDead(`/v1/checks/${id}`, first);
});

test('a token that was altered, cut, or made for another check or time opens nothing', async () => {
  const check = await finishedCheck();
  const [token, other] = [await tokenFor(check.id), await tokenFor((await finishedCheck()).id)];
  const later = Buffer.from(token.slice(10), 'base64url');
  later.writeUInt32BE(inSeconds(25 * 24 * 3600));
  const swapped = token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  const wrong = [other, swapped, token.slice(0, -1), `${token}A`, token.slice(10), '', 'nonsense', '%00', `${token}=`];
  wrong.push(`pas_share_${later.toString('base64url')}`, `${token}&share=${token}`, token.toUpperCase());
  for (const each of wrong) for (const path of pathsOf(check)) await expectDead(path, each);
  const unshared = await finishedCheck();
  for (const path of pathsOf(unshared)) await expectDead(path, token);
  expect((await call(`/v1/checks/${check.id.toUpperCase()}?share=${token}`)).status).toBe(200);
});

test('the answer says that a link has expired to its holder alone', async () => {
  const check = await finishedCheck();
  await tokenFor(check.id);
  const secret = await secretOf(check.id);
  const expired = shareToken(secret, check.id, inSeconds(-1));
  const guessed = shareToken(Buffer.alloc(32).toString('base64url'), check.id, inSeconds(-1));
  for (const path of pathsOf(check)) {
    await expectDead(path, expired, 'This link has expired. Ask its sender for a new one.');
    await expectDead(path, guessed);
  }
});

test('a run of another check is not found through a link', async () => {
  const [check, other] = [await finishedCheck(), await finishedCheck()];
  const token = await tokenFor(check.id);
  for (const path of pathsOf({ id: check.id, runId: other.runId }).slice(2)) {
    await problemOf(await call(`${path}?share=${token}`), 404, 'not-found');
  }
});

test('a token opens no list, no write, no second check and no path without a check id', async () => {
  const [check, base] = [await finishedCheck(), await finishedCheck()];
  const share = `share=${await tokenFor(check.id)}`;
  const path = `/v1/checks/${check.id}`;
  const elsewhere: [string, string][] = [
    ['GET', `/v1/checks?${share}`],
    ['GET', `/v1/runs?url=https://example.com/&${share}`],
    ['GET', `/v1/audit/runs/${check.runId}?${share}`],
    ['GET', `/v1/audit/runs/${check.runId}?checkId=${check.id}&${share}`],
    ['GET', `/v1/audit/runs/${check.runId}/report?${share}`],
    ['POST', `/v1/checks?${share}`],
    ['DELETE', `${path}?${share}`],
    ['POST', `${path}/links?${share}`],
    ['DELETE', `${path}/links?${share}`],
  ];
  for (const [method, url] of elsewhere) {
    await problemOf(await call(url, {}, { method }), 401, 'unauthorized');
    await problemOf(await call(url, owner, { method }), 400, 'invalid-request');
  }
  const compared = await problemOf(await call(`${path}/comparison?base=${base.id}&${share}`), 400, 'invalid-request');
  expect(compared.detail).toContain('A share link shows one check.');
  expect((await call(path, owner)).status).toBe(200);
});

test('with a token, the key of the request does not matter', async () => {
  const { id } = await finishedCheck();
  const token = await tokenFor(id);
  const other = await aKey({ owner: 'umbrella' });
  for (const headers of [other, owner, { authorization: 'nonsense' }]) {
    expect((await call(`/v1/checks/${id}?share=${token}`, headers)).status).toBe(200);
  }
  await problemOf(await call(`/v1/checks/${id}?share=${token.slice(0, -1)}`, owner), 404, 'not-found');
});

test('a reader waits with a token, and the waits of readers leave the owner’s own', async () => {
  const check = aCheck({ regions: ['us-west1'] });
  const [run] = (await world.create(check)) as [RunItem];
  const token = await tokenFor(check.id);
  const path = `/v1/checks/${check.id}`;
  const redirect = await call(`${path}?share=${token}`, { prefer: 'wait=25' });
  expect([redirect.status, redirect.headers.get('location')]).toEqual([307, `${check.id}/wait?share=${token}`]);
  const wait = (headers: Headers, query = '') => call(`${path}/wait${query}`, { prefer: 'wait=25', ...headers });
  const waits = Array.from({ length: 12 }, () => wait({}, `?share=${token}`));
  let refused = 0;
  for (const each of waits)
    each.then(
      ({ status }) => (refused += status === 429 ? 1 : 0),
      () => {},
    );
  await expect.poll(() => refused).toBe(2);
  const own = wait(owner);
  await finish(run);
  const answers = [...(await Promise.all(waits)), await own];
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(11).fill(200), 429, 429]);
  for (const { status, headers } of await Promise.all(waits)) {
    expect(headers.get('preference-applied')).toBe(status === 200 ? 'wait=2' : null);
  }
  const { state } = (await (await own).json()) as CheckView;
  expect([state, (await own).headers.get('preference-applied')]).toEqual(['succeeded', 'wait=25']);
});

test('a wait ends when its link is revoked', async () => {
  const check = aCheck({ regions: ['us-west1'] });
  const [run] = (await world.create(check)) as [RunItem];
  const path = `/v1/checks/${check.id}/wait?share=${await tokenFor(check.id)}`;
  const waiting = call(path, { prefer: 'wait=25' });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await revoke(check.id);
  await finish(run);
  await problemOf(await waiting, 404, 'not-found');
});

test('the log has no token, also when a read fails', async () => {
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'DEBUG');
  vi.stubEnv('POWERTOOLS_DEV', 'true'); // makes the logger use the console
  const logging = await newApi();
  const { id } = await finishedCheck();
  const token = await tokenFor(id);
  const printed = (['debug', 'info', 'warn', 'error'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation(() => {}),
  );
  const path = `/v1/checks/${id}`;
  const get = (query: string) => fetch(`${logging.url}${path}${query}`, { headers: owner });
  expect([(await get('')).status, (await get(`?share=${token}`)).status]).toEqual([200, 200]);
  const message = `no answer for ${token} of ${api.url}/checks/${id}#share=${token}`;
  vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockRejectedValue(new Error(message));
  const failed = await get(`?share=${token}`);
  const lines = printed.flatMap(({ mock }) => mock.calls.map(String)).join();
  vi.unstubAllEnvs();
  await logging.close();
  await problemOf(failed, 500, 'internal');
  expect(lines).toContain('The request is answered.');
  expect(lines).toContain('no answer for pas_[redacted] of');
  expect(lines).not.toContain(token.slice(10));
});

test('behind a proxy with TLS the link begins with https, and a Host header that is no host is refused', async () => {
  const { id } = await finishedCheck();
  const post = (headers: Headers) =>
    new Promise<{ status: number; body: Record<string, string> }>((resolve, reject) => {
      const path = linksOf(id);
      request(`${api.url}${path}`, { method: 'POST', headers: { ...owner, ...headers } }, async (answer) => {
        const text = (await answer.toArray()).join('');
        const status = answer.statusCode as number;
        const type = answer.headers['content-type'] as string;
        const response = new Response(text, {
          status,
          headers: { ...(answer.headers as Headers), 'content-type': type },
        });
        await expectDocumented('POST', path, response).catch(reject);
        resolve({ status, body: JSON.parse(text) });
      })
        .on('error', reject)
        .end();
    });
  const { body } = await post({ host: 'audits.example.com', 'x-forwarded-proto': 'https' });
  expect(body.url).toMatch(new RegExp(`^https://audits\\.example\\.com/checks/${id}#share=`));
  expect((await post({ host: 'a b' })).status).toBe(400);
});

test('without keys a link works on this machine, and by no other host', async () => {
  process.env.AUTH = 'open';
  const openApi = await newApi();
  const { id } = await finishedCheck();
  const answer = await fetch(`${openApi.url}${linksOf(id)}`, { method: 'POST' });
  const { url } = (await answer.json()) as { url: string };
  const path = `/v1/checks/${id}?${new URL(url).hash.slice(1)}`;
  const statusOf = (host: string) =>
    new Promise((resolve) => {
      request(`${openApi.url}${path}`, { headers: { host } }, ({ statusCode }) => resolve(statusCode)).end();
    });
  expect(await statusOf('localhost:4080')).toBe(200);
  expect(await statusOf('rebound.example.com')).toBe(403);
  await problemOf(await fetch(`${openApi.url}${path}A`), 404, 'not-found');
  await openApi.close();
});

test('a link has the public address of the service, whatever host the request names', async () => {
  const { id } = await finishedCheck();
  const handle = createSharedLink({
    store: world.store,
    links: linkStore(world.db),
    publicUrl: 'https://audit.example.com',
  });
  const { body } = await handle({
    owner: 'anonymous',
    host: 'evil.example',
    headers: {},
    params: { checkId: id },
    body: {},
  } as never);
  expect((body as { url: string }).url).toMatch(new RegExp(`^https://audit.example.com/checks/${id}#share=pas_share_`));
});
