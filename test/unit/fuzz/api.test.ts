import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createCheck } from '../../../functions/create-check.ts';
import { deleteCheck } from '../../../functions/delete-check.ts';
import { getCheck } from '../../../functions/get-check.ts';
import { getReport } from '../../../functions/get-report.ts';
import { getRun } from '../../../functions/get-run.ts';
import { keyring } from '../../../functions/lib/http/access.ts';
import { endpoint } from '../../../functions/lib/http/endpoint.ts';
import { repeatedKey } from '../../../functions/lib/http/json-body.ts';
import { noRoute } from '../../../functions/lib/http/no-route.ts';
import type { RunItem } from '../../../functions/lib/store/items.ts';
import { lambdaContext } from '../../../infra/local/lambda-context.ts';
import { auditVersions } from '../../../shared/audit-versions.ts';
import { presets } from '../../../shared/options/throttling.ts';
import { Problem } from '../../../shared/problems.ts';
import { allRegions } from '../../../shared/regions.ts';
import { DEFAULT_PORTS } from '../../../shared/service/env.ts';
import { methodsOf, type RouteKey, routeOf, routes, rulesOf } from '../../../shared/service/routes.ts';
import { pathParameters } from '../../../shared/service/share-routes.ts';
import { assertProperty, fuzzTimeoutMs, numRuns, shuffled, text, url } from '../../support/fuzz.ts';

vi.setConfig({ testTimeout: fuzzTimeoutMs });

/** Returns an API Gateway event with the fields that the endpoint reads. */
const eventOf = (method: string, path: string, more: Partial<APIGatewayProxyEventV2> = {}) =>
  ({
    headers: {},
    isBase64Encoded: false,
    routeKey: '$default',
    ...more,
    requestContext: { requestId: 'r', http: { method, path } },
  }) as APIGatewayProxyEventV2;
const cors = () => ({ CORS_ORIGINS: ['https://example.com'] });

/** Checks that a response is no 5xx, has the security headers, and is a valid problem document if it is an error. */
const expectValidResult = ({
  statusCode = 500,
  headers = {},
  body = '',
}: Awaited<ReturnType<ReturnType<typeof endpoint>>>) => {
  expect(statusCode).toBeLessThan(500);
  expect(headers['x-content-type-options']).toBe('nosniff');
  if (statusCode >= 400 && body !== '') expect(Problem.strict().parse(JSON.parse(body)).status).toBe(statusCode);
  return statusCode;
};

const access = async () => ({ owner: 'anonymous' });
/** Options of an endpoint that has the rules of a route. */
const ruledBy = (key: RouteKey) => ({ cors, rulesOf: () => routeOf(key) });

