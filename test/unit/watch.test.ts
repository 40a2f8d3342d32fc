import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ComparedCheck } from '../../shared/comparison/sides.ts';
import { judgePage, type WatchedPage } from '../../shared/comparison/watch.ts';
import { noMetrics } from '../../shared/page-metrics.ts';
import type { Metrics } from '../../shared/page-metrics-schemas.ts';

const region = 'us-west1';
type Change = { metrics?: Partial<Metrics>; state?: string; contended?: boolean; benchmarkIndex?: number };

const checkOf = (lcps: readonly number[], change: Change = {}, inputs: Partial<ComparedCheck> = {}): ComparedCheck => {
  const { metrics, state = 'succeeded', contended = false, benchmarkIndex = 2000 } = change;
  const samples = lcps.map((lcp) => ({
    ...noMetrics,
    accessibility: 90,
    lcp,
    ...metrics,
    cpuBusy: 0,
    mainThreadCpu: null,
    contended,
  }));
  const run = { ...noMetrics, ...samples[0], region, state, samples, environment: { contended, benchmarkIndex } };
  const common = { id: randomUUID(), url: 'https://example.com/', auditVersion: '13.5.0' as const };
  return { ...common, ...inputs, runs: [run] } as ComparedCheck;
};
const fast = (change?: Change, inputs?: Partial<ComparedCheck>) => checkOf([1800, 1812, 1806], change, inputs);
const slow = (change?: Change, inputs?: Partial<ComparedCheck>) => checkOf([3000, 3020, 3011], change, inputs);
const failed = () => fast({ state: 'failed' });

/** Judges checks in turn. Returns the events by the place of their check, and the last state. */
const judgeAll = (all: readonly ComparedCheck[], { erased = [] as readonly string[] } = {}) => {
  const events: string[] = [];
  let page: WatchedPage | undefined;
  for (const [i, check] of all.entries()) {
    const known = all.slice(0, i).filter(({ id }) => !erased.includes(id));
    const judged = judgePage(region, check, page, known);
    page = judged.page;
    if (judged.event) events.push(`${i} ${judged.event.type} ${judged.event.metrics.join()}`);
  }
  return { events, page: page as WatchedPage };
};

test('the second worse check in a row is a regression, the third none, and the second good one a recovery', () => {
  const { events, page } = judgeAll([fast(), fast(), slow(), slow(), slow(), slow(), fast(), fast(), fast()]);
  expect(events).toEqual(['3 page.regressed lcp', '7 page.recovered lcp']);
  expect(page).toMatchObject({ regressed: [], worse: [], pool: { length: 4 } });
});

test('a page that was good, worse and good again since its regression has not recovered', () => {
  const checks = [fast(), fast(), slow(), slow(), fast(), slow(), fast()];
  expect(judgeAll(checks).events).toEqual(['3 page.regressed lcp']);
  expect(judgeAll([...checks, fast()]).events).toEqual(['3 page.regressed lcp', '7 page.recovered lcp']);
});

test.each([
  ['one worse check', [slow(), fast(), slow(), fast()]],
  ['two worse checks with a good one between', [slow(), fast(), slow(), fast(), fast()]],
  ['two checks that are worse in different metrics', [slow(), fast({ metrics: { accessibility: 70 } }), fast()]],
  ['worse checks whose machine was busy', [slow({ contended: true }), slow({ contended: true })]],
  ['worse checks of a slower machine', [slow({ benchmarkIndex: 900 }), slow({ benchmarkIndex: 900 })]],
  ['worse checks of a sample', [checkOf([3000]), checkOf([3000]), checkOf([3000])]],
  ['failed checks', [failed(), failed(), failed()]],
  ['checks of another version', [slow({}, { auditVersion: '12.8.2' }), slow({}, { auditVersion: '12.8.2' })]],
])('%s make no event', (_, checks) => {
  expect(judgeAll([fast(), fast(), ...checks]).events).toEqual([]);
});

test('a check without a judgement says why, and neither counts nor breaks the row', () => {
  const { events, page } = judgeAll([fast(), fast(), slow(), failed(), slow()]);
  expect(events).toEqual(['4 page.regressed lcp']);
  expect(page.reason).toBeNull();
  const reasonOf = (check: ComparedCheck) => judgeAll([fast(), check]).page.reason;
  expect([failed(), slow({ contended: true }), checkOf([3000]), slow({ benchmarkIndex: 900 })].map(reasonOf)).toEqual([
    'failed',
    'contended',
    'fewer-samples',
    'different-machine',
  ]);
  expect(judgeAll([fast()]).page.reason).toBe('first');
});

test('a page that was regressed and then measured on a busy machine has not recovered', () => {
  const busy = () => fast({ contended: true });
  expect(judgeAll([fast(), fast(), slow(), slow(), busy(), busy(), busy()]).events).toEqual(['3 page.regressed lcp']);
});

test('one sample is enough for a score without noise', () => {
  const one = (accessibility: number) => checkOf([1800], { metrics: { accessibility } });
  const { events } = judgeAll([one(90), one(90), one(70), one(70), one(90), one(90)]);
  expect(events).toEqual(['3 page.regressed accessibility', '5 page.recovered accessibility']);
});

test('on a machine that is always busy, the scores without noise are judged', () => {
  const busy = (accessibility: number) => fast({ contended: true, metrics: { accessibility } });
  const { events, page } = judgeAll([busy(90), busy(90), busy(70), busy(70), busy(90), busy(90)]);
  expect(events).toEqual(['3 page.regressed accessibility', '5 page.recovered accessibility']);
  expect(page.reason).toBe('contended');
  const calm = fast();
  expect(judgeAll([busy(90), calm, busy(90), busy(90)]).page.pool[0]).toBe(calm.id);
});

test('the pool has the last five good checks, and stays as it was while the page has regressed', () => {
  const good = Array.from({ length: 7 }, () => fast());
  const ids = good.map(({ id }) => id);
  expect(judgeAll(good).page.pool).toEqual(ids.slice(2).reverse());
  expect(judgeAll([...good, slow(), slow(), slow(), slow()]).page.pool).toEqual(ids.slice(2).reverse());
});

test('an erased check leaves the pool, and the next check begins a new pool if none is left', () => {
  const [first, second, third] = [fast(), fast(), slow()];
  const all = [first, second, third, slow()];
  const kept = judgeAll(all, { erased: [first.id] });
  expect(kept.events).toEqual(['3 page.regressed lcp']);
  expect(kept.page.pool).toEqual([second.id]);
  const none = judgeAll(all, { erased: [first.id, second.id] });
  expect(none.events).toEqual([]);
  expect(none.page.pool).toEqual([all[3]?.id, third.id]);
});

test('after a change of the machine the pool has the checks of the new one', () => {
  const there = { benchmarkIndex: 900 };
  const checks = [fast(), fast(), fast(there), fast(there), slow(there), slow(there)];
  expect(judgeAll(checks).events).toEqual(['5 page.regressed lcp']);
});

test('one worse check on the machine before does not keep a page from being judged on another one', () => {
  const there = { benchmarkIndex: 900 };
  const checks = [fast(), fast(), slow(), fast(there), fast(there), slow(there), slow(there)];
  expect(judgeAll(checks).events).toEqual(['6 page.regressed lcp']);
});
