import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { canaryKey } from '../../functions/canary.ts';
import { getCheck } from '../../functions/get-check.ts';
import { getRun } from '../../functions/get-run.ts';
import { keyring } from '../../functions/lib/http/access.ts';
import type { Request } from '../../functions/lib/http/endpoint.ts';
import { checkStore } from '../../functions/lib/store/checks.ts';
import { openDb } from '../../functions/lib/store/dynamodb.ts';
import { keyStore } from '../../functions/lib/store/keys.ts';
import { openApiDocument } from '../../shared/openapi/document.ts';
import { type ApiProblemError, Problem } from '../../shared/problems.ts';
import { ReadEnv } from '../../shared/service/env.ts';
import { keyParts, keyText } from '../../shared/service/key-text.ts';
import { type ApiKey, CANARY_PREFIX } from '../../shared/service/keys.ts';
import { type Route, routes } from '../../shared/service/routes.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { webDir } from '../support/web-dir.ts';
import { later, passed, type World } from '../support/world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  api = await startApi({ AUTH: 'keys', WEB_DIR: await webDir() });
  world = api.world;
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => api.stop());

const aBody = { url: 'https://example.com/', auditVersion: 'latest', regions: ['europe-west3', 'us-east4'] };
type Headers = Record<string, string>;
const call = (path: string, headers: Headers = {}, init: RequestInit = {}) =>
  fetchDocumented(`${api.url}${path}`, { redirect: 'manual', headers, ...init });
const post = (headers: Headers = {}, body: unknown = aBody) =>
  call(
    '/v1/checks',
    { 'content-type': 'application/json', ...headers },
    { method: 'POST', body: JSON.stringify(body) },
  );

const aKey = (fields: Partial<ApiKey> = {}, now = new Date()) => world.newKey(fields, now);
const bearer = (text: string): Headers => ({ authorization: `Bearer ${text}` });
const anOwner = async (owner: string): Promise<Headers> => bearer((await aKey({ owner })).text);

const problemOf = async (answer: Response, status: number, code: string) => {
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  const { requestId, ...problem } = Problem.strict().parse(await answer.json());
  expect({ status: answer.status, code: problem.code }).toEqual({ status, code });
  return problem;
};

/** Returns an answer without its date and request id. */
const shapeOf = async (answer: Response) => {
  const { requestId, ...body } = (await answer.json()) as Record<string, unknown>;
  const headers = [...answer.headers].filter(([name]) => name !== 'date');
  return { status: answer.status, headers, body };
};

/** Paths of all reads of a check. */
const pathsOf = (checkId: string, runId: string) => [
  `/v1/checks/${checkId}`,
  `/v1/checks/${checkId}/runs/${runId}`,
  `/v1/checks/${checkId}/runs/${runId}/report`,
  `/v1/audit/runs/${runId}`,
  `/v1/audit/runs/${runId}?checkId=${checkId}`,
  `/v1/audit/runs/${runId}/report`,
  `/v1/audit/runs/${runId}/report?checkId=${checkId}`,
];

test('a create without a key, or without its scope, is refused before its body arrives', async () => {
  const reader = await aKey({ scopes: ['checks:read'] });
  for (const [headers, status] of [
    [{}, 401],
    [bearer(reader.text), 403],
  ] as const) {
    const request = httpRequest(`${api.url}/v1/checks`, {
      method: 'POST',
      headers: { 'content-length': '10000000', ...headers },
    });
    request.on('error', () => {});
    request.flushHeaders();
    const [answer] = await once(request, 'response');
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([status, 'application/problem+json']);
    request.destroy();
  }
});

test('a key with both scopes creates a check and reads it', async () => {
  const { text, key } = await aKey();
  expect(text).toMatch(/^pas_[0-9a-f]{12}_[0-9a-f]{72}$/);
  const answer = await post(bearer(text));
  expect(answer.status).toBe(201);
  const { id } = (await answer.json()) as { id: string };
  expect((await call(`/v1/checks/${id}`, { authorization: `bearer  ${text} ` })).status).toBe(200);
  expect((await world.find(id)).item.owner).toBe(key.owner);
});

