import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { auditors } from '../../../functions/auditor/parent/auditors.ts';
import { auditorDir } from '../../support/auditor-dir.ts';
import { testChromium } from '../../support/chromium-dir.ts';
import { anOrder } from '../../support/order.ts';
import { servePages } from '../../support/pages.ts';
import { commandOf, descendantsOf } from '../../support/processes.ts';
import { auditorsOf, browsersOf, remainsOf, waitFor } from '../../support/service.ts';

let pages: Awaited<ReturnType<typeof servePages>>;
let pool: ReturnType<typeof auditors> | undefined;
beforeAll(async () => {
  pages = await servePages();
});
afterEach(async () => {
  await pool?.close();
  expect(remainsOf(process.pid)).toEqual({ folders: [], processes: [] });
});
afterAll(() => pages.close());

const startAuditors = async (options: { maxAgeMs?: number } = {}) => {
  pool = auditors({
    targets: { targets: 'local', ports: [] },
    ...testChromium(),
    auditorDir: await auditorDir(),
    ...options,
  });
  await pool.prepare();
  return pool;
};
const browserPids = () => browsersOf(process.pid).map(({ pid }) => pid);
const pagesOf = (browser: number) =>
  descendantsOf(browser).filter(({ pid }) => / --type=renderer/.test(commandOf(pid)));
/** Waits until the only browser is not one of these, and has a page. */
const aheadOtherThan = (...used: number[]) =>
  waitFor(() => {
    const [pid, ...others] = browserPids();
    const isAhead = pid !== undefined && others.length === 0 && !used.includes(pid) && pagesOf(pid).length > 0;
    return isAhead ? pid : undefined;
  }, 30);
/** Audits a page quickly. Returns the browsers that ran when the auditor reported its own. */
const audit = async ({ audit: start }: ReturnType<typeof auditors>, auditVersion: '13.5.0' | '9.6.8' = '13.5.0') => {
  let browsers: number[] = [];
  const onEvent = ({ type }: { type: string }) => {
    if (type === 'browser') browsers = browserPids();
  };
  const order = anOrder({ url: pages.url('/perfect'), categories: ['seo'], auditVersion });
  const { state } = await start(order, new AbortController().signal, { onEvent });
  return { state, browsers };
};

test('an order meets a running browser, and each browser serves one order', async () => {
  const running = await startAuditors();
  const first = await aheadOtherThan();
  expect(await audit(running)).toEqual({ state: 'succeeded', browsers: [first] });
  const second = await aheadOtherThan(first);
  expect(await audit(running)).toEqual({ state: 'succeeded', browsers: [second] });
  await aheadOtherThan(first, second);
});

test('an order of another release, which needs a debugging port, meets a running browser after the first', async () => {
  const running = await startAuditors();
  const other = await aheadOtherThan();
  const { state, browsers } = await audit(running, '9.6.8');
  expect(state).toBe('succeeded');
  expect(browsers).not.toContain(other);
  const ready = await aheadOtherThan(other, ...browsers);
  expect(await audit(running, '9.6.8')).toEqual({ state: 'succeeded', browsers: [ready] });
});

test('an old browser is replaced before an order comes', async () => {
  const running = await startAuditors({ maxAgeMs: 6000 });
  const old = await aheadOtherThan();
  const young = await aheadOtherThan(old);
  const { state, browsers } = await audit(running);
  expect(state).toBe('succeeded');
  expect(browsers).not.toContain(old);
  expect(young).not.toBe(old);
});

/** Time after which a started browser has the renderer that its page keeps, in milliseconds. */
const SETTLE_MS = 3000;

test.each([
  ['browser', (browser: number) => [{ pid: browser }]],
  ['page', pagesOf],
  ['auditor', () => auditorsOf(process.pid)],
])('an order whose %s was killed before it came succeeds at once, with another browser', async (_, victimsOf) => {
  const running = await startAuditors();
  const killed = await aheadOtherThan();
  await sleep(SETTLE_MS);
  const victims = victimsOf(killed);
  expect(victims.length).toBeGreaterThan(0);
  for (const { pid } of victims) process.kill(pid, 'SIGKILL');
  await waitFor(() => victims.every(({ pid }) => commandOf(pid) === '') || undefined, 30);
  const { state, browsers } = await audit(running);
  expect(state).toBe('succeeded');
  expect(browsers.filter((pid) => pid !== killed)).toHaveLength(1);
});
