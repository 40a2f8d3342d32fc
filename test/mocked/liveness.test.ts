import type { CDPSession } from 'puppeteer-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchLiveness } from '../../functions/auditor/child/liveness.ts';

const BROWSER = 11;
const RENDERER = 12;
const busyMs = vi.hoisted(() => new Map<number, number>());
vi.mock('../../functions/auditor/host/processes.ts', () => ({
  membersOf: () => [BROWSER, RENDERER],
  readText: (path: string) => (path === `/proc/${RENDERER}/cmdline` ? 'chromium --type=renderer' : 'chromium'),
}));
vi.mock('../../functions/auditor/host/run-queue.ts', () => ({
  busyMsByThread: (pid: number) => [[1, busyMs.get(pid) ?? 0]],
}));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => {});
const at = async (answer: boolean) => (answer ? 'answer' : never);

test.each([
  ['both respond', { browser: true, page: true, isShown: true }, 0, undefined],
  ['the browser does not respond', { browser: false, page: false, isShown: true }, 0, 'browser'],
  ['the page does not respond', { browser: true, page: false, isShown: true }, 0, 'page'],
  [
    'the page does not respond, because it waits for a document',
    { browser: true, page: false, isShown: false },
    0,
    undefined,
  ],
  [
    'the page does not respond, because its script runs',
    { browser: true, page: false, isShown: true },
    5000,
    undefined,
  ],
])('when %s, the frozen part is reported', async (_, answers, rendererMs, frozen) => {
  busyMs.clear();
  const onFrozen = vi.fn();
  const session = { send: () => at(answers.page) } as unknown as CDPSession;
  const browser = { version: () => at(answers.browser) };
  const stop = watchLiveness(browser, session, () => answers.isShown, onFrozen);
  await vi.advanceTimersByTimeAsync(10_000);
  busyMs.set(RENDERER, rendererMs);
  await vi.advanceTimersByTimeAsync(5000);
  stop();
  expect(onFrozen.mock.calls).toEqual(frozen ? [[frozen]] : []);
});
