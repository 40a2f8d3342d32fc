import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { Client } from '../../clients/api/client.ts';
import { errorOfFetch } from '../../clients/api/service-error.ts';
import type { CheckView, CreateCheckBody } from '../../shared/check.ts';
import { type Api, startApi } from '../support/api.ts';
import { startFunctions } from '../support/gateway.ts';
import { answering, startOddServer } from '../support/odd-server.ts';
import type { World } from '../support/world.ts';

let world: World;
let api: Api;
let client: Client;
beforeAll(async () => {
  api = await startApi();
  ({ world } = api);
  client = new Client({ url: `${api.url}/` });
});
afterAll(async () => {
  await api.stop();
});
afterEach(() => void vi.unstubAllGlobals());
const disposable = <T extends { close: () => Promise<unknown> }>(gateway: T) =>
  Object.assign(gateway, { [Symbol.asyncDispose]: async () => void (await gateway.close()) });

const body: CreateCheckBody = {
  url: 'https://example.com/',
  auditVersion: 'latest',
  regions: ['us-west1', 'us-east4'],
};
const problem = (status: number, code: string) =>
  JSON.stringify({
    type: `urn:page-audit:problem:${code}`,
    title: 't',
    status,
    detail: 'The cause.',
    code,
    requestId: 'r',
  });
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('the request succeeded'),
    (error) => error,
  );

test('a check is created, read, listed and erased', async () => {
  const created = await client.create({ ...body, labels: { branch: 'client' } });
  expect(created.runs.map(({ region }) => region)).toEqual(body.regions);
  expect(await client.get(created.id)).toMatchObject({ id: created.id, state: 'created' });
  const page = await client.list({ label: ['branch:client'], limit: 1 });
  expect(page.checks.map(({ id }) => id)).toEqual([created.id]);
  await client.delete(created.id);
  expect(await failure(client.get(created.id))).toMatchObject({ kind: 'problem', code: 'not-found', status: 404 });
});

test('a repeated create with the same key returns the same check', async () => {
  const idempotencyKey = randomUUID();
  const first = await client.create(body, { idempotencyKey });
  expect((await client.create(body, { idempotencyKey })).id).toBe(first.id);
});

test('what the service offers is read', async () => {
  expect((await client.regions()).regions.length).toBeGreaterThan(0);
  expect((await client.versions()).versions.length).toBeGreaterThan(0);
  expect((await client.limits()).maxSamples).toBeGreaterThan(0);
});

test('a wait reports each region that finishes, and returns the finished check', async () => {
  const { id } = await client.create(body);
  const seen: string[][] = [];
  const finish = async (i: number) => world.finish(await world.runOf(id, i));
  const onChange = ({ runs }: CheckView) => {
    seen.push(runs.map(({ state }) => state));
    if (seen.length === 1) finish(0);
    if (seen.at(-1)?.join() === 'succeeded,created') finish(1);
  };
  expect((await client.wait(id, { onChange })).state).toBe('succeeded');
  expect(seen[0]).toEqual(['created', 'created']);
  expect(seen).toContainEqual(['succeeded', 'created']);
  expect(seen.at(-1)).toEqual(['succeeded', 'succeeded']);
});

test('eleven waits at once all end, although the service allows ten', async () => {
  const { id } = await client.create({ ...body, regions: ['us-west1'] });
  const waits = Array.from({ length: 11 }, () => client.wait(id));
  await new Promise((resolve) => setTimeout(resolve, 300));
  await world.finish(await world.runOf(id));
  expect((await Promise.all(waits)).map(({ state }) => state)).toEqual(Array(11).fill('succeeded'));
});

test('a gateway that refuses every wait delays a check, and the client reads it without waiting', async () => {
  const asked: string[] = [];
  const refuses = (key: string) => {
    asked.push(key);
    return key.endsWith('/wait') ? (503 as const) : undefined;
  };
  await using gateway = disposable(await startFunctions({ refuses }));
  const { id } = await client.create({ ...body, regions: ['us-west1'] });
  const onChange = ({ state }: CheckView) => state === 'created' && world.runOf(id).then(world.finish);
  const answer = await fetch(`${gateway.url}/v1/checks/${id}/wait`);
  expect([answer.status, await answer.json()]).toEqual([503, { message: 'Service Unavailable' }]);
  asked.length = 0;
  expect((await new Client({ url: gateway.url }).wait(id, { onChange })).state).toBe('succeeded');
  expect(asked.filter((key) => key.endsWith('/wait')).length).toBeLessThanOrEqual(1);
});

test('a check that is erased during a wait ends the wait', async () => {
  const { id } = await client.create(body);
  const waiting = failure(client.wait(id, { onChange: () => client.delete(id) }));
  expect(await waiting).toMatchObject({ kind: 'problem', code: 'not-found' });
});

test('an aborted wait rejects with the reason', async () => {
  const { id } = await client.create(body);
  const abort = new AbortController();
  const waiting = client.wait(id, { signal: abort.signal, onChange: () => abort.abort(new Error('interrupted')) });
  await expect(waiting).rejects.toThrow('interrupted');
});

test('a report is read, and a large one without the key from storage', async () => {
  const small = await world.finishedRun(JSON.stringify({ auditVersion: '13.5.0', audits: {} }));
  expect(await client.report(small.run.id)).toEqual({ auditVersion: '13.5.0', audits: {} });
  expect(await client.reportPage(small.run.id)).toContain('<!doctype html>');

  await using storage = await startOddServer(answering(200, 'application/json', '{"auditVersion":"13.5.0"}'));
  await using server = await startOddServer(answering(303, 'text/plain', '', { location: `${storage.url}/report` }));
  const withKey = new Client({ url: server.url, key: 'pa_secret' });
  expect(await withKey.report(randomUUID())).toEqual({ auditVersion: '13.5.0' });
  expect(server.requests[0]?.headers.authorization).toBe('Bearer pa_secret');
  expect(storage.requests[0]?.headers.authorization).toBeUndefined();
});

