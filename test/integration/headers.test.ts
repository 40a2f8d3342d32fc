import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fetchDocumented } from '../support/documented.ts';
import { type Gateway, startFunctions } from '../support/gateway.ts';
import { webDir } from '../support/web-dir.ts';
import { startWorld, type World } from '../support/world.ts';

type Api = Gateway;
const PAGE = 'https://pages.example.com';

let world: World;
let defaultApi: Api; // without CORS origins
let listedApi: Api; // for pages of two origins
let anyOriginApi: Api; // for pages of every origin
let keyedApi: Api; // for pages of one origin, with API keys
beforeAll(async () => {
  world = await startWorld({ WEB_DIR: await webDir() });
  defaultApi = await apiFor(undefined);
  listedApi = await apiFor(`${PAGE},http://localhost:3000`);
  anyOriginApi = await apiFor('*');
  keyedApi = await apiFor(PAGE, 'keys');
});
afterAll(async () => {
  await Promise.all([defaultApi, listedApi, anyOriginApi, keyedApi].map((api) => api?.close()));
  await world.stop();
});

const apiFor = async (origins: string | undefined, auth = 'open'): Promise<Api> => {
  vi.resetModules(); // so that the functions read the environment again
  await world.aws.connect();
  process.env.AUTH = auth;
  if (origins === undefined) delete process.env.CORS_ORIGINS;
  else process.env.CORS_ORIGINS = origins;
  const api = await startFunctions();
  await Promise.all(requests.map(([method, path]) => fetchDocumented(`${api.url}${path}`, { method })));
  return api;
};

const id = randomUUID();
const requests: [string, string][] = [
  ['POST', '/v1/checks'], // no body: 400
  ['GET', `/v1/checks/${id}`], // 404, like the next four
  ['DELETE', `/v1/checks/${id}`],
  ['GET', `/v1/checks/${id}/runs/${id}`],
  ['GET', `/v1/audit/runs/${id}`],
  ['GET', `/v1/audit/runs/${id}/report`],
  ['HEAD', `/v1/checks/${id}`],
  ['GET', '/pagespeedonline/v5/runPagespeed'], // no URL: 400
  ['GET', '/v1/regions'],
  ['GET', '/v1/audit/versions'],
  ['GET', '/v1/limits'],
  ['GET', '/health'],
  ['GET', '/ready'],
  ['OPTIONS', '/v1/checks'],
  ['PUT', '/v1/checks'], // 405
  ['GET', '/nothing?x=y'],
  ['GET', '/v1/regions?x=y'], // 400
];

const commonHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=63072000',
  'x-content-type-options': 'nosniff',
};

test.each(requests)('%s %s has the common security headers', async (method, path) => {
  const { headers } = await fetchDocumented(`${defaultApi.url}${path}`, { method });
  expect(Object.fromEntries(headers)).toMatchObject(commonHeaders);
});

test('a report, its 304 and its redirect have the security headers', async () => {
  const { 'cache-control': _, ...headersOfReport } = commonHeaders;
  const { path } = await world.finishedRun(JSON.stringify({ text: 'a'.repeat(5 * 2 ** 20) }));
  for (const header of ['accept: */*', 'if-none-match: *', 'accept-encoding: identity']) {
    const headers = [header.split(': ') as [string, string]];
    const answer = await fetchDocumented(`${defaultApi.url}${path}`, { headers, redirect: 'manual' });
    expect(Object.fromEntries(answer.headers), String(answer.status)).toMatchObject(headersOfReport);
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
  }
});

const corsOf = async (api: Api, method: string, path: string, headers: Record<string, string>) => {
  const answer = await fetchDocumented(`${api.url}${path}`, { method, headers });
  return Object.fromEntries(
    [...answer.headers]
      .map(([name, value]) => [name, name === 'vary' ? value.replace(/^Accept-Encoding(, )?/, '') : value])
      .filter(([name, value]) => name?.startsWith('access-control-') || (name === 'vary' && value !== '')),
  );
};
const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };

