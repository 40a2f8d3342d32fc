import { expect, test } from 'vitest';
import { missingMeaningfulPaints, type TraceEvent } from '../../functions/auditor/lighthouse-patches.ts';

const event = (name: string, ts: number, navigationId: string, isOutermostMainFrame = true): TraceEvent => ({
  name,
  ts,
  args: { data: { navigationId, isOutermostMainFrame } },
});
const largest = (ts: number, navigationId: string, isMain = true) =>
  event('largestContentfulPaint::Candidate', ts, navigationId, isMain);

test('the largest contentful paint stands in for a first meaningful paint that is missing', () => {
  const events = [event('firstContentfulPaint', 1, 'a'), largest(3, 'a'), largest(1, 'a')]; // in no order
  expect(missingMeaningfulPaints(events)).toEqual([{ ...largest(3, 'a'), name: 'firstMeaningfulPaintCandidate' }]);
});

test.each(['firstMeaningfulPaint', 'firstMeaningfulPaintCandidate'])(
  'where a trace has a %s it stays as it is',
  (name) => {
    expect(missingMeaningfulPaints([event(name, 2, 'a'), largest(3, 'a')])).toEqual([]);
  },
);

test('each document of the main frame is looked at by itself, and no frame in it', () => {
  const events = [event('firstMeaningfulPaint', 2, 'a'), largest(2, 'a'), largest(5, 'b'), largest(9, 'frame', false)];
  expect(missingMeaningfulPaints(events)).toMatchObject([{ ts: 5, args: { data: { navigationId: 'b' } } }]);
});

test('what painted nothing has nothing that could stand in', () => {
  expect(missingMeaningfulPaints([{ name: 'navigationStart', ts: 1, args: {} }, event('firstPaint', 2, 'a')])).toEqual(
    [],
  );
});
