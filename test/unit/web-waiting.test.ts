import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { waitFor } from '../../clients/web/requests/waiting.ts';
import { keyText } from '../../shared/service/key-text.ts';
import { unchanged, unfinished, waited } from '../support/paced-answers.ts';

const tab = Object.assign(new EventTarget(), { hidden: false });
let path: string; // of its own in each test, because Node.js keeps the lock of a request that was aborted
let key: string | null;
/** Requests that wait for an answer. */
let open: { headers: Record<string, string>; answer: (response: Response) => void }[];
beforeEach(() => {
  path = `/v1/checks/${randomUUID()}`;
  key = null;
  open = [];
  tab.hidden = false;
  vi.stubGlobal('sessionStorage', { getItem: (name: string) => (name === 'page-audit-key' ? key : null) });
  vi.stubGlobal('localStorage', { getItem: () => null });
  vi.stubGlobal('document', tab);
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:4080' });
  vi.stubGlobal('fetch', (_: string, { headers, signal }: { headers: Record<string, string>; signal: AbortSignal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const request = { headers, answer: resolve };
    open.push(request);
    signal.addEventListener('abort', () => {
      open = open.filter((each) => each !== request);
      reject(signal.reason);
    });
    return promise;
  });
});
afterEach(() => vi.unstubAllGlobals());

const wait = (signal = new AbortController().signal) => waitFor(path)({ etag: '"1"', signal, waits: true });
const untilOpen = (count: number) => vi.waitFor(() => expect(open).toHaveLength(count));

test('tabs of one check share one wait, and each receives the change', async () => {
  const waits = [wait(), wait(), wait()];
  await untilOpen(1);
  open[0]?.answer(unfinished({ ...waited, etag: '"2"' }));
  for (const { data, headers } of await Promise.all(waits)) {
    expect([data, headers.get('etag')]).toEqual([{ state: 'running', runs: [] }, '"2"']);
  }
  expect(open).toHaveLength(1);
});

test('the next tab waits when the wait of another one has ended without a change', async () => {
  const [first, second] = [wait(), wait()];
  await untilOpen(1);
  open[0]?.answer(unchanged());
  expect((await first).data).toBeUndefined();
  await untilOpen(2);
  open[1]?.answer(unchanged());
  expect((await second).data).toBeUndefined();
});

test('tabs with different keys share nothing', async () => {
  const keys = ['0', '1'].map((digit) => keyText(digit.repeat(12), '0'.repeat(64)));
  const waits = keys.map((each) => {
    key = each;
    return wait();
  });
  await untilOpen(2);
  for (const { answer } of open) answer(unchanged());
  await Promise.all(waits);
});

test('a tab that becomes hidden ends its wait, and reads without one', async () => {
  const waiting = wait();
  await untilOpen(1);
  expect(open[0]?.headers).toHaveProperty('prefer');
  tab.hidden = true;
  tab.dispatchEvent(new Event('visibilitychange'));
  expect((await waiting).data).toBeUndefined();
  expect(open).toEqual([]);
  const reading = wait();
  await untilOpen(1);
  expect(open[0]?.headers).not.toHaveProperty('prefer');
  open[0]?.answer(unchanged());
  await reading;
});

test('a wait that its view ends fails with the reason of the view', async () => {
  const stop = new AbortController();
  const waiting = wait(stop.signal);
  await untilOpen(1);
  stop.abort(new Error('The view is gone.'));
  await expect(waiting).rejects.toThrow('The view is gone.');
});