test('by default no response has CORS headers', async () => {
  for (const [method, path] of requests) expect(await corsOf(defaultApi, method, path, { origin: PAGE })).toEqual({});
  expect(await corsOf(defaultApi, 'OPTIONS', '/v1/checks', { origin: PAGE, ...preflight })).toEqual({});
});

/** Returns the status of a request. It uses node:http because fetch doesn't send a custom `Host`. */
const statusOf = ({ port }: Api, method: string, path: string, headers: Record<string, string>) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject).end();
  });

test('without keys, a Host that is not loopback is a 403', async () => {
  for (const [method, status] of [
    ['GET', 404],
    ['DELETE', 404],
    ['POST', 400],
  ] as const) {
    const path = method === 'POST' ? '/v1/checks' : `/v1/checks/${id}`;
    for (const host of ['evil.example:4080', '127.0.0.1.evil.example', '10.0.0.1', 'nonsense:x'])
      expect(await statusOf(defaultApi, method, path, { host }), `${method} of ${host}`).toBe(403);
    for (const host of ['localhost', '127.0.0.1:4080', '[::1]:4080', 'audit.localhost:4080'])
      expect(await statusOf(defaultApi, method, path, { host }), `${method} of ${host}`).toBe(status);
  }
  expect(await statusOf(keyedApi, 'GET', `/v1/checks/${id}`, { host: 'audit.example.com' })).toBe(401);
});

test('without keys, an image or a link of another site starts no audit', async () => {
  const path = '/pagespeedonline/v5/runPagespeed'; // without a URL it is a 400
  const open = (site: string) => statusOf(defaultApi, 'GET', path, { host: '127.0.0.1:4080', 'sec-fetch-site': site });
  expect([await open('cross-site'), await open('same-site')]).toEqual([403, 403]);
  expect([await open('none'), await open('same-origin')]).toEqual([400, 400]);
});

test('without keys, only pages of the same or a configured origin may create or delete checks', async () => {
  const create = (api: Api, origin: string) => statusOf(api, 'POST', '/v1/checks', { host: '127.0.0.1:4080', origin });
  for (const origin of [PAGE, 'http://127.0.0.1:4081', 'http://localhost:4080', 'null', ''])
    expect(await create(defaultApi, origin), origin).toBe(403);
  expect(await create(defaultApi, 'http://127.0.0.1:4080')).toBe(400); // authorized, and refused for its body
  expect(await create(listedApi, PAGE)).toBe(400);
  expect(await create(anyOriginApi, 'https://elsewhere.example')).toBe(403);
});

test('without keys, a request that a proxy has forwarded is a 403 that says what to do', async () => {
  const headers = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'X-Forwarded-Proto', 'x-real-ip', 'via'];
  for (const name of headers) {
    for (const [method, path] of [
      ['GET', `/v1/checks/${id}`],
      ['POST', '/v1/checks'],
      ['DELETE', `/v1/checks/${id}`],
    ] as const) {
      expect(await statusOf(defaultApi, method, path, { host: 'localhost', [name]: 'any' }), name).toBe(403);
    }
    expect(await statusOf(keyedApi, 'GET', `/v1/checks/${id}`, { [name]: 'any' })).toBe(401);
  }
  const answer = await fetchDocumented(`${defaultApi.url}/v1/checks/${id}`, { headers: { via: '1.1 proxy' } });
  expect(((await answer.json()) as { detail: string }).detail).toMatch(
    /has the header via\. .* Start it with AUTH=keys\.$/,
  );
});

test('the web page and the API reference keep the pages of other sites away from their windows', async () => {
  for (const path of ['/', '/docs', `/checks/${id}`]) {
    const { headers } = await fetch(`${defaultApi.url}${path}`);
    expect(headers.get('cross-origin-opener-policy'), path).toBe('same-origin-allow-popups');
  }
});

test('pages of a configured origin may read every response, errors included', async () => {
  for (const origin of [PAGE, 'http://localhost:3000']) {
    for (const [method, path] of requests) {
      expect(await corsOf(listedApi, method, path, { origin }), `${method} ${path}`).toEqual({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': '*',
        vary: 'Origin',
      });
    }
  }
});