test('no part of a key’s secret is stored', async () => {
  const { text, key } = await aKey();
  const secret = keyParts(text)?.secret as string;
  expect(JSON.stringify(await world.keys.list())).not.toContain(secret);
  expect((await world.keys.find(key.prefix))?.hash).toMatch(/^[0-9a-f]{64}$/);
});

test('without a key only the offer and unknown routes are answered', async () => {
  for (const path of ['/health', '/ready', '/v1/regions', '/v1/audit/versions', '/v1/limits'])
    expect((await call(path)).status).toBe(200);
  await problemOf(await call('/v1/nothing'), 404, 'not-found');
  await problemOf(await call('/v1/checks', {}, { method: 'PUT' }), 405, 'method-not-allowed');
  expect((await call('/v1/checks', {}, { method: 'OPTIONS' })).status).toBe(204);
  for (const path of pathsOf(randomUUID(), randomUUID())) await problemOf(await call(path), 401, 'unauthorized');
  await problemOf(await post(), 401, 'unauthorized');
});

test('every route needs a key, except those that describe the service', async () => {
  const open = [
    '/v1/regions',
    '/v1/audit/versions',
    '/v1/limits',
    '/v1/openapi.json',
    '/docs',
    '/sample',
    '/health',
    '/ready',
    '/version',
  ];
  const keyInBody = '/v1/projects/lookup';
  const isOpen = (route: Route) => open.includes(route.path) || route.function === 'web-page';
  for (const route of routes) {
    const { method, path } = route;
    const url = path.replaceAll(/\{\w+\}/g, randomUUID());
    for (const each of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
      expect([each, path, (await call(url, {}, { method: each })).status]).toEqual([
        each,
        path,
        path.endsWith('/{version}/{file}') || (method === 'GET' && path === '/v1/badges/{badge}')
          ? 404
          : isOpen(route)
            ? 200
            : path === keyInBody
              ? 400
              : path.startsWith('/app/')
                ? 303
                : 401,
      ]);
    }
  }
});
test('a route refuses a missing or malformed key before it parses the request and before it reads the table', async () => {
  const sent = vi.spyOn(DynamoDBDocumentClient.prototype, 'send');
  const { text } = await aKey();
  sent.mockClear();
  for (const headers of [{}, bearer('nonsense'), bearer(text.slice(0, -1)), { authorization: 'Basic YTpi' }]) {
    for (const { method, path, scope } of routes) {
      if (scope === 'public') continue;
      const url = `${path.replaceAll(/\{\w+\}/g, 'nonsense')}?colour=red`;
      const { status } = await call(url, headers, { method, ...(method === 'POST' && { body: 'nonsense' }) });
      expect([method, path, status]).toEqual([method, path, 401]);
    }
  }
  expect(sent).not.toHaveBeenCalled();
});

test('the OpenAPI document says which routes need a key, and its scope', async () => {
  const keys = await Promise.all(
    (['checks:read', 'checks:write', 'webhooks:write', 'schedules:write'] as const).map((scope) =>
      aKey({ scopes: [scope] }),
    ),
  );
  for (const { method, path } of routes) {
    const [{ key: [scope] = [] } = {}] =
      openApiDocument().paths?.[path]?.[method.toLowerCase() as 'get']?.security ?? [];
    const url = path.replaceAll(/\{\w+\}/g, randomUUID());
    const answers = await Promise.all(keys.map(({ text }) => call(url, bearer(text), { method })));
    const challenges = answers.map(({ headers }) => headers.get('www-authenticate') ?? '');
    const [needed] = challenges.flatMap((challenge) => / scope="(.*)"/.exec(challenge)?.[1] ?? []);
    expect([method, path, scope]).toEqual([method, path, needed]);
  }
});

