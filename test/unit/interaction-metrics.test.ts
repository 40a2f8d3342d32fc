import { expect, test } from 'vitest';
import {
  interactionMetricId,
  interactionMetricsOf,
  interactionMetricTitle,
  interactionSamples,
  interactionValue,
  partsOfInteractionMetric,
} from '../../shared/interactions/metric-ids.ts';

const sample = (inp: number | null) => ({ inp, tbt: 0, cls: 0, lcp: 400 });
const run = {
  interactions: [
    { name: 'a.b', inp: 208, tbt: 0, cls: 0, softNavigation: { lcp: 400 }, samples: [sample(208), sample(null)] },
  ],
};

test('the id of each metric of an interaction leads back to it, and other texts are no id', () => {
  const all = interactionMetricsOf(run);
  expect(all.map(interactionMetricId)).toEqual(['inp', 'tbt', 'cls', 'lcp'].map((name) => `interactions:a.b:${name}`));
  expect(all.map((each) => partsOfInteractionMetric(interactionMetricId(each)))).toEqual(all);
  for (const text of ['interactions:a', 'interactions:a:fcp', 'interactions::inp', 'interactions:a:inp:b', 'x:a:inp'])
    expect(partsOfInteractionMetric(text)).toBeUndefined();
  expect(interactionMetricTitle({ interaction: 'a.b', metric: 'inp' })).toBe('INP of a.b');
});

test('a run has the values and samples of its interactions, and none of others', () => {
  expect(interactionValue(run, { interaction: 'a.b', metric: 'inp' })).toBe(208);
  expect(interactionValue(run, { interaction: 'a.b', metric: 'lcp' })).toBe(400);
  expect(interactionSamples(run, { interaction: 'a.b', metric: 'inp' })).toEqual([208, null]);
  expect(interactionValue(run, { interaction: 'b', metric: 'inp' })).toBeNull();
  expect(interactionSamples({ interactions: null }, { interaction: 'b', metric: 'inp' })).toEqual([]);
});
