import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Client } from '../../clients/client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const unfinished = (headers: HeadersInit = {}) => Response.json({ state: 'running', runs: [] }, { headers });
const unchanged = (headers: HeadersInit = {}) => new Response(null, { status: 304, headers });
const problem = (status: number, headers: HeadersInit) =>
  Response.json(
    { type: 'urn:page-audit:problem:too-many-requests', code: 'too-many-requests', detail: 'Too many waits.', status },
    { status, headers: { 'content-type': 'application/problem+json', ...headers } },
  );
const waited = { etag: '"1"', 'retry-after': '2', 'preference-applied': 'wait=25' };

/** Waits for a check for a minute, with answers that come at once. Returns the requests and their times in seconds. */
const requestsTo = async (answer: (count: number) => Response) => {
  const started = Date.now();
  const requests: { at: number; prefer: string | null }[] = [];
  vi.stubGlobal('fetch', async ({ headers }: Request) => {
    requests.push({ at: (Date.now() - started) / 1000, prefer: headers.get('prefer') });
    return answer(requests.length);
  });
  const stop = new AbortController();
  const waiting = new Client({ url: 'http://localhost:1' }).wait('c', { signal: stop.signal });
  waiting.catch(() => {});
  for (let second = 0; second < 59; second += 1) await vi.advanceTimersByTimeAsync(1000);
  stop.abort(new Error('interrupted'));
  await expect(waiting).rejects.toThrow('interrupted');
  return requests;
};

test.each([
  ['304 at once', (i: number) => (i === 1 ? unfinished(waited) : unchanged(waited)), 2],
  ['a change at once', (i: number) => unfinished({ ...waited, etag: `"${i}"` }), 2],
  ['200 at once, without what a proxy drops', () => unfinished(), 2],
  ['a longer Retry-After', () => unfinished({ 'retry-after': '7' }), 7],
  ['Retry-After: 0', () => unfinished({ 'retry-after': '0' }), 2],
  ['a Retry-After that is a date', () => unfinished({ 'retry-after': new Date(Date.now() + 9000).toUTCString() }), 2],
  ['a refused wait', (i: number) => (i % 2 === 0 ? problem(429, { 'retry-after': '8' }) : unfinished(waited)), 2],
])('the client pauses after %s', async (_, answer, seconds) => {
  const requests = await requestsTo(answer);
  expect(requests.length).toBeGreaterThan(2);
  expect(requests.length).toBeLessThanOrEqual(Math.ceil(59 / seconds));
});

test('after a refused wait the client pauses as long as the service says, and then reads without a wait', async () => {
  const requests = await requestsTo((i) => (i === 2 ? problem(429, { 'retry-after': '8' }) : unfinished(waited)));
  expect(requests.slice(0, 4)).toEqual([
    { at: 0, prefer: null },
    { at: 2, prefer: 'wait=25' },
    { at: 10, prefer: null },
    { at: 12, prefer: 'wait=25' },
  ]);
});