const mistyped = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
const wrongSecret = (text: string) => {
  const { prefix = '', secret = '' } = keyParts(text) ?? {};
  return keyText(prefix, mistyped(secret));
};
const refusals: [string, () => Promise<Headers>, challenge: string][] = [
  ['no key', async () => ({}), 'Bearer realm="page-audit"'],
  ['a key in another header', async () => ({ 'x-api-key': (await aKey()).text }), 'Bearer realm="page-audit"'],
  ['another scheme', async () => ({ authorization: 'Basic YTpi' }), 'must be Bearer, a space'],
  ['no token', async () => ({ authorization: 'Bearer' }), 'must be Bearer, a space'],
  ['a token of another form', async () => bearer('nonsense'), 'must be Bearer, a space'],
  [
    'two tokens',
    async () => bearer(`${(await aKey()).text}, Bearer ${(await aKey()).text}`),
    'must be Bearer, a space',
  ],
  ['a key with a wrong checksum', async () => bearer(mistyped((await aKey()).text)), 'must be Bearer, a space'],
  ['a key in capitals', async () => bearer((await aKey()).text.toUpperCase()), 'must be Bearer, a space'],
  ['an unknown key', async () => bearer(keyText('0'.repeat(12), '0'.repeat(64))), 'The API key is unknown.'],
  ['a key with another secret', async () => bearer(wrongSecret((await aKey()).text)), 'The API key is unknown.'],
  [
    'an expired key',
    async () => bearer((await aKey({ expiresAt: new Date(Date.now() - 1).toISOString() })).text),
    'The API key is expired.',
  ],
  [
    'a revoked key',
    async () => {
      const { key, text } = await aKey();
      expect(await world.keys.revoke(key.prefix, new Date())).toBe(true);
      return bearer(text);
    },
    'The API key is revoked.',
  ],
];
test.each(refusals)('%s is a 401 with a challenge that says what is wrong', async (_, headersOf, challenge) => {
  const headers = await headersOf();
  for (const answer of [await post(headers), await call(`/v1/checks/${randomUUID()}`, headers)]) {
    expect(answer.headers.get('www-authenticate')).toMatch(
      /^Bearer realm="page-audit"(, error="invalid_token", error_description="[ -!#-[\]-~]+")?$/,
    );
    expect(answer.headers.get('www-authenticate')).toContain(challenge);
    await problemOf(answer, 401, 'unauthorized');
  }
});

test('the answer to a request without a key says how to send one', async () => {
  const { detail } = await problemOf(await post(), 401, 'unauthorized');
  expect(detail).toBe('This request needs an API key. Send it as a bearer token in the Authorization header.');
});

test('a wrong secret does not reveal the state of the key', async () => {
  const { key, text } = await aKey({ expiresAt: '2020-01-01T00:00:00.000Z' });
  await world.keys.revoke(key.prefix, new Date());
  expect((await problemOf(await post(bearer(wrongSecret(text))), 401, 'unauthorized')).detail).toBe(
    'The API key is unknown. Check that it is complete.',
  );
});

test('a key without the scope is a 403 that names the scope', async () => {
  const reads = bearer((await aKey({ scopes: ['checks:read'] })).text);
  const writes = bearer((await aKey({ scopes: ['checks:write'] })).text);
  const refused = await post(reads);
  expect(refused.headers.get('www-authenticate')).toBe(
    'Bearer realm="page-audit", error="insufficient_scope", scope="checks:write"',
  );
  await problemOf(refused, 403, 'forbidden');
  const created = await post(writes);
  const { id, runs } = (await created.json()) as { id: string; runs: { id: string }[] };
  for (const path of pathsOf(id, runs[0]?.id as string)) await problemOf(await call(path, writes), 403, 'forbidden');
  await problemOf(await call(`/v1/checks/${id}`, reads, { method: 'DELETE' }), 403, 'forbidden');
  expect((await call(`/v1/checks/${id}`, reads)).status).toBe(200);
  expect((await call(`/v1/checks/${id}`, writes, { method: 'DELETE' })).status).toBe(204);
  expect((await call(`/v1/checks/${id}`, reads)).status).toBe(404);
});

test('without a key, nothing else about the request is reported', async () => {
  for (const body of ['nonsense', { url: 'http://10.0.0.1/' }])
    await problemOf(await post({}, body), 401, 'unauthorized');
  await problemOf(await call('/v1/audit/runs/nonsense?colour=red'), 401, 'unauthorized');
});

