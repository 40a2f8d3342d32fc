import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { commonHeaders } from '../../functions/lib/http/security-headers.ts';
import { type Handler, startGateway } from '../../infra/local/gateway.ts';
import { MAX_BODY_BYTES } from '../../shared/check.ts';
import type { ApiFunction } from '../../shared/service/routes.ts';
import { FULL } from '../support/full.ts';
import { type Gateway, startHandlers } from '../support/gateway.ts';

/** Timeout of the functions in these tests. */
const TIMEOUT_MS = FULL ? 1000 : 300;

type Event = APIGatewayProxyEventV2 & { function: string };
let gateway: Gateway;
let handle: Handler; // the handler of every function
const received: { event: Event; context: Context }[] = [];
const handlerOf =
  (name: ApiFunction): Handler =>
  (event, context) => {
    received.push({ event: { ...event, function: name }, context });
    return handle(event, context);
  };

beforeAll(async () => {
  gateway = await startHandlers(handlerOf, { timeoutSeconds: TIMEOUT_MS / 1000 });
});
afterAll(() => gateway.close());
afterEach(() => {
  vi.restoreAllMocks();
  received.length = 0;
  handle = () => ({ statusCode: 200, body: 'ok' });
});
handle = () => ({ statusCode: 200, body: 'ok' });

/** Sends a request and returns its event. Doesn't use fetch, which would normalise the path. */
const eventOf = async (method: string, path: string, headers: Record<string, string | string[]> = {}, body = '') => {
  const request = httpRequest({ port: gateway.port, host: '127.0.0.1', method, path, headers });
  request.end(body);
  const [response] = await once(request, 'response');
  await once(response.resume(), 'end');
  return received.at(-1)?.event as Event;
};

test('each request goes to the function of its route, with the route as its key', async () => {
  const routed = async (method: string, path: string) => {
    const { routeKey, function: name, pathParameters } = await eventOf(method, path);
    return [routeKey, name, pathParameters];
  };
  expect(await routed('POST', '/v1/checks')).toEqual(['POST /v1/checks', 'create-check', undefined]);
  expect(await routed('GET', '/v1/checks/c1')).toEqual(['ANY /v1/checks/{checkId}', 'get-check', { checkId: 'c1' }]);
  expect(await routed('HEAD', '/v1/checks/c1')).toEqual(['ANY /v1/checks/{checkId}', 'get-check', { checkId: 'c1' }]);
  expect(await routed('GET', '/v1/checks/c1/runs/r1')).toEqual([
    'ANY /v1/checks/{checkId}/runs/{runId}',
    'get-run',
    { checkId: 'c1', runId: 'r1' },
  ]);
  expect(await routed('PUT', '/v1/checks')).toEqual(['ANY /v1/checks', 'list-checks', undefined]);
  expect(await routed('DELETE', '/v1/checks/c1')).toEqual([
    'DELETE /v1/checks/{checkId}',
    'delete-check',
    { checkId: 'c1' },
  ]);
  for (const [method, path] of [
    ['GET', '/v1/nothing'],
    ['HEAD', '/v1/nothing'],
    ['OPTIONS', '/v1/checks/c1/links'],
    ['GET', '/v1/checks/c1/links'],
    ['GET', '/v1/checks/'],
    ['GET', '/v1/checks/c1/'],
    ['GET', '//v1/checks/c1'],
  ] as const) {
    expect(await routed(method, path), `${method} ${path}`).toEqual(['$default', 'web-page', undefined]);
  }
});

test('path parameters are decoded, and a malformed escape stays as it is', async () => {
  expect((await eventOf('GET', '/v1/checks/a%2Fb%20c')).pathParameters).toEqual({ checkId: 'a/b c' });
  expect((await eventOf('GET', '/v1/checks/%E0%A4%A')).pathParameters).toEqual({ checkId: '%E0%A4%A' });
});

test('the path of the event is decoded, and cut at a decoded question mark', async () => {
  for (const [path, rawPath] of [
    ['/v1/checks/a%2Fb%20c', '/v1/checks/a/b c'],
    ['/v1/checks/a%3Fshare=b?c=%3F', '/v1/checks/a'],
    ['/v1/checks/%253F', '/v1/checks/%3F'],
    ['/v1/checks/%E0%A4%A', '/v1/checks/%E0%A4%A'],
  ] as const) {
    expect(await eventOf('GET', path), path).toMatchObject({ rawPath, requestContext: { http: { path: rawPath } } });
  }
});

