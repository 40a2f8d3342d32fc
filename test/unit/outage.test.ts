import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Client } from '../../clients/api/client.ts';
import { annotationsOf } from '../../clients/cli/ci/findings.ts';
import { explain, ServiceFaultError } from '../../clients/cli/exit-codes.ts';
import { runCheck } from '../../clients/mcp/run-check.ts';
import { commandContext } from '../support/command-context.ts';
import { finishedCheck } from '../support/fake-service.ts';

/** The service, as far as a check of one page needs it. During an outage no request reaches it. */
let outage: (() => Promise<Response>) | undefined;
let requests: string[] = [];
const json = (body: unknown) =>
  new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json', etag: '"1"' } });
const running = { ...finishedCheck, state: 'running' };

beforeEach(() => {
  vi.useFakeTimers();
  outage = undefined;
  requests = [];
  vi.stubGlobal('fetch', async (url: string, { method }: RequestInit) => {
    const { pathname } = new URL(url);
    requests.push(`${method} ${pathname}`);
    if (outage) return outage();
    if (method === 'DELETE') return new Response(null, { status: 204 });
    return json(
      pathname === '/v1/regions' ? { regions: [{ id: 'us-west1' }] } : method === 'POST' ? running : finishedCheck,
    );
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const refused = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }));
const badGateway = async () =>
  new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } });
const throttled = async () =>
  new Response('{"message":"Too Many Requests"}', { status: 429, headers: { 'content-type': 'application/json' } });
/** Takes over the timeout of the command. Returns a function that ends it. */
const takeTimeout = () => {
  const timeout = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(
    (ms) => (ms === 900_000 ? timeout : new AbortController()).signal,
  );
  return () => timeout.abort();
};

/** Begins an outage when the check exists. */
const breakAfterCreate = (how: () => Promise<Response>) => {
  const answer = globalThis.fetch;
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const response = await answer(url, init);
    if (init.method === 'POST') outage = how;
    return response;
  });
};

test.each([
  ['that refuses connections', refused],
  ['behind a gateway that answers with 502', badGateway],
  ['behind a gateway that throttles with a bare 429', throttled],
] as const)('an outage of ten minutes of a service %s costs no result', async (_, how) => {
  breakAfterCreate(how);
  const { shown, run } = commandContext('http://service');
  const ended = run();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(requests.length).toBeLessThan(90); // the pauses grow
  outage = undefined;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await ended).toBe(0);
  expect(shown.stdout).toContain('https://shop.example/');
  expect(shown.stderr).toMatch(
    /The command retries until its timeout\.\n.*The service answers again\.\n.*succeeded\n$/,
  );
});

test('an outage beyond the timeout keeps the check and says how to read it', async () => {
  breakAfterCreate(refused);
  const endTimeout = takeTimeout();
  const { shown, run } = commandContext('http://service');
  const ended = run().catch((error) => error);
  await vi.advanceTimersByTimeAsync(899_000);
  endTimeout();
  expect(await ended).toBeInstanceOf(ServiceFaultError);
  expect(shown.stderr).toContain(`\npage-audit get ${finishedCheck.id}\n`);
  expect(requests.filter((each) => each.startsWith('DELETE'))).toEqual([]);
});

const other = finishedCheck.id.replace(/^./, '0');
const unfinished = { ...running, id: other, runs: [{ ...finishedCheck.runs[0], checkId: other, state: 'running' }] };

test.each([
  ['a timeout', undefined],
  ['an outage beyond the timeout', refused],
])('after %s the results of finished checks are on stdout, beside the unfinished ones', async (_, how) => {
  const answer = globalThis.fetch;
  let creates = 0;
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const first = await answer(url, init);
    if (init.method === 'POST') return ++creates === 1 ? first : json(unfinished);
    return url.includes(other) ? json(unfinished) : first;
  });
  const endTimeout = takeTimeout();
  const { shown, run } = commandContext('http://service');
  const ended = run({ device: ['mobile', 'desktop'], format: 'json' }).catch((error) => error);
  await vi.advanceTimersByTimeAsync(60_000);
  outage = how;
  await vi.advanceTimersByTimeAsync(60_000);
  endTimeout();
  expect(explain(await ended)).toEqual({ code: 4, text: 'The checks did not finish within 900 s.' });
  const results = JSON.parse(shown.stdout);
  expect(results.checks).toMatchObject([
    { id: finishedCheck.id, state: 'succeeded' },
    { id: other, state: 'running', assertionsPassed: null },
  ]);
  expect(annotationsOf(results)).toMatchObject([
    {
      level: 'error',
      title: 'us-west1: unfinished',
      message: 'https://shop.example/: The command ended before this run finished.',
    },
  ]);
  expect(shown.stderr).toContain(`\npage-audit get ${other}\n`);
});

test('an agent gets the result of a check whose service was down for a while', async () => {
  breakAfterCreate(refused);
  const client = new Client({ url: 'http://service' });
  const inputs = { url: 'https://shop.example/', auditVersion: 'latest' };
  const watch = { signal: new AbortController().signal, report: async () => {} };
  const ended = runCheck(client, inputs, watch);
  await vi.advanceTimersByTimeAsync(600_000);
  outage = undefined;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await ended).toMatchObject({ state: 'succeeded' });
});

test.each([
  ['waited too long', 'McpError: MCP error -32001: Request timed out', false],
  ['was stopped by its user', 'the user stopped it', true],
] as const)('a check of an agent that %s: erased is %s', async (_, reason, isErased) => {
  breakAfterCreate(refused);
  const stop = new AbortController();
  const inputs = { url: 'https://shop.example/', auditVersion: 'latest' };
  const ended = runCheck(new Client({ url: 'http://service' }), inputs, {
    signal: stop.signal,
    report: async () => {},
  });
  const failed = ended.catch((error) => error);
  await vi.advanceTimersByTimeAsync(60_000);
  outage = undefined;
  stop.abort(reason);
  await vi.advanceTimersByTimeAsync(1000);
  await failed;
  expect(requests.some((each) => each.startsWith('DELETE'))).toBe(isErased);
});

test('after a bare 429 of a gateway, the client pauses for two seconds, and at the end says what to do', async () => {
  outage = throttled;
  const client = new Client({ url: 'http://service' });
  const error = client.list().catch((thrown) => thrown);
  await vi.advanceTimersByTimeAsync(1999);
  expect(requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(requests).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await error).toMatchObject({
    status: 429,
    message: 'http://service refuses requests for now, because it receives too many (429). Retry in a minute.',
  });
});
