import { expect, test } from 'vitest';
import { missingMeaningfulPaints } from '../../functions/auditor/lighthouse/patches.ts';
import type { TraceEvent } from '../../functions/auditor/lighthouse/trace.ts';

const event = (name: string, ts: number, navigationId: string, isOutermostMainFrame = true): TraceEvent => ({
  name,
  ts,
  args: { data: { navigationId, isOutermostMainFrame } },
});
const largest = (ts: number, navigationId: string, isMain = true) =>
  event('largestContentfulPaint::Candidate', ts, navigationId, isMain);

test('the largest contentful paint replaces a missing first meaningful paint', () => {
  const events = [event('firstContentfulPaint', 1, 'a'), largest(3, 'a'), largest(1, 'a')]; // in any order
  expect(missingMeaningfulPaints(events)).toEqual([{ ...largest(3, 'a'), name: 'firstMeaningfulPaintCandidate' }]);
});

test.each(['firstMeaningfulPaint', 'firstMeaningfulPaintCandidate'])('a trace with a %s is not changed', (name) => {
  expect(missingMeaningfulPaints([event(name, 2, 'a'), largest(3, 'a')])).toEqual([]);
});

test('each document of the main frame gets its own paint, and child frames get none', () => {
  const events = [event('firstMeaningfulPaint', 2, 'a'), largest(2, 'a'), largest(5, 'b'), largest(9, 'frame', false)];
  expect(missingMeaningfulPaints(events)).toMatchObject([{ ts: 5, args: { data: { navigationId: 'b' } } }]);
});

test('a trace without a largest contentful paint gets no replacement', () => {
  expect(missingMeaningfulPaints([{ name: 'navigationStart', ts: 1, args: {} }, event('firstPaint', 2, 'a')])).toEqual(
    [],
  );
});