test('the event has payload format 2.0', async () => {
  const headers = { 'X-Two': ['a', 'b'], Cookie: 'a=1; b=2', 'User-Agent': 'me' };
  const event = await eventOf('GET', '/v1/regions?a=1&a=2&b=x%20y&c', headers);
  expect(event).toMatchObject({
    version: '2.0',
    rawPath: '/v1/regions',
    rawQueryString: 'a=1&a=2&b=x%20y&c',
    queryStringParameters: { a: '1,2', b: 'x y', c: '' },
    cookies: ['a=1', 'b=2'],
    headers: { 'x-two': 'a,b', host: `127.0.0.1:${gateway.port}` },
    isBase64Encoded: false,
    requestContext: {
      http: { method: 'GET', path: '/v1/regions', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'me' },
      stage: '$default',
      routeKey: 'ANY /v1/regions',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
    },
  });
  expect(event.headers).not.toHaveProperty('cookie');
  expect(Math.abs(event.requestContext.timeEpoch - Date.now())).toBeLessThan(5000);
  const plain = await eventOf('GET', '/v1/regions');
  for (const absent of ['body', 'cookies', 'queryStringParameters', 'pathParameters'])
    expect(plain).not.toHaveProperty(absent);
});

test('a text body arrives as text, and any other body or invalid text in base64', async () => {
  const sent = async (type: string | undefined, body: string | Buffer) => {
    const headers: Record<string, string> = type ? { 'content-type': type } : {};
    await fetch(`${gateway.url}/v1/checks`, { method: 'POST', headers, body: Buffer.from(body) });
    const event = received.at(-1)?.event;
    return [event?.body, event?.isBase64Encoded];
  };
  for (const type of ['application/json', 'Application/Problem+JSON; charset=utf-8', 'text/html', 'image/svg+xml']) {
    expect(await sent(type, '{"ü": 1}'), type).toEqual(['{"ü": 1}', false]);
  }
  expect(await sent('application/x-www-form-urlencoded', 'a=1')).toEqual(['a=1', false]);
  expect(await sent('application/octet-stream', 'abc')).toEqual(['YWJj', true]);
  expect(await sent(undefined, 'abc')).toEqual(['YWJj', true]);
  expect(await sent('application/json', Buffer.from([123, 255]))).toEqual(['e/8=', true]);
});

test('the client receives status, headers, cookies and bytes of the answer', async () => {
  const headers = { 'content-type': 'image/png', 'x-count': 3, Location: '/v1/checks/1' };
  handle = () => ({ statusCode: 201, headers, cookies: ['a=1', 'b=2; Path=/'], body: 'AP+A', isBase64Encoded: true });
  const response = await fetch(`${gateway.url}/v1/checks`, { method: 'POST' });
  expect(response.status).toBe(201);
  expect(response.headers.get('content-type')).toBe('image/png');
  expect(response.headers.get('x-count')).toBe('3');
  expect(response.headers.get('location')).toBe('/v1/checks/1');
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2; Path=/']);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from([0, 255, 128]));
});

test('an answer to HEAD has the length of the body but no body', async () => {
  handle = () => ({ statusCode: 200, body: 'hello' });
  const socket = connect(gateway.port, '127.0.0.1');
  socket.write('HEAD /v1/regions HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  const text = Buffer.concat(await socket.toArray()).toString();
  expect(text).toMatch(/^HTTP\/1.1 200 /);
  expect(text).toMatch(/content-length: 5\r\n/i);
  expect(text.endsWith('\r\n\r\n')).toBe(true);
});

test('a function receives one byte more than the limit of a larger body, and its answer is received', async () => {
  handle = ({ body = '', isBase64Encoded }) => ({
    statusCode: 413,
    body: `${Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').length}`,
  });
  for (const [bytes, length] of [
    [MAX_BODY_BYTES, MAX_BODY_BYTES],
    [MAX_BODY_BYTES + 1, MAX_BODY_BYTES + 1],
    [20 * MAX_BODY_BYTES, MAX_BODY_BYTES + 1],
  ] as const) {
    const response = await fetch(`${gateway.url}/v1/checks`, { method: 'POST', body: new Uint8Array(bytes) });
    expect([response.status, await response.text()]).toEqual([413, `${length}`]);
  }
});

test('a function that exceeds its timeout is a 503, even if it fails later', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  handle = async () => {
    await pause(1.2 * TIMEOUT_MS);
    throw new Error('late');
  };
  const response = await fetch(`${gateway.url}/v1/regions`);
  expect([response.status, await response.text()]).toEqual([503, '{"message":"Service Unavailable"}']);
  await expect.poll(() => error).toHaveBeenCalledOnce();
});

