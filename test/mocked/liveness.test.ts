import { performance } from 'node:perf_hooks';
import type { CDPSession } from 'puppeteer-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchLiveness } from '../../functions/auditor/child/liveness.ts';

const BROWSER = 11;
const RENDERER = 12;
const busyMs = vi.hoisted(() => new Map<number, number>());
vi.mock('../../functions/auditor/host/processes.ts', () => ({
  membersOf: () => [BROWSER, RENDERER],
  partOf: (pid: number) => (pid === RENDERER ? 'page' : 'browser'),
}));
vi.mock('../../functions/auditor/host/run-queue.ts', () => ({
  busyMsByThread: (pid: number) => (busyMs.get(pid) === undefined ? [] : [[1, busyMs.get(pid)]]),
}));

beforeEach(() => {
  vi.useFakeTimers();
  // The event loop of the auditor is idle, so it reads each answer.
  vi.spyOn(performance, 'eventLoopUtilization').mockReturnValue({ idle: 5000, active: 0, utilization: 0 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

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
  [
    'the page does not respond, on a machine that reports no times',
    { browser: true, page: false, isShown: true },
    undefined,
    undefined,
  ],
])('when %s, the frozen part is reported', async (_, answers, rendererMs, frozen) => {
  busyMs.clear();
  if (rendererMs !== undefined) for (const pid of [BROWSER, RENDERER]) busyMs.set(pid, 0);
  const onFrozen = vi.fn();
  const session = { send: () => at(answers.page) } as unknown as CDPSession;
  const browser = { version: () => at(answers.browser) };
  const stop = watchLiveness(browser, session, () => answers.isShown, onFrozen);
  await vi.advanceTimersByTimeAsync(10_000);
  if (rendererMs !== undefined) busyMs.set(RENDERER, rendererMs);
  await vi.advanceTimersByTimeAsync(5000);
  stop();
  expect(onFrozen.mock.calls).toEqual(frozen ? [[frozen]] : []);
});
