import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { endpoint } from '../../functions/lib/http/endpoint.ts';
import type { Reply } from '../../functions/lib/http/response.ts';
import { log } from '../../functions/lib/log.ts';
import { WriteConflictError } from '../../functions/lib/store/dynamodb.ts';
import { lambdaContext } from '../../infra/local/lambda-context.ts';
import { ApiProblemError, Problem } from '../../shared/problems.ts';

const PAGE = 'https://pages.example.com';
const cors = () => ({ CORS_ORIGINS: [PAGE] });
const rulesOf = () => ({ scope: 'public' }) as const;
const event = (method = 'GET') =>
  ({
    routeKey: method === 'POST' ? 'POST /v1/checks' : 'ANY /v1/regions',
    headers: { origin: PAGE },
    isBase64Encoded: false,
    requestContext: { requestId: 'r', http: { method, path: '/v1/regions' } },
  }) as unknown as APIGatewayProxyEventV2;
const respond = async (reply: () => Promise<Reply>, { remainingMs = 10_000, method = 'GET' } = {}) => {
  const context = { getRemainingTimeInMillis: () => remainingMs } as Context;
  return await endpoint({ access: async () => ({}), cors, rulesOf }, () => reply)(event(method), context);
};

test('a request that reaches the Lambda timeout gets a 503 problem document', async () => {
  const { statusCode, headers, body } = await respond(() => sleep(5000, { status: 200 }, { ref: false }), {
    remainingMs: 30,
  });
  expect(statusCode).toBe(503);
  expect(headers).toMatchObject({ 'retry-after': '5', 'access-control-allow-origin': PAGE });
  expect(Problem.parse(JSON.parse(body ?? ''))).toMatchObject({ code: 'unavailable', requestId: 'r' });
});

test.each([
  ['a bug', new TypeError('secret'), 500, 'internal'],
  ['a throttled AWS request', Object.assign(new Error('secret'), { name: 'ThrottlingException' }), 503, 'unavailable'],
  ['a 500 of AWS', Object.assign(new Error('secret'), { $metadata: { httpStatusCode: 500 } }), 503, 'unavailable'],
  ['an AWS request that reached the deadline', new DOMException('secret', 'AbortError'), 503, 'unavailable'],
  ['other writes of the same item', new WriteConflictError('secret', 50), 503, 'unavailable'],
  ['a refused connection', Object.assign(new Error('secret'), { code: 'ECONNREFUSED' }), 503, 'unavailable'],
])('%s becomes a problem document that hides the error', async (_, error, status, code) => {
  const { statusCode, headers, body } = await respond(async () => Promise.reject(error));
  expect(statusCode).toBe(status);
  expect(headers).toMatchObject({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  expect(Problem.parse(JSON.parse(body ?? '')).code).toBe(code);
  expect(body).not.toContain('secret');
});

test('a problem keeps its headers and loses its secrets', async () => {
  const problem = new ApiProblemError('too-many-requests', 'see https://user:pass@example.com/', {
    headers: { 'retry-after': '7' },
    errors: [{ path: 'a', message: `pas_0123456789ab_${'f00d'.repeat(16)}` }],
  });
  const { headers, body } = await respond(async () => Promise.reject(problem));
  expect(headers).toMatchObject({ 'retry-after': '7' });
  expect(JSON.parse(body ?? '')).toMatchObject({
    detail: 'see https://example.com/',
    errors: [{ path: 'a', message: 'pas_0123456789ab_[redacted]' }],
  });
});

test('a reply is JSON, bytes in base64, or empty', async () => {
  expect(await respond(async () => ({ status: 200, body: { a: 1 } }))).toMatchObject({
    body: '{"a":1}',
    headers: { 'content-type': 'application/json' },
  });
  expect(await respond(async () => ({ status: 200, body: Buffer.of(1, 2) }))).toMatchObject({
    body: 'AQI=',
    isBase64Encoded: true,
  });
  expect(await respond(async () => ({ status: 204 }))).toMatchObject({ body: '' });
});

test('a HEAD response has the headers of GET and no body', async () => {
  const { body, headers } = await respond(async () => ({ status: 200, body: {} }), { method: 'HEAD' });
  expect([body, headers?.['content-type']]).toEqual(['', 'application/json']);
});

test('a route of API Gateway lets through every method, and the function of a read refuses all but GET and HEAD', async () => {
  const read = vi.fn(async () => ({ status: 200 }));
  const refused = await respond(read, { method: 'DELETE' });
  expect([refused.statusCode, refused.headers?.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  expect(Problem.parse(JSON.parse(refused.body ?? ''))).toMatchObject({ code: 'method-not-allowed' });
  const preflight = await respond(read, { method: 'OPTIONS' });
  expect([preflight.statusCode, preflight.headers?.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
  expect(preflight.headers).toMatchObject({ 'access-control-allow-origin': PAGE });
  expect(read).not.toHaveBeenCalled();
});

test('the function is built once, on the first request that is authorized', async () => {
  const build = vi.fn(() => async () => ({ status: 200 }));
  let owner: string | undefined;
  const access = async () => {
    if (!owner) throw new ApiProblemError('unauthorized', 'no key');
    return { owner };
  };
  const handler = endpoint({ cors, access, rulesOf }, build);
  expect((await handler(event(), lambdaContext('f', 10))).statusCode).toBe(401);
  expect(build).not.toHaveBeenCalled();
  owner = 'acme';
  for (const _ of [1, 2]) expect((await handler(event(), lambdaContext('f', 10))).statusCode).toBe(200);
  expect(build).toHaveBeenCalledOnce();
});

test('each request with a key is logged once with its owner, also if it fails; a request without a key is not', async () => {
  const info = vi.spyOn(log, 'info').mockImplementation(() => {});
  const access = async (_: unknown, { authorization }: Record<string, string | undefined>) => {
    if (!authorization) throw new ApiProblemError('unauthorized', 'no key');
    return { owner: 'acme' };
  };
  const handler = endpoint({ cors, access, rulesOf }, () => async ({ method }) => {
    if (method === 'DELETE') throw new ApiProblemError('not-found', 'no check');
    return { status: 200 };
  });
  const withKey = (method: string) => ({
    ...event(method),
    routeKey: `${method} /v1/checks/{checkId}`,
    headers: { authorization: 'key' },
  });
  await handler(event(), lambdaContext('f', 10));
  for (const method of ['GET', 'DELETE']) await handler(withKey(method), lambdaContext('f', 10));
  expect(info.mock.calls).toEqual([
    ['The request is answered.', { requestId: 'r', route: 'GET /v1/checks/{checkId}', status: 200, owner: 'acme' }],
    ['The request is answered.', { requestId: 'r', route: 'DELETE /v1/checks/{checkId}', status: 404, owner: 'acme' }],
  ]);
});
