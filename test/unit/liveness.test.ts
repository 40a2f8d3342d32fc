import type { CDPSession } from 'puppeteer-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchLiveness } from '../../functions/auditor/liveness.ts';

const BROWSER = 11;
const RENDERER = 12;
const busyMs = vi.hoisted(() => new Map<number, number>());
vi.mock('../../functions/auditor/host/processes.ts', () => ({
  membersOf: () => [BROWSER, RENDERER],
  readText: (path: string) => (path === `/proc/${RENDERER}/cmdline` ? 'chromium --type=renderer' : 'chromium'),
  busyMsByThread: (pid: number) => [['1', busyMs.get(pid) ?? 0]],
}));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => {});
const at = async (answer: boolean) => (answer ? 'answer' : never);

test.each([
  ['both respond', { browser: true, page: true }, 0, undefined],
  ['the browser does not respond', { browser: false, page: false }, 0, 'browser'],
  ['the page does not respond', { browser: true, page: false }, 0, 'page'],
  ['the page does not respond, because its script runs', { browser: true, page: false }, 5000, undefined],
])('when %s, the frozen part is reported', async (_, answers, rendererMs, frozen) => {
  busyMs.clear();
  const onFrozen = vi.fn();
  const session = { send: () => at(answers.page) } as unknown as CDPSession;
  const stop = watchLiveness({ version: () => at(answers.browser) }, session, onFrozen);
  await vi.advanceTimersByTimeAsync(10_000);
  busyMs.set(RENDERER, rendererMs);
  await vi.advanceTimersByTimeAsync(5000);
  stop();
  expect(onFrozen.mock.calls).toEqual(frozen ? [[frozen]] : []);
});