test('another owner’s check, run and report look like unknown ones', async () => {
  const [mine, yours] = [await anOwner('acme'), await anOwner('umbrella')];
  const { id, runs } = (await (await post(mine)).json()) as { id: string; runs: { id: string }[] };
  await finish(id);
  const runId = runs[0]?.id as string;
  const answers = async (paths: string[], headers: Headers) =>
    Promise.all(paths.map(async (path) => shapeOf(await call(path, headers))));
  for (const { status } of await answers(pathsOf(id, runId), mine)) expect(status).toBe(200);
  const nothing = await answers(pathsOf(randomUUID(), randomUUID()), yours);
  for (const { status } of nothing) expect(status).toBe(404);
  expect(await answers(pathsOf(id, runId), yours)).toEqual(nothing);
});

test('another owner’s check can not be erased and looks like an unknown one', async () => {
  const [mine, yours] = [await anOwner('acme'), await anOwner('umbrella')];
  const { id, runs } = (await (await post(mine)).json()) as { id: string; runs: { id: string }[] };
  await finish(id);
  const erase = (checkId: string, headers: Headers) => call(`/v1/checks/${checkId}`, headers, { method: 'DELETE' });
  const before = await world.find(id);
  const nothing = await shapeOf(await erase(randomUUID(), yours));
  expect(nothing).toMatchObject({ status: 404, body: { code: 'not-found' } });
  expect(await shapeOf(await erase(id, yours))).toEqual(nothing);
  await problemOf(await erase(id, {}), 401, 'unauthorized');
  expect(await world.find(id)).toEqual(before);
  for (const path of pathsOf(id, runs[0]?.id as string)) expect((await call(path, mine)).status).toBe(200);
  expect((await erase(id, mine)).status).toBe(204);
  expect(await shapeOf(await erase(id, yours))).toEqual(nothing); // the answer is the same after the erasure
});

test('only the owner learns that the check of an Idempotency-Key was erased', async () => {
  const [mine, yours] = [await anOwner('acme'), await anOwner('umbrella')];
  const idempotency = { 'idempotency-key': randomUUID() };
  const { id } = (await (await post({ ...mine, ...idempotency })).json()) as { id: string };
  await call(`/v1/checks/${id}`, mine, { method: 'DELETE' });
  await problemOf(await post({ ...mine, ...idempotency }), 409, 'being-erased');
  expect((await post({ ...yours, ...idempotency })).status).toBe(201);
});

test('a look-up of another owner’s check or run sends the same requests and reads as little as one of an unknown id', async () => {
  const { id, runs } = (await (await post(await anOwner('acme'))).json()) as { id: string; runs: { id: string }[] };
  const runId = runs[0]?.id as string;
  const db = openDb(ReadEnv.parse(process.env));
  const sent = vi.spyOn(db.client, 'send');
  const store = checkStore(db);
  const lookUp = async (checkId: string, runId: string, owner: string) => {
    sent.mockClear();
    const byCheck = await getCheck({ store })(aRequest({ owner, params: { checkId } })).catch(({ code }) => code);
    const byRun = await getRun({ store })(aRequest({ owner, params: { runId } })).catch(({ code }) => code);
    const got = await Promise.all(sent.mock.results.map(({ value }) => value as Promise<{ Items?: unknown[] }>));
    return { byCheck, byRun, items: got.map(({ Items }) => Items?.length) };
  };
  expect(await lookUp(id, runId, 'acme')).toMatchObject({ byCheck: { status: 200 }, items: [3, undefined, 3] });
  const nothing = await lookUp(randomUUID(), randomUUID(), 'umbrella');
  expect(nothing).toEqual({ byCheck: 'not-found', byRun: 'not-found', items: [0, undefined] });
  expect(await lookUp(id, runId, 'umbrella')).toEqual(nothing);
});

