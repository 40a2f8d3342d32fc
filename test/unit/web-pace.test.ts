import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { follow } from '../../clients/web/requests/following.ts';
import { readOrWait } from '../../clients/web/requests/requests.ts';
import { pacedAnswers, unchanged, unfinished, waited } from '../support/paced-answers.ts';

const tab = Object.assign(new EventTarget(), { hidden: false });
beforeEach(() => {
  vi.useFakeTimers();
  for (const name of ['sessionStorage', 'localStorage']) vi.stubGlobal(name, { getItem: () => null });
  vi.stubGlobal('document', tab);
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:4080' });
  const window = new EventTarget();
  vi.stubGlobal('addEventListener', window.addEventListener.bind(window));
  vi.stubGlobal('dispatchEvent', window.dispatchEvent.bind(window));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Fails as a browser's `fetch` does without a connection. */
const unreachable = (): Response => {
  throw new TypeError('Failed to fetch');
};

type Options = { refreshSeconds?: number; everyTick?: () => void; confirm?: () => void };

/** Follows a run for a minute, with answers that come at once. Returns the seconds at which requests were sent. */
const requestsTo = async (
  answer: (count: number) => Response,
  { refreshSeconds, everyTick, confirm = () => {} }: Options = {},
) => {
  const times: number[] = [];
  const started = Date.now();
  const stop = new AbortController();
  const request = vi.fn(async (_path: string, _init: RequestInit) => {
    times.push((Date.now() - started) / 1000);
    return answer(times.length);
  });
  vi.stubGlobal('fetch', request);
  const following = follow((last) => readOrWait('/v1/runs/1', last), {
    isFinished: () => false,
    show: () => {},
    confirm,
    fail: () => {},
    signal: stop.signal,
    ...(refreshSeconds && { refreshSeconds }),
  });
  for (let tick = 0; tick < 595; tick += 1) {
    await vi.advanceTimersByTimeAsync(100);
    everyTick?.();
  }
  stop.abort();
  await following;
  return { times, request };
};

test.each([
  ...pacedAnswers,
  ['304 with a longer Retry-After', () => unchanged({ 'retry-after': '7' }), 7],
  ['429 with Retry-After', () => Response.json({}, { status: 429, headers: { 'retry-after': '20' } }), 20],
  ['503 with Retry-After: 0', () => Response.json({}, { status: 503, headers: { 'retry-after': '0' } }), 2],
  ['503 without Retry-After', () => Response.json({}, { status: 503 }), 2],
  ['an answer that is no JSON', () => new Response('<h1>Log in</h1>'), 2],
  ['no answer', unreachable, 2],
])('the page pauses after %s', async (_, answer, seconds) => {
  const { times } = await requestsTo(answer);
  expect(times.length).toBeGreaterThan(2);
  expect(times.length).toBeLessThanOrEqual(60 / seconds + 1);
  for (const [i, time] of times.entries())
    if (i > 0) expect(time - (times[i - 1] as number)).toBeGreaterThanOrEqual(seconds);
});

test('a tab that is shown again and again, and a connection that comes back, shorten no Retry-After', async () => {
  const everyTick = () => {
    tab.dispatchEvent(new Event('visibilitychange'));
    dispatchEvent(new Event('online'));
  };
  const limited = () => Response.json({}, { status: 429, headers: { 'retry-after': '20' } });
  expect((await requestsTo(limited, { everyTick })).times).toHaveLength(3);
  expect((await requestsTo(unreachable, { everyTick })).times.length).toBeLessThanOrEqual(31);
});

test('the page waits for the next change of a run', async () => {
  const { request } = await requestsTo(() => unfinished(waited));
  expect(request.mock.calls[0]?.[1].headers).not.toHaveProperty('prefer');
  expect(request.mock.calls[1]?.[1].headers).toMatchObject({ prefer: 'wait=25', 'if-none-match': '"1"' });
});

test('an answer that nothing has changed ends a failure, and is read without a wait', async () => {
  const confirm = vi.fn();
  const { request } = await requestsTo(
    (count) => (count === 1 ? unfinished(waited) : count === 2 ? unreachable() : unchanged(waited)),
    { confirm },
  );
  expect(confirm).toHaveBeenCalled();
  expect(request.mock.calls[2]?.[1].headers).not.toHaveProperty('prefer');
  expect(request.mock.calls[3]?.[1].headers).toHaveProperty('prefer');
});

test('a hidden tab reads a check every 15 seconds', async () => {
  tab.hidden = true;
  expect((await requestsTo(() => unfinished())).times).toHaveLength(4);
  tab.hidden = false;
});

test('a list is refreshed while its tab is visible, and no sooner than the service allows', async () => {
  const refreshSeconds = 5;
  expect((await requestsTo(() => unfinished(), { refreshSeconds })).times).toHaveLength(12);
  expect((await requestsTo(() => unfinished({ 'retry-after': '30' }), { refreshSeconds })).times).toHaveLength(2);
  tab.hidden = true;
  expect((await requestsTo(() => unfinished(), { refreshSeconds })).times).toHaveLength(1);
  tab.hidden = false;
});
