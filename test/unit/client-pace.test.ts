import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Client } from '../../clients/api/client.ts';
import { pacedAnswers, unfinished, waited } from '../support/paced-answers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const problem = (status: number, headers: HeadersInit) =>
  Response.json(
    { type: 'urn:page-audit:problem:too-many-requests', code: 'too-many-requests', detail: 'Too many waits.', status },
    { status, headers: { 'content-type': 'application/problem+json', ...headers } },
  );

/** Waits for a check for a minute, with answers that come at once. Returns the requests and their times in seconds. */
const requestsTo = async (answer: (count: number) => Response) => {
  const started = Date.now();
  const requests: { at: number; prefer: string | null }[] = [];
  vi.stubGlobal('fetch', async (_: string, { headers }: RequestInit) => {
    requests.push({ at: (Date.now() - started) / 1000, prefer: new Headers(headers).get('prefer') });
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
  ...pacedAnswers,
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
