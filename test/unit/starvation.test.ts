import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type GroupTimes, starvationOf, starvedMs } from '../../functions/auditor/host/starvation.ts';
import { startPatiently } from '../../functions/auditor/patient-timer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const at = (atMs: number, ranMs: number, waits: Record<number, number>): GroupTimes => ({
  atMs,
  ranMs,
  waits: new Map(Object.entries(waits).map(([tid, ms]) => [Number(tid), ms])),
});
const start = at(0, 0, { 1: 100, 2: 50 });

test.each([
  ['an idle group is not starved', at(1000, 10, { 1: 100, 2: 50 }), 0],
  ['a group beside other programs is starved while its threads wait', at(1000, 400, { 1: 500, 2: 250 }), 600],
  [
    'threads that wait at the same time are starved for no longer than that time',
    at(1000, 0, { 1: 900, 2: 850 }),
    1000,
  ],
  ['a new thread counts from its start', at(1000, 0, { 1: 100, 2: 50, 3: 300 }), 300],
  ['a group that uses all CPUs waits for itself', at(1000, 2000, { 1: 1000, 2: 900 }), 0],
  ['a group that a quota stops is starved', at(1000, 500, { 1: 800, 2: 50 }), 700],
  ['an exited process takes its time with it', at(1000, -300, { 1: 200 }), 100],
])('%s', (_, end, expected) => {
  expect(starvedMs(start, end, 2)).toBe(expected);
});

test('starvation adds up over the readings, of which each is used for a moment', () => {
  let reads = 0;
  const read = () => at(performance.now(), 0, { 1: 100 * reads++ });
  const starved = starvationOf(1, read, 2);
  const totals = [100, 200, 300, 400, 500, 600].map(() => {
    vi.advanceTimersByTime(100);
    return starved();
  });
  expect(totals).toEqual([0, 0, 100, 100, 100, 200]);
});

test.each([
  ['nothing', 0, 1000],
  ['less than a tenth of its time', 0.09, 1000],
  ['half of the time', 0.5, 1875],
  ['nearly all of the time', 0.99, 3940],
])('a timer that loses %s elapses after its own time, but at most after four times as long', (_, lost, expected) => {
  const onElapsed = vi.fn();
  const begin = performance.now();
  startPatiently(
    () => onElapsed(Math.round(performance.now() - begin)),
    1000,
    () => lost * performance.now(),
  );
  vi.advanceTimersByTime(60_000);
  expect(onElapsed).toHaveBeenCalledOnce();
  expect(onElapsed.mock.calls[0]?.[0]).toBeGreaterThanOrEqual(expected - 1);
  expect(onElapsed.mock.calls[0]?.[0]).toBeLessThanOrEqual(expected);
});

test('a timer that was extended can be stopped', () => {
  const onElapsed = vi.fn();
  const { stop } = startPatiently(onElapsed, 1000, () => performance.now());
  vi.advanceTimersByTime(1500);
  stop();
  vi.advanceTimersByTime(60_000);
  expect(onElapsed).not.toHaveBeenCalled();
});
