import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { pageMetrics } from '../../../shared/metrics/page-metrics.ts';
import { type BusySample, measureBusy } from '../../bench/busy.ts';
import { busyTables, busyTargets, lowestFcp, missedBy } from '../../bench/busy-table.ts';
import { endAll } from '../../bench/children.ts';
import { startPages } from '../../bench/pages.ts';

const targets = Object.keys(busyTargets) as (keyof typeof busyTargets)[];
const load = availableParallelism() > 2 ? 'four loops' : 'two loops';

// The bench `busy` has all pages and loads. These three don't move by themselves.
const steady = ['task250', 'xhr', 'lock'] as const;

/**
 * Returns the pages and targets that the samples miss. The busy server answers a synchronous request later. The page really
 * waits for the answer, so its performance score may fall.
 */
const allMissed = (samples: readonly BusySample[]) =>
  targets.flatMap((target) =>
    missedBy(samples, target).flatMap(({ page }) =>
      page === 'xhr' && target.startsWith('performance') ? [] : [{ page, target }],
    ),
  );

test('a long task, a synchronous request and a lock have the numbers of a free machine beside one loop per CPU', async () => {
  await using pages = await startPages();
  const measure = (runs: number, names: readonly BusySample['page'][]) =>
    measureBusy({ pages, runs, loads: ['quiet', load], names, log: console.log });
  const { samples } = await measure(2, steady);
  const doubtful = allMissed(samples).map(({ page }) => page);
  // Two samples of a page can miss a target by chance, seven hardly can.
  if (doubtful.length > 0) samples.push(...(await measure(5, [...new Set(doubtful)])).samples);
  expect(allMissed(samples), busyTables({ samples, missing: {} })).toEqual([]);
  // The request of 300 ms stays in the times.
  expect(lowestFcp(samples, false)).toBeGreaterThan(lowestFcp(samples, true) - pageMetrics.fcp.smallest.difference);
  await endAll();
});