test('a preflight lists the methods of its path and the accepted headers', async () => {
  const allowed = {
    'access-control-allow-origin': PAGE,
    'access-control-allow-headers':
      'Authorization, Content-Type, Idempotency-Key, If-None-Match, Mcp-Protocol-Version, Prefer, X-Goog-Api-Key',
    'access-control-max-age': '600',
    vary: 'Origin',
  };
  const sent = { origin: PAGE, ...preflight };
  expect(await corsOf(listedApi, 'OPTIONS', '/v1/checks', sent)).toEqual({
    ...allowed,
    'access-control-allow-methods': 'POST, GET, HEAD',
  });
  expect(await corsOf(listedApi, 'OPTIONS', `/v1/checks/${id}`, sent)).toEqual({
    ...allowed,
    'access-control-allow-methods': 'GET, HEAD, DELETE',
  });
  expect((await fetchDocumented(`${listedApi.url}/v1/checks`, { method: 'OPTIONS', headers: sent })).status).toBe(204);
});

test('other origins get no CORS headers, and Vary keeps caches correct', async () => {
  for (const origin of ['https://pages.example.com.evil.example', 'http://pages.example.com', 'null', '*']) {
    expect(await corsOf(listedApi, 'GET', '/v1/regions', { origin })).toEqual({ vary: 'Origin' });
    expect(await corsOf(listedApi, 'OPTIONS', '/v1/checks', { origin, ...preflight })).toEqual({ vary: 'Origin' });
  }
  expect(await corsOf(listedApi, 'GET', '/v1/regions', {})).toEqual({ vary: 'Origin' });
  const { path } = await world.finishedRun('{}');
  expect(await corsOf(listedApi, 'GET', path, {})).toEqual({ vary: 'Accept, Accept-Encoding, Origin' });
});

test('a page may read a refusal for its key or a limit', async () => {
  const keyWith = async (scope: 'checks:read' | 'checks:write') => {
    return { authorization: `Bearer ${(await world.newKey({ scopes: [scope], plan: 'small' })).text}` };
  };
  const [reads, writes] = [await keyWith('checks:read'), await keyWith('checks:write')];
  const regions = ['us-west1', 'us-east4', 'europe-north1', 'europe-west3', 'asia-northeast1', 'australia-southeast1'];
  const body = JSON.stringify({ url: 'https://example.com/', auditVersion: 'latest', regions });
  const post = (headers: Record<string, string>) =>
    fetchDocumented(`${keyedApi.url}/v1/checks`, {
      method: 'POST',
      headers: { origin: PAGE, ...headers },
      body: Buffer.from(body),
    });
  const answers = [await post({}), await post(reads)];
  while (answers.at(-1)?.status !== 429 && answers.length < 6) answers.push(await post(writes));
  expect(answers.map(({ status }) => status)).toEqual([401, 403, 201, 201, 429]);
  for (const { headers } of answers) {
    expect(Object.fromEntries(headers)).toMatchObject({
      ...commonHeaders,
      'access-control-allow-origin': PAGE,
      'access-control-expose-headers': '*', // works because the API allows no credentials
      vary: 'Origin',
    });
  }
});

test('a preflight needs no key and allows the Authorization header', async () => {
  for (const path of ['/v1/checks', `/v1/checks/${id}`, `/v1/audit/runs/${id}/report`]) {
    const headers = { origin: PAGE, ...preflight };
    const answer = await fetchDocumented(`${keyedApi.url}${path}`, { method: 'OPTIONS', headers });
    expect(answer.status).toBe(204);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...commonHeaders,
      'access-control-allow-origin': PAGE,
      'access-control-allow-headers': expect.stringMatching(/^Authorization, /),
    });
  }
});

test('with every origin allowed, the CORS headers are the same for all', async () => {
  const headersForAll = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' };
  expect(await corsOf(anyOriginApi, 'GET', '/v1/regions', {})).toEqual(headersForAll);
  expect(await corsOf(anyOriginApi, 'GET', '/v1/regions', { origin: PAGE })).toEqual(headersForAll);
  expect(await corsOf(anyOriginApi, 'OPTIONS', '/v1/checks', { origin: PAGE, ...preflight })).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST, GET, HEAD',
  });
});