test('a function that throws or returns an invalid answer is a 500, logged once, without details for the client', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  const failures: Handler[] = [
    () => {
      throw new Error('secret');
    },
    async () => Promise.reject(new Error('secret')),
    () => undefined,
    () => ({ statusCode: 'x' }),
    () => ({ statusCode: 200, headers: { 'x-a': 'b\r\nx-c: d' } }),
    () => ({ statusCode: 200, body: { not: 'text' } }),
    () => ({ statusCode: 200, cookies: ['a\nb'] }),
  ];
  for (const [i, failure] of failures.entries()) {
    handle = failure;
    const response = await fetch(`${gateway.url}/v1/regions`);
    expect([response.status, await response.text()], `failure ${i}`).toEqual([
      500,
      '{"message":"Internal Server Error"}',
    ]);
    expect(error).toHaveBeenCalledTimes(i + 1);
  }
});

test('an error of the gateway itself is a 500, and ends no service', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  const broken = await startGateway({ port: 0, functions: {} as Record<ApiFunction, Handler> });
  const post = () => fetch(`${broken.url}/v1/checks`, { method: 'POST', body: '{}' });
  expect([(await post()).status, (await post()).status]).toEqual([500, 500]);
  expect(logged).toHaveBeenCalledTimes(2);
  await broken.close();
});

test('the gateway’s own answers have the security headers, also for malformed requests', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  handle = () => undefined;
  const own = [await fetch(`${gateway.url}/v1/regions`)];
  expect(own.map(({ status }) => status)).toEqual([500]);
  for (const { headers } of own) expect(Object.fromEntries(headers)).toMatchObject(commonHeaders);

  for (const [sent, status] of [
    ['GET / HTTP/1.1\r\nhost: a\r\nexpect: more\r\nconnection: close\r\n\r\n', '417 Expectation Failed'],
    ['nonsense\r\n\r\n', '400 Bad Request'],
    [`GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, '431 Request Header Fields Too Large'],
  ]) {
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(String(sent));
    const text = Buffer.concat(await socket.toArray()).toString();
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status}\r\n`));
    for (const [name, value] of Object.entries(commonHeaders)) expect(text).toContain(`\r\n${name}: ${value}\r\n`);
  }
});

test('the context has an id for each event, the function’s name and the remaining time, as on Lambda', async () => {
  let left = [0, 0];
  handle = async (_, context) => {
    const before = context.getRemainingTimeInMillis();
    await pause(TIMEOUT_MS / 10);
    left = [before, context.getRemainingTimeInMillis()];
    return { statusCode: 204 };
  };
  for (const _ of [1, 2]) expect((await fetch(`${gateway.url}/v1/regions`)).status).toBe(204);
  const [before = 0, after = 0] = left;
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThanOrEqual(TIMEOUT_MS);
  expect(before - after).toBeGreaterThan(0.08 * TIMEOUT_MS);
  expect(received[0]?.context.functionName).toBe('discover');
  expect(received[0]?.context.awsRequestId).not.toBe(received[1]?.context.awsRequestId);
});

test('clients that stall or disconnect do not delay others', async () => {
  const stalled = Array.from({ length: 50 }, () => connect(gateway.port, '127.0.0.1'));
  for (const socket of stalled) {
    socket.on('error', () => {});
    socket.write('POST /v1/checks HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc');
  }
  handle = async () => {
    await pause(100);
    return { statusCode: 200, body: 'x'.repeat(1000) };
  };
  const leaving = connect(gateway.port, '127.0.0.1');
  leaving.write('GET /v1/regions HTTP/1.1\r\nhost: a\r\n\r\n');
  await expect.poll(() => received).toHaveLength(1);
  leaving.destroy();
  for (const socket of stalled.slice(0, 25)) socket.destroy();
  expect((await fetch(`${gateway.url}/v1/regions`)).status).toBe(200);
  expect(stalled.slice(25).map(({ destroyed }) => destroyed)).not.toContain(true); // the answer waited for none of them
  expect(received).toHaveLength(2); // an incomplete body reaches no function
  for (const socket of stalled) socket.destroy();
});

test('a port in use is rejected with a command that uses another port', async () => {
  const { port } = gateway;
  const sentence = `Port ${port} is in use. Set PORT to another one, for example PORT=${port + 1}.`;
  await expect(startGateway({ port, functions: {} as Record<ApiFunction, Handler> })).rejects.toThrow(sentence);
});

test('close waits for a running function, and closes idle and stalled connections', async () => {
  const graceMs = FULL ? undefined : 300;
  const other = await startHandlers(handlerOf, { graceMs });
  await (await fetch(`${other.url}/v1/regions`)).text();
  const stalled = connect(other.port, '127.0.0.1').on('error', () => {});
  stalled.write('GET / HTT');
  handle = async () => {
    await pause(FULL ? 300 : 90);
    return { statusCode: 200, body: 'done' };
  };
  const response = fetch(`${other.url}/v1/regions`).then((response) => response.text());
  await expect.poll(() => received).toHaveLength(2);
  await other.close();
  expect(await response).toBe('done');
  await expect(fetch(other.url)).rejects.toThrow();
});