test('owners can use the same Idempotency-Key', async () => {
  const [mine, yours] = [await anOwner('acme'), await anOwner('umbrella')];
  const idempotency = { 'idempotency-key': randomUUID() };
  const first = (await (await post({ ...mine, ...idempotency })).json()) as { id: string };
  const other = await post({ ...yours, ...idempotency }, { ...aBody, url: 'https://example.org/' });
  expect(other.status).toBe(201); // not the other owner’s check and not a 422
  expect(((await other.json()) as { id: string }).id).not.toBe(first.id);
  const again = await post({ ...mine, ...idempotency });
  expect([again.status, ((await again.json()) as { id: string }).id]).toEqual([200, first.id]);
  const anotherKey = await post({ ...(await anOwner('acme')), ...idempotency });
  expect([anotherKey.status, ((await anotherKey.json()) as { id: string }).id]).toEqual([200, first.id]);
});

test('a job has its owner as message group, so that queues are fair', async () => {
  const sent = vi.spyOn(SQSClient.prototype, 'send');
  expect((await post(await anOwner('acme'))).status).toBe(201);
  expect(sent.mock.calls.map(([{ input }]) => input)).toEqual(
    aBody.regions.map(() => expect.objectContaining({ MessageGroupId: 'acme' })),
  );
});

/** A key store in memory that counts reads and uses. */
const counted = (key: Awaited<ReturnType<typeof aKey>>) => {
  const store = {
    find: vi.fn(async () => key.key as ApiKey | undefined),
    touch: vi.fn(async () => undefined as never),
  };
  return { store, header: `Bearer ${key.text}` };
};
const at = new Date('2031-01-01T00:00:00.000Z');

test('a key that is made up, mistyped or of an earlier form costs no request to the table', async () => {
  const { text } = await aKey();
  const sent = vi.spyOn(DynamoDBDocumentClient.prototype, 'send');
  const noChecksum = text.slice(0, -8);
  const swapped = text.replace(/^pas_(.)(.)/, (_, a, b) => `pas_${b}${a === b ? '_' : a}`);
  for (const made of [mistyped(text), noChecksum, `${noChecksum}00000000`, swapped, text.slice(0, -1), `${text}0`]) {
    await problemOf(await call('/v1/checks', bearer(made)), 401, 'unauthorized');
  }
  expect(sent).not.toHaveBeenCalled();
  await problemOf(await call('/v1/checks', bearer(wrongSecret(text))), 401, 'unauthorized');
  expect(sent).toHaveBeenCalledTimes(1); // a spy that counts nothing would pass too
});

test('a revocation applies at once if the clock was set back since the key was read', async () => {
  const created = await aKey({}, at);
  const { store, header } = counted(created);
  let now = later(at, 7200);
  const check = keyring({ store, now: () => now });
  await check(header, 'checks:read');
  store.find.mockResolvedValue({ ...created.key, revokedAt: at.toISOString() });
  now = later(at, 1);
  await expect(check(header, 'checks:read')).rejects.toMatchObject({ code: 'unauthorized' });
});

test('a key is read and its use is recorded once a minute, and a revocation applies after that', async () => {
  const created = await aKey({}, at);
  const { store, header } = counted(created);
  let now = at;
  const check = keyring({ store, now: () => now });
  await Promise.all(Array.from({ length: 20 }, () => check(header, 'checks:read')));
  store.find.mockResolvedValue({ ...created.key, revokedAt: at.toISOString() });
  now = later(at, 59.9);
  await expect(check(header, 'checks:read')).resolves.toEqual({ owner: 'acme', plan: 'large' });
  expect([store.find.mock.calls.length, store.touch.mock.calls.length]).toEqual([1, 1]);
  now = later(at, 60);
  await expect(check(header, 'checks:read')).rejects.toMatchObject({
    code: 'unauthorized',
  } satisfies Partial<ApiProblemError>);
  expect([store.find.mock.calls.length, store.touch.mock.calls.length]).toEqual([2, 1]);
});

test('a cached key expires on time', async () => {
  const { store, header } = counted(await aKey({ expiresAt: later(at, 30).toISOString() }, at));
  let now = at;
  const check = keyring({ store, now: () => now });
  await check(header, 'checks:read');
  now = later(at, 29.999);
  await check(header, 'checks:read');
  now = later(at, 30);
  await expect(check(header, 'checks:read')).rejects.toThrow('The API key is expired.');
});

