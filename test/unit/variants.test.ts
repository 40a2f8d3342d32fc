import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changesOfRun, compareVariants } from '../../shared/comparison/variants.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import type { Run } from '../../shared/run.ts';
import { environment } from '../support/environment.ts';
import { aCheck } from '../support/world.ts';

const recorded: { slower: Run; equal: Run[] } = JSON.parse(readFileSync('test/recorded/variants.json', 'utf8'));

test('two variants that differ in nothing that matters differ in at most 1 of 40 metrics', () => {
  const changes = recorded.equal.flatMap((run) => Object.entries(changesOfRun(run)?.load ?? {}));
  const compared = changes.filter(([, { change }]) => change);
  const changed = compared.filter(([, { verdict }]) => verdict === 'regressed' || verdict === 'improved');
  expect(compared.length).toBeGreaterThanOrEqual(40);
  expect(changed.length).toBeLessThanOrEqual(compared.length / 40);
});

test('a page with a task of 300 ms more has regressed in TBT, and the interval holds the true change', () => {
  const { verdict, change } = changesOfRun(recorded.slower)?.load.tbt ?? {};
  expect(verdict).toBe('regressed');
  const [low, high] = [change?.low, change?.high].map((text) => Number.parseInt(String(text), 10));
  expect(low).toBeLessThanOrEqual(1150); // 4 × 300 ms, less the 50 ms that block nothing
  expect(high).toBeGreaterThanOrEqual(1150);
});

/** A run whose two variants have these LCPs. */
const aRun = (own: readonly number[], against: readonly number[]): Run => {
  const [run] = aCheck({ regions: ['us-west1'], against: { url: 'https://www.example.com/' } }).runs as [Run];
  const samplesOf = (lcps: readonly number[]) =>
    lcps.map((lcp) => ({ ...noMetrics, lcp, cpuBusy: 0, contended: false }));
  const measured = (lcps: readonly number[]) => ({ lcp: lcps[0] ?? null, samples: samplesOf(lcps), environment });
  const other = measured(against);
  return { ...run, ...measured(own), state: 'succeeded', against: run.against && { ...run.against, ...other } };
};

test('a change says how the check differs from its second variant, the base', () => {
  const [high, low] = [
    [2000, 2010, 2020, 2010, 2000],
    [1000, 1010, 1020, 1010, 1000],
  ];
  const run = aRun(high, low);
  expect(changesOfRun(run)?.load.lcp).toMatchObject({ verdict: 'regressed', change: { estimate: '1000ms' } });
  const back = aRun(low, high);
  expect(changesOfRun(back)?.load.lcp).toMatchObject({ verdict: 'improved', change: { estimate: '-1000ms' } });
});

test('four pairs in turns prove no change of a time', () => {
  const run = aRun([2000, 2010, 2020, 2010], [1000, 1010, 1020, 1010]);
  expect(changesOfRun(run)?.load.lcp).toMatchObject({ verdict: 'unknown', needs: { kind: 'turns', count: 5 } });
});

test('a contended variant has no verdict about times', () => {
  const run = aRun([2000, 2010, 2020], [1000, 1010, 1020]);
  const contended = { ...run, environment: { ...environment, contended: true } };
  expect(changesOfRun(contended)?.load.lcp).toMatchObject({ verdict: 'unknown', needs: null });
});

test('a check with one variant has no change and no comparison of variants', () => {
  const check = aCheck({ regions: ['us-west1'] });
  const run = { ...(check.runs[0] as Run), state: 'succeeded' as const };
  expect([changesOfRun(run), compareVariants({ ...check, runs: [run] })]).toEqual([null, undefined]);
});
