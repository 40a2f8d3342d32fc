import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { http } from '../../functions/lib/http/http.ts';
import { lambdaContext } from '../../infra/local/lambda-context.ts';
import { functionRows } from '../../shared/service/functions.ts';
import { apiFunctions, defaultRoute, gatewayKeyOf, routes, rulesOf } from '../../shared/service/routes.ts';

afterEach(() => vi.unstubAllEnvs());

const event = (routeKey: string, query: Record<string, string> = {}) =>
  ({
    routeKey,
    headers: {},
    isBase64Encoded: false,
    queryStringParameters: query,
    requestContext: { requestId: 'r', domainName: 'localhost', http: { method: 'GET', path: '/' } },
  }) as unknown as APIGatewayProxyEventV2;
const useOpenService = () => {
  for (const [name, value] of Object.entries({ TABLE_NAME: 't', HOME_REGION: 'us-west-2', AUTH: 'open' })) {
    vi.stubEnv(name, value);
  }
};

test('a HEAD request has the rules of GET, and a request without a route those of the default route', () => {
  const page = (name: string) => name === defaultRoute.function;
  const ruled = routes.filter((route) => !page(route.function));
  for (const route of ruled) expect(rulesOf(gatewayKeyOf(route), route.method)).toBe(route);
  const { function: _, ...rules } = defaultRoute;
  for (const route of routes.filter((each) => page(each.function)))
    expect(route).toMatchObject({ method: 'GET', ...rules });
  expect(rulesOf('ANY /v1/checks', 'HEAD')).toBe(rulesOf('ANY /v1/checks', 'GET'));
  expect(rulesOf('$default', 'GET')).toBe(defaultRoute);
});

test('a share token may replace the key on reads of one check only', () => {
  for (const { method, path, scope, ...more } of routes) {
    if ('shared' in more) expect([method, scope, path.includes('{checkId}')]).toEqual(['GET', 'checks:read', true]);
  }
});

test('each function that needs a key on some route knows how keys are checked', () => {
  for (const name of apiFunctions) {
    const needsKey = routes.some((route) => route.function === name && route.scope !== 'public');
    expect([name, 'AUTH' in functionRows[name].env.shape]).toEqual([name, needsKey]);
  }
});

test('the import of a function reads none of its variables', async () => {
  const variables = Object.values(functionRows).flatMap(({ env }) => Object.keys(env.shape));
  const ours = new Set(variables.filter((name) => !name.startsWith('AWS_'))); // the SDK reads those
  const real = process.env;
  const read: PropertyKey[] = [];
  process.env = new Proxy(real, {
    get: (target, name: string) => {
      if (ours.has(name)) read.push(name);
      return target[name];
    },
  });
  await Promise.all(Object.keys(functionRows).map((name) => import(`../../functions/${name}.ts`)));
  process.env = real;
  expect(read).toEqual([]);
});

test('a function reads its variables at the first request and once', async () => {
  const build = vi.fn(({ TABLE_NAME }) => async () => ({ status: 200, body: { TABLE_NAME } }));
  const handler = http('list-runs', build); // without variables
  useOpenService();
  for (const table of ['t', 'other']) {
    vi.stubEnv('TABLE_NAME', table);
    expect((await handler(event('ANY /v1/runs'), lambdaContext('f', 10))).body).toBe('{"TABLE_NAME":"t"}');
  }
  expect(build).toHaveBeenCalledOnce();
});

test('a function refuses query parameters that the row of its route does not list', async () => {
  useOpenService();
  const handler = http('get-comparison', () => async () => ({ status: 200 }));
  const statusOf = async (query: Record<string, string>) =>
    (await handler(event('ANY /v1/checks/{checkId}/comparison', query), lambdaContext('f', 10))).statusCode;
  expect(await statusOf({ base: 'b', share: 's' })).toBe(200);
  expect(await statusOf({ bases: 'b' })).toBe(400);
});

test('a request whose route has no row reaches no function', async () => {
  useOpenService();
  const build = vi.fn(() => async () => ({ status: 200 }));
  const { statusCode } = await http('get-check', build)(event('ANY /v1/secrets'), lambdaContext('f', 10));
  expect([statusCode, build.mock.calls]).toEqual([500, []]);
});
