import { type PageMetric, pageMetrics } from '../metrics/page-metrics.ts';
import { recordOf } from '../record.ts';

const { lcp, tbt, cls } = pageMetrics;

/** The metrics of an interaction, in the order of the API. `lcp` is that of the route change that it caused. */
export const interactionMetrics = {
  inp: {
    title: 'Interaction to next paint',
    shortTitle: 'INP',
    kind: 'time',
    better: 'lower',
    smallest: { difference: 40, share: 0.05 }, // two to three frames
    drift: { work: 0, most: 0, share: 0.05, floor: 8 },
    dependsOn: 'cpu',
    isMain: true,
    place: 1,
    limits: { mobile: [200, 500], desktop: [200, 500] },
  },
  tbt: { ...tbt, place: 2 },
  cls: { ...cls, place: 3 },
  lcp: { ...lcp, place: 4 },
} as const satisfies Record<string, PageMetric>;

export type InteractionMetricName = keyof typeof interactionMetrics;
export const interactionMetricNames = Object.keys(interactionMetrics) as InteractionMetricName[];

/** Values of an interaction. An unknown value is null. */
export type InteractionValues = Record<InteractionMetricName, number | null>;

/** Returns the smallest and largest value of each metric over two or more samples, or null if there are fewer. */
export const rangesOfInteraction = (samples: readonly InteractionValues[]) =>
  samples.length < 2
    ? null
    : recordOf(interactionMetricNames, (name) => {
        const values = samples.map((sample) => sample[name]).filter((value) => value !== null);
        return values.length > 0 ? { min: Math.min(...values), max: Math.max(...values) } : null;
      });
