import { setImmediate } from 'node:timers/promises';
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

/** Starts auditors. `used` resolves when the page of the browser that waits has run a script: the benchmark. */
const startAuditors = async (options: { maxAgeMs?: number } = {}) => {
  const used = Promise.withResolvers<void>();
  pool = auditors({
    targets: { targets: 'local', ports: [] },
    ...testChromium(),
    auditorDir: await auditorDir(),
    benchmark: { current: () => null, record: () => used.resolve() },
    ...options,
  });
  await pool.prepare();
  return { ...pool, used: used.promise };
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
  });
/** Audits a page quickly. Returns the browsers that ran when the auditor reported its own, and the requests of the page. */
const audit = async (
  { audit: start }: Pick<ReturnType<typeof auditors>, 'audit'>,
  { auditVersion = '13.5.0', onStarted }: { auditVersion?: '13.5.0' | '9.6.8'; onStarted?: () => void } = {},
) => {
  let browsers: number[] = [];
  let starts = 0;
  const onEvent = ({ type }: { type: string }) => {
    if (type === 'browser') browsers = browserPids();
    if (type === 'started' && starts++ === 0) onStarted?.();
  };
  const order = anOrder({ url: pages.url('/perfect'), categories: ['seo'], auditVersion });
  const before = pages.hits.get('/perfect') ?? 0;
  const { state } = await start(order, new AbortController().signal, { onEvent });
  return { state, browsers, requests: (pages.hits.get('/perfect') ?? 0) - before };
};

test('an order meets a running browser, and each browser serves one order', async () => {
  const running = await startAuditors();
  const first = await aheadOtherThan();
  expect(await audit(running)).toEqual({ state: 'succeeded', browsers: [first], requests: 1 });
  const second = await aheadOtherThan(first);
  expect(await audit(running)).toEqual({ state: 'succeeded', browsers: [second], requests: 1 });
  await aheadOtherThan(first, second);
});

test('an order of another release, which needs a debugging port, meets a running browser after the first', async () => {
  const running = await startAuditors();
  const other = await aheadOtherThan();
  const { state, browsers } = await audit(running, { auditVersion: '9.6.8' });
  expect(state).toBe('succeeded');
  expect(browsers).not.toContain(other);
  const ready = await aheadOtherThan(other, ...browsers);
  expect(await audit(running, { auditVersion: '9.6.8' })).toMatchObject({ state: 'succeeded', browsers: [ready] });
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

const stopAuditors = () => {
  for (const { pid } of auditorsOf(process.pid)) process.kill(pid, 'SIGSTOP');
};
const killAll = (victims: readonly { pid: number }[]) => {
  expect(victims.length).toBeGreaterThan(0);
  for (const { pid } of victims) process.kill(pid, 'SIGKILL');
};

test.each([
  ['browser', (browser: number) => [{ pid: browser }]],
  ['page', pagesOf],
  ['auditor', () => auditorsOf(process.pid)],
])('an order that comes when its %s was just killed succeeds at once, with another browser', async (_, victimsOf) => {
  const running = await startAuditors();
  const killed = await aheadOtherThan();
  await running.used;
  killAll(victimsOf(killed));
  const { state, browsers, requests } = await audit(running);
  expect({ state, requests }).toEqual({ state: 'succeeded', requests: 1 });
  expect(browsers.filter((pid) => pid !== killed)).toHaveLength(1);
});

test('an order whose auditor is killed before it takes the order succeeds at once, with another browser', async () => {
  const running = await startAuditors();
  const killed = await aheadOtherThan();
  await running.used;
  const waiting = auditorsOf(process.pid);
  stopAuditors();
  const onStarted = () => void setImmediate().then(() => killAll(waiting)); // after the order was sent
  const { state, browsers, requests } = await audit(running, { onStarted });
  expect({ state, requests }).toEqual({ state: 'succeeded', requests: 1 });
  expect(browsers.filter((pid) => pid !== killed)).toHaveLength(1);
});
