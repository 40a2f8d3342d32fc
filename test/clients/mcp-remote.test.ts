import { randomUUID } from 'node:crypto';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Client as ServiceClient } from '../../clients/api/client.ts';
import { mcp } from '../../functions/mcp.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { SERVICE_VERSION } from '../../shared/service/version.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { finishedCheck, startFakeService } from '../support/fake-service.ts';
import { startOddServer } from '../support/odd-server.ts';
import { problemOf } from '../support/problem.ts';
import type { World } from '../support/world.ts';

vi.hoisted(() => Object.assign(process.env, { POWERTOOLS_DEV: 'true', POWERTOOLS_LOG_LEVEL: 'INFO' })); // logs to the console

let world: World;
let api: Api;
let [key, reader] = ['', ''];
let agent: Client;
const logged: unknown[] = [];
beforeAll(async () => {
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation((...values) => void logged.push(...values));
  }
  api = await startApi({ AUTH: 'keys', CORS_ORIGINS: 'https://tools.example' });
  ({ world } = api);
  key = (await world.newKey({ owner: 'agents' })).text;
  reader = (await world.newKey({ owner: 'agents', scopes: ['checks:read'] })).text;
  agent = await connect(key);
});
afterAll(async () => {
  await agent.close();
  await api.stop();
  vi.restoreAllMocks();
});

/** Connects the official client with a URL and a key only. */
const connect = async (text: string): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${text}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit: { headers } }));
  return client;
};

type Result = { isError?: boolean; content: { text: string }[]; structuredContent?: Record<string, unknown> };
const call = async (name: string, args: object, client = agent) => {
  const { isError, content, structuredContent } = (await client.callTool({
    name,
    arguments: { ...args },
  })) as Result;
  return { failed: isError === true, text: content[0]?.text ?? '', data: structuredContent };
};

const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetchDocumented(`${api.url}/mcp`, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

test('an agent with a URL and a key runs a check, waits for its end, and finds it in its list', async () => {
  const { tools } = await agent.listTools();
  expect(tools).toHaveLength(8);
  expect(agent.getServerVersion()?.version).toBe(SERVICE_VERSION);
  expect(tools.every(({ outputSchema }) => outputSchema)).toBe(true);
  const running = call('run_check', { url: 'https://example.com/', regions: ['us-west1'], labels: { by: 'agent' } });
  const service = new ServiceClient({ url: api.url, key });
  await expect.poll(async () => (await service.list()).checks.length).toBe(1);
  const [found] = (await service.list()).checks;
  const [run] = (await world.find(`${found?.id}`)).runs;
  if (!run) throw new Error('no run');
  await world.finish(run, { state: 'succeeded', ...noMetrics, performance: 98, lcp: 900, samples: [] });
  const { failed, text, data } = await running;
  expect([failed, JSON.parse(text)]).toEqual([false, data]);
  expect(data).toMatchObject({ checkId: found?.id, state: 'succeeded', page: `${api.url}/checks/${found?.id}` });
  expect(data).not.toHaveProperty('next');
  expect((await call('list_checks', { label: ['by=agent'] })).data).toMatchObject({ checks: [{ checkId: found?.id }] });
  expect((await call('list_pages', { url: 'https://example.com/' })).data).toMatchObject({
    total: 1,
    pages: [
      { results: [{ checkId: found?.id, performance: 98 }], page: expect.stringContaining(`${api.url}/pages?url=`) },
    ],
  });
});

test('an agent of the protocol of 2026 discovers the server, lists the tools, and calls one', async () => {
  const modern = new ModernClient(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await modern.connect(new ModernTransport(new URL(`${api.url}/mcp`), { requestInit }));
  expect(modern.getServerVersion()?.version).toBe(SERVICE_VERSION);
  expect((await modern.listTools()).tools).toHaveLength(8);
  const { isError, structuredContent } = await modern.callTool({ name: 'list_checks', arguments: {} });
  expect([isError, structuredContent]).toMatchObject([undefined, { checks: expect.any(Array) }]);
  const refused = await modern.callTool({ name: 'get_check', arguments: { checkId: randomUUID(), wait: 1 } });
  expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('has no input wait') }] });
  await modern.close();
});

test('the scopes of the key hold, and an error has its next step', async () => {
  const theirs = await connect(reader);
  expect(await call('run_check', { url: 'https://example.com/' }, theirs)).toMatchObject({
    failed: true,
    text: expect.stringContaining('scope checks:write'),
  });
  expect((await call('list_checks', {}, theirs)).failed).toBe(false);
  expect((await call('list_schedules', {}, theirs)).text).toContain('scope schedules:write');
  await theirs.close();
  expect(await call('get_check', { checkId: randomUUID() })).toMatchObject({ failed: true, text: expect.any(String) });
});

test.each([
  ['no key', { authorization: '' }, ping, 401, 'unauthorized'],
  ['an unknown key', { authorization: 'Bearer pa_x' }, ping, 401, 'unauthorized'],
  ['the origin of another site', { origin: 'https://evil.example' }, ping, 403, 'forbidden'],
  ['several messages', {}, [ping, ping], 400, 'invalid-request'],
  ['a body that is no JSON', {}, '{', 400, 'invalid-request'],
  ['a body over the limit', {}, { ...ping, params: { x: 'x'.repeat(131_072) } }, 413, 'payload-too-large'],
  ['another content type', { 'content-type': 'text/plain' }, ping, 415, 'unsupported-media-type'],
] as const)('a request with %s is refused with a problem document', async (_, headers, body, status, code) => {
  await problemOf(await post(body, headers), status, code);
});

