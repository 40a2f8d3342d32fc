import { expect, test } from 'vitest';
import { changeSince, type PagePoint } from '../../shared/comparison/since.ts';

const DAY = 24 * 3600 * 1000;
/** A page whose LCP rises within a day, after six days of another level. Nothing else of it moves. */
const points: PagePoint[] = [1000, 1010, 1000, 1010, 1000, 1010, 2000, 2010, 2000, 2010].map((lcp, day) => ({
  at: day * DAY,
  checkId: `${day}`,
  inputs: 'same',
  machine: 'same',
  locations: { lcp: [lcp, 1], tbt: [0, 0], performance: [90, 0] },
}));

test('a change since a time is proved by a step of the series only, and is suspected without one', () => {
  const lcpSince = (steps: Parameters<typeof changeSince>[1]) => {
    const change = changeSince(points, steps, 5 * DAY);
    if (typeof change === 'string') throw new Error(change);
    return { of: change.verdict, verdict: change.metrics.lcp?.verdict, isSuspected: change.metrics.lcp?.isSuspected };
  };
  expect(lcpSince({ lcp: [6 * DAY] })).toEqual({ of: 'regressed', verdict: 'regressed', isSuspected: false });
  expect(lcpSince({})).toMatchObject({ verdict: 'unknown', isSuspected: true });
  expect(lcpSince({}).of).not.toBe('regressed');
});