test('a large report as a web page has its data inside, from storage', async () => {
  const report = { auditVersion: '13.5.0', text: `</script>$&${randomBytes(5 * 2 ** 20).toString('base64')}` };
  const { run } = await world.finishedRun(JSON.stringify(report));
  const { fetch } = globalThis;
  const throughStorage = (url: string, options: RequestInit) =>
    options.redirect === 'follow' ? Promise.resolve(Response.json(report)) : fetch(url, options);
  vi.stubGlobal('fetch', throughStorage); // no network reaches the bucket of one process
  const page = await client.reportPage(run.id);
  const [, json = ''] = page.match(/<script>window.__LIGHTHOUSE_JSON__ = (.*);<\/script>/) ?? [];
  expect(JSON.parse(json)).toEqual(report);
});

test('a create does not follow a redirect', async () => {
  await using other = await startOddServer(answering(201, 'application/json', '{"runs":[]}'));
  await using server = await startOddServer(answering(307, 'text/plain', '', { location: `${other.url}/v1/checks` }));
  const error = await failure(new Client({ url: server.url, key: 'pa_secret' }).create(body));
  expect(error).toMatchObject({ kind: 'not-ours', message: expect.stringContaining(`redirects to ${other.url}`) });
  expect(other.requests).toEqual([]);
});

test.each([
  ['HTML', answering(200, 'text/html', '<h1>Hello</h1>'), /answered 200 with text\/html/],
  ['HTML of a 401', answering(401, 'text/html', '<h1>Log in</h1>'), /answered 401 with text\/html/],
  ['JSON of another service', answering(200, 'application/json', '{"ok":true}'), /no answer of a page audit service/],
  ['JSON null', answering(200, 'application/json', 'null'), /no answer of a page audit service/],
  ['JSON that is cut', answering(200, 'application/json', '{"checks":['), /JSON that can't be read/],
  [
    'a problem of another service',
    answering(404, 'application/problem+json', '{"type":"about:blank"}'),
    /answered 404/,
  ],
] as const)('%s is an answer of another server', async (_, answer, message) => {
  await using server = await startOddServer(answer);
  const error = await failure(new Client({ url: server.url }).list());
  expect(error).toMatchObject({ kind: 'not-ours', message: expect.stringMatching(message) });
});

test('a problem document has its status, code, cause and request id', async () => {
  await using server = await startOddServer(answering(401, 'application/problem+json', problem(401, 'unauthorized')));
  const error = await failure(new Client({ url: server.url }).list());
  expect(error).toMatchObject({ kind: 'problem', status: 401, code: 'unauthorized', message: 'The cause.' });
  expect(error).toMatchObject({ requestId: 'r', errors: [] });
  expect(server.requests).toHaveLength(1);
});

test('a server that is down is unreachable at once', async () => {
  const server = await startOddServer(() => {});
  await server[Symbol.asyncDispose]();
  const error = await failure(new Client({ url: server.url }).list());
  expect(error).toMatchObject({ kind: 'unreachable', message: `${server.url} can't be reached (ECONNREFUSED).` });
});

test('a proxy that refuses is named as the cause', () => {
  const refused = Object.assign(new DOMException('Request was cancelled.', 'AbortError'), {
    cause: new Error('Proxy response (502)'),
  });
  const error = errorOfFetch('http://a.example', new TypeError('fetch failed', { cause: refused }), false);
  expect(error?.message).toBe("http://a.example can't be reached (Proxy response (502)).");
});

test.each([
  ['a 503', answering(503, 'application/problem+json', problem(503, 'unavailable'))],
  [
    'a 429 with Retry-After',
    answering(429, 'application/problem+json', problem(429, 'too-many-requests'), { 'retry-after': '1' }),
  ],
  ['a 502 of a gateway', answering(502, 'text/html', '<h1>Bad gateway</h1>')],
  ['a lost connection', (request: { socket: { destroy(): void } }) => request.socket.destroy()],
] as const)('a request is sent again after %s, with the same idempotency key', async (_, fail) => {
  await using server = await startOddServer((request, response) =>
    server.requests.length < 3
      ? fail(request as never, response)
      : answering(201, 'application/json', '{"id":"i","runs":[]}')(request, response),
  );
  expect((await new Client({ url: server.url }).create(body)).id).toBe('i');
  const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
});

test('a long Retry-After is an error at once', async () => {
  const headers = { 'retry-after': '3600' };
  const answer = answering(429, 'application/problem+json', problem(429, 'too-many-requests'), headers);
  await using server = await startOddServer(answer);
  const error = await failure(new Client({ url: server.url }).create(body));
  expect(error).toMatchObject({ code: 'too-many-requests', retryAfter: 3600 });
  expect(server.requests).toHaveLength(1);
});

test('an answer that never ends is refused', async () => {
  const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(2 ** 20)) });
  vi.stubGlobal('fetch', async () => new Response(endless(), { headers: { 'content-type': 'application/json' } }));
  const message = 'http://service sent more than 16 MiB, which is no answer of a page audit service.';
  expect(await failure(new Client({ url: 'http://service' }).list())).toMatchObject({ kind: 'not-ours', message });
});

test('a key with a line break is refused, and no message shows it', () => {
  expect(() => new Client({ url: api.url, key: 'pa_secret\n' })).toThrow(/line break/);
  expect(() => new Client({ url: api.url, key: 'pa_secret\n' })).not.toThrow(/secret/);
});