test('a failed read and an unknown key are not cached', async () => {
  const created = await aKey({}, at);
  const { store, header } = counted(created);
  store.find.mockRejectedValueOnce(new Error('connection lost')).mockResolvedValueOnce(undefined);
  const check = keyring({ store, now: () => at });
  await expect(check(header, 'checks:read')).rejects.toThrow('connection lost');
  await expect(check(header, 'checks:read')).rejects.toThrow('The API key is unknown.');
  await expect(check(header, 'checks:read')).resolves.toMatchObject({ owner: 'acme' });
});

test('a request succeeds although the use of its key can not be recorded', async () => {
  const { store, header } = counted(await aKey({}, at));
  store.touch.mockRejectedValue(new Error('connection lost') as never);
  await expect(keyring({ store, now: () => at })(header, 'checks:read')).resolves.toMatchObject({ owner: 'acme' });
  store.touch.mockReturnValue(new Promise(() => {}) as never);
  await expect(keyring({ store, now: () => at })(header, 'checks:read')).resolves.toMatchObject({ owner: 'acme' });
});

test('recording the use of a key writes only lastUsedAt and reads nothing back, as its IAM right demands', async () => {
  const { key } = await aKey();
  const db = openDb(ReadEnv.parse(process.env));
  const send = vi.spyOn(db.client, 'send');
  await keyStore(db).touch(key.prefix, new Date());
  const [update] = send.mock.calls[0] as unknown as [{ input: UpdateCommandInput }];
  expect(update.input).toMatchObject({ ReturnValues: 'NONE', UpdateExpression: 'SET #lastUsedAt = :set0' });
  expect(Object.values(update.input.ExpressionAttributeNames ?? {}).sort()).toEqual(['lastUsedAt', 'pk']);
});

test('the last use of a key is recorded', async () => {
  const { key, text } = await aKey();
  expect((await world.keys.find(key.prefix))?.lastUsedAt).toBeNull();
  const before = new Date().toISOString();
  await call(`/v1/checks/${randomUUID()}`, bearer(text));
  await expect.poll(async () => ((await world.keys.find(key.prefix))?.lastUsedAt ?? '') >= before).toBe(true);
});

const aRequest = (some: Partial<Request>): Request => ({
  owner: 'anonymous',
  requestId: randomUUID(),
  method: 'GET',
  path: '/',
  params: {},
  query: {},
  headers: {},
  body: undefined,
  ...some,
});

/** Finishes all runs of a check, each with a report. */
const finish = async (checkId: string) => {
  for (const run of (await world.find(checkId)).runs) {
    await world.finish(run, { ...passed, report: await world.storeReport(run, gzipSync('{}')) });
  }
};

test('the canary makes a key of its own, which takes the place of the one before', async () => {
  const now = new Date();
  const earlier = await canaryKey(world.keys, later(now, -60));
  const text = await canaryKey(world.keys, now);
  expect((await post(bearer(text))).status).toBe(201);
  expect((await post(bearer(earlier))).status).toBe(401);
  const { keys } = await world.keys.list();
  expect(keys.filter(({ owner }) => owner === 'canary')).toMatchObject([{ prefix: CANARY_PREFIX, plan: 'standard' }]);
  await expect(canaryKey(world.keys, later(now, -1))).rejects.toThrow('Correct the clock of this machine.');
});

test('slow uploads of one owner leave room for those of another', async () => {
  const upload = (headers: Headers) =>
    httpRequest(`${api.url}/v1/reports`, { method: 'POST', headers }).on('error', () => {}); // in chunks
  const slow = await anOwner('slow');
  const endless = Array.from({ length: 4 }, () => upload(slow));
  for (const each of endless) each.write('[');
  await expect.poll(async () => (await call('/v1/checks', slow)).status).toBe(200); // after them
  const body = `${' '.repeat(300_000)}[]`;
  const headers = { 'content-type': 'application/json', ...(await anOwner('other')) };
  await problemOf(await call('/v1/reports', headers, { method: 'POST', body }), 400, 'invalid-request');
  for (const each of endless) each.destroy();
});
