import { type Drift, type MetricName, NO_WORK, type PageMetric, pageMetrics } from '../metrics/page-metrics.ts';
import { recordOf } from '../record.ts';

const { lcp, tbt, cls } = pageMetrics;

/**
 * The least that a time from an input to a paint moves, in milliseconds. The paint waits for a frame, and Chrome rounds the
 * time to 8 ms: (16.7² / 12 + 8² / 12)^½. No recordings show how interactions move from check to check.
 */
const untilFrame: Drift = { ...NO_WORK, floor: 5.3, isLeast: true };

/** The metrics of an interaction, in the order of the API. `lcp` is that of the route change that it caused. */
export const interactionMetrics = {
  inp: {
    title: 'Interaction to next paint',
    shortTitle: 'INP',
    kind: 'time',
    better: 'lower',
    smallest: { difference: 16, share: 0.1 }, // a frame
    drift: untilFrame,
    dependsOn: 'device',
    isMain: true,
    place: 1,
    limits: { mobile: [200, 500], desktop: [200, 500] },
  },
  tbt: { ...tbt, drift: untilFrame, place: 2 },
  cls: { ...cls, place: 3 },
  lcp: { ...lcp, drift: untilFrame, place: 4 },
} as const satisfies Record<string, PageMetric>;

export type InteractionMetricName = keyof typeof interactionMetrics;
export const interactionMetricNames = Object.keys(interactionMetrics) as InteractionMetricName[];

/** Name of a metric of the load or of an interaction. Both have the same kind under one name. */
export type JudgedName = MetricName | InteractionMetricName;
export const judgedMetric = (name: JudgedName): PageMetric => ({ ...interactionMetrics, ...pageMetrics })[name];

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