describe('the API', () => {
  const create = endpoint({ access, ...ruledBy('POST /v1/checks') }, () =>
    createCheck({
      secrets: { put: async () => {}, fingerprintOf: async () => 'f' },
      store: {
        create: async (check) => check.runs.map((run) => ({ ...run, checkId: check.id }) as RunItem),
        findOrErased: async () => undefined,
      },
      due: { abandon: async () => true, postpone: async () => undefined },
      usage: { take: () => Promise.reject(new Error('without a plan, no limits apply')) },
      queues: { send: async () => {}, regions: allRegions },
      targets: { targets: 'public', ports: DEFAULT_PORTS },
      retentionDays: 90,
      trendDays: 400,
    }),
  );
  const field = fc.oneof(fc.jsonValue(), text, url);
  const region = fc.oneof(fc.constantFrom<string>(...allRegions), text);
  const valid = {
    url: fc.constantFrom('https://example.com/', 'http://example.org/a?b#c'),
    auditVersion: fc.constantFrom<string>('latest', '12', auditVersions[0].version),
    regions: fc.uniqueArray(fc.constantFrom(...allRegions), { minLength: 1 }),
  };
  const optional = {
    device: fc.oneof(fc.constantFrom('mobile', 'desktop'), fc.jsonValue()),
    samples: fc.oneof(fc.nat(6), fc.double(), fc.jsonValue()),
    blockedUrlPatterns: fc.oneof(fc.array(text), fc.jsonValue()),
    throttling: fc.oneof(fc.constantFrom('none', presets.mobile), fc.jsonValue()),
    simulations: fc.oneof(
      fc.array(fc.oneof(fc.constantFrom('3g', { name: 'a', ...presets.mobile }), text)),
      fc.jsonValue(),
    ),
    categories: fc.oneof(fc.array(fc.constantFrom('performance', 'pwa', 'seo', 'x')), fc.jsonValue()),
  };
  const often = <T>(arbitrary: fc.Arbitrary<T>) => ({ weight: 4, arbitrary });
  const almostValid = fc.oneof(
    often(fc.record(valid)),
    fc.record({ ...valid, ...optional }, { requiredKeys: ['url', 'auditVersion', 'regions'] }),
    fc.record(
      {
        url: fc.oneof(url, field),
        auditVersion: fc.oneof(valid.auditVersion, field),
        regions: fc.oneof(fc.array(region), field),
      },
      { requiredKeys: [] },
    ),
    fc
      .tuple(
        fc.record(valid),
        fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString')), field),
      )
      .map(([body, more]) => ({ ...more, ...body })),
    fc.jsonValue(),
  );
  const body = fc.oneof(
    often(almostValid.map((value) => JSON.stringify(value))),
    fc.tuple(almostValid, fc.nat(), text).map(([value, at, by]) => {
      const json = JSON.stringify(value);
      const place = at % (json.length + 1);
      return json.slice(0, place) + by + json.slice(place + 1);
    }),
    text,
    fc.nat(30).map((depth) => '['.repeat(2 ** (depth / 2))),
  );
  const type = fc.oneof(
    often(fc.constantFrom('application/json', 'Application/JSON; charset=utf-8')),
    shuffled('application/json', ';', 'charset', '=', '"', 'utf-8', 'latin1', text),
  );
  const coding = fc.oneof(often(fc.constant('identity')), text);
  const key = fc.oneof(often(fc.uuid()), text);

  test('a create survives any body, content type and key', async () => {
    const statuses: number[] = [];
    await assertProperty(
      fc.asyncProperty(
        fc.oneof(
          often(body.map((sent) => ({ body: sent, isBase64Encoded: false }))),
          body.map((sent) => ({ body: Buffer.from(sent).toString('base64'), isBase64Encoded: true })),
          fc
            .uint8Array({ maxLength: 300 })
            .map((sent) => ({ body: Buffer.from(sent).toString('base64'), isBase64Encoded: true })),
          text.map((sent) => ({ body: sent, isBase64Encoded: true })), // invalid base64
        ),
        fc.record(
          { 'content-type': type, 'content-encoding': coding, 'idempotency-key': key, origin: text },
          { requiredKeys: [] },
        ),
        async (sent, headers) => {
          const answer = await create(eventOf('POST', '/v1/checks', { ...sent, headers }), lambdaContext('f', 10));
          statuses.push(expectValidResult(answer));
        },
      ),
    );
    // Some inputs must be valid, or the property proves little.
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(numRuns / 50);
  });

  test('a field that a body has twice is found, and no other', () =>
    assertProperty(
      fc.property(fc.jsonValue(), text, (value, key) => {
        const [json, name] = [JSON.stringify(value), JSON.stringify(key)];
        expect(repeatedKey(json)).toBeUndefined();
        expect(repeatedKey(`{"a":${json},"b":[{${name}:${json}, ${name} :${json}}]}`)).toBe(key);
      }),
    ));

  const emptyStore = {
    find: async () => undefined,
    findOfAnyOwner: async () => undefined,
    findErasable: async () => undefined,
    findShare: async () => undefined,
    checkIdOfRun: async () => undefined,
  };
  const expectUuid =
    <T>(lookUp: (id: string) => Promise<T>) =>
    (id: string) => {
      expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      return lookUp(id);
    };
  const store = {
    find: expectUuid(emptyStore.find),
    findOfAnyOwner: expectUuid(emptyStore.findOfAnyOwner),
    findErasable: expectUuid(emptyStore.findErasable),
    findShare: expectUuid(emptyStore.findShare),
    checkIdOfRun: expectUuid(emptyStore.checkIdOfRun),
  };
  const erasure = { markErased: async () => false, eraseRemains: async () => true, eraseTrends: async () => false };
  const reports = {
    get: async () => Buffer.of(),
    exists: async () => true,
    urlOf: async () => '',
  };
  const keys = keyring({ store: { find: async () => undefined, touch: async () => {} } });
  const authorization = shuffled('Bearer', 'Basic', ' ', 'pas_', '0123456789ab_', 'f00d'.repeat(16), '"', text);
  const handlers = [
    endpoint({ access, ...ruledBy('GET /v1/checks/{checkId}') }, () => getCheck({ store })),
    endpoint({ access, ...ruledBy('GET /v1/audit/runs/{runId}') }, () => getRun({ store })),
    endpoint({ access, ...ruledBy('GET /v1/audit/runs/{runId}/report') }, () =>
      getReport({ store, reports, maxBytes: 1000 }),
    ),
    endpoint({ access, ...ruledBy('DELETE /v1/checks/{checkId}') }, () => deleteCheck({ store, erasure })),
    endpoint({ access: async () => ({}), cors, rulesOf }, () => noRoute({ page: async () => ({ status: 200 }) })),
    endpoint(
      {
        ...ruledBy('GET /v1/checks/{checkId}'),
        access: (_, { authorization }) => keys(authorization, 'checks:read'),
      },
      () => getCheck({ store }),
    ),
    endpoint(
      {
        ...ruledBy('GET /v1/checks/{checkId}'),
        access: async (_, __, reader) => reader ?? { owner: 'acme' },
      },
      () => getCheck({ store }),
    ),
  ];
  const id = fc.oneof(
    text,
    fc.uuid(),
    fc.uuid().map((uuid) => uuid.toUpperCase()),
    shuffled('0', '-', 'a', 'F', '%', '/'),
  );

  test('reads survive any parameter, query, path and header, and look up only UUIDs', () =>
    assertProperty(
      fc.asyncProperty(
        fc.constantFrom(...handlers),
        fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'DELETE', 'PATCH'),
        fc.record({ checkId: id, runId: id }, { requiredKeys: [] }),
        fc.dictionary(
          fc.oneof(text, fc.constantFrom('checkId', 'share')),
          fc.oneof(text, id, shuffled('pas_share_', 'A'.repeat(48), text)),
          { maxKeys: 3 },
        ),
        fc.oneof(text, shuffled('/', 'v1', 'checks', 'runs', '%2f', '..', id)),
        fc.record(
          { accept: text, 'accept-encoding': text, 'if-none-match': text, origin: text, authorization },
          { requiredKeys: [] },
        ),
        async (handler, method, pathParameters, queryStringParameters, path, headers) => {
          const event = eventOf(method, path, { pathParameters, queryStringParameters, headers });
          expectValidResult(await handler(event, lambdaContext('f', 10)));
        },
      ),
    ));

  test('a path that matches a route has the form of that route', () =>
    assertProperty(
      fc.property(fc.oneof(text, shuffled('/', 'v1', 'checks', 'audit', 'runs', 'report', '__proto__', id)), (path) => {
        for (const route of routes) {
          const found = pathParameters(route, path);
          if (found) expect(path).toBe(route.path.replace(/\{(\w+)\}/g, (_, name) => found[name] as string));
        }
        expect(methodsOf(path).every((method) => /^[A-Z]+$/.test(method))).toBe(true);
      }),
    ));
});