test.each(['*/*', 'application/json', 'application/*;q=0.9'])(
  'an agent that accepts %s is answered',
  async (accept) => {
    expect((await post(ping, { accept })).status).toBe(200);
  },
);

test('a message gets JSON, a notification 202, and an unknown method its JSON-RPC error', async () => {
  const answer = await post(ping, { origin: 'https://tools.example' });
  expect([answer.status, await answer.json()]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }]);
  expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  const unknown = (await (await post({ ...ping, method: 'nothing' })).json()) as object;
  expect(unknown).toMatchObject({ id: 1, error: { code: -32601 } });
});

test.each(['GET', 'DELETE', 'PUT'])('%s /mcp is 405, because there is no stream and no session', async (method) => {
  const answer = await fetch(`${api.url}/mcp`, { method, headers: { accept: 'text/event-stream' } });
  expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
  await problemOf(answer, 405, 'method-not-allowed');
});

/** Calls a tool of a function that uses the service at the URL with the key. */
const callAt = async (url: string, name: string, args: object, answerMs?: number) => {
  const handle = mcp({
    API_URL: url,
    PUBLIC_URL: 'https://audit.example/base',
    CORS_ORIGINS: [],
    ...(answerMs && { answerMs }),
  });
  const authorization = `Bearer ${key}`;
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', authorization };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const request = { owner: 'o', requestId: 'r', method: 'POST', path: '/mcp', params: {}, query: {} };
  const { body: answer } = await handle({ ...request, headers, host: 'evil.example', body });
  return (answer as { result: Result }).result;
};

test('an unfinished check comes back in time, with its id, its page and the call that waits for it', async () => {
  await using service = await startFakeService({ get: () => ({ ...finishedCheck, state: 'running' }) });
  const { id } = finishedCheck;
  const next = { tool: 'get_check', arguments: { checkId: id, waitSeconds: 18 } };
  const page = `https://audit.example/base/checks/${id}`;
  const expected = { checkId: id, state: 'running', page, next };
  expect((await callAt(service.url, 'run_check', { url: 'https://a.example/' })).structuredContent).toMatchObject(
    expected,
  );
  expect((await callAt(service.url, next.tool, next.arguments)).structuredContent).toMatchObject(expected);
});

const { id, url, auditVersion, regions, runs } = finishedCheck;
const created = {
  id,
  url,
  auditVersion,
  regions,
  runs: runs.map((run) => ({ id: run.id, region: run.region, state: 'created' })),
};

test('a service that does not answer any more costs no check and no answer, and its address stays inside', async () => {
  await using service = await startFakeService({ create: () => created, get: () => 'unavailable' });
  const { structuredContent } = await callAt(service.url, 'run_check', { url: 'https://a.example/' }, 500);
  expect(structuredContent).toMatchObject({ checkId: finishedCheck.id, state: 'created', next: { tool: 'get_check' } });
  await using silent = await startOddServer(async () => {});
  const late = await callAt(silent.url, 'list_checks', {}, 50);
  expect([late.isError, late.content[0]?.text]).toEqual([
    true,
    expect.stringMatching(/within 0.05 s. Call the tool again/),
  ]);
  const closed = await callAt('http://127.0.0.1:1', 'list_checks', {});
  expect(closed.content[0]?.text).toBe('A part of the service did not answer. Call the tool again.');
});

/** Starts a server that passes requests on to the service, and never answers the first create. */
const startSilentAtFirst = () => {
  let isFirst = true;
  return startOddServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const passed = ['authorization', 'content-type', 'idempotency-key', 'prefer'];
    const answer = await fetch(api.url + url, {
      method,
      headers: Object.fromEntries(passed.map((name) => [name, `${headers[name] ?? ''}`])),
      ...(method === 'POST' && { body: Buffer.concat(await request.toArray()) }),
    });
    const isLost = isFirst && method === 'POST';
    if (isLost) isFirst = false;
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
};

test('a create that outlasts the answer is repeated by its key, and makes one check', async () => {
  await using service = await startSilentAtFirst();
  const inputs = { url: 'https://example.com/', regions: ['us-west1'], labels: { by: 'slow' } };
  const lost = await callAt(service.url, 'run_check', inputs, 1000);
  const text = lost.content[0]?.text ?? '';
  const [, idempotencyKey] = /pass the same inputs again with the idempotencyKey (\S+)\.$/.exec(text) ?? [];
  expect([lost.isError, idempotencyKey], text).toEqual([true, expect.any(String)]);
  const { structuredContent, content } = await callAt(service.url, 'run_check', { ...inputs, idempotencyKey }, 4500);
  expect(structuredContent, content[0]?.text).toMatchObject({ next: { tool: 'get_check' } });
  const { data } = await call('list_checks', { label: ['by=slow'] });
  expect(data).toMatchObject({ checks: [{ checkId: structuredContent?.checkId }], nextCursor: null });
});

test('no log has the key', () => {
  const text = JSON.stringify(logged);
  expect(text).toContain('POST /mcp');
  for (const each of [key, reader]) expect(text).not.toContain(each.split('_').at(-1));
});
