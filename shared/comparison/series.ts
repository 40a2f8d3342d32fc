import {
  type InteractionMetricId,
  interactionMetricId,
  interactionSamples,
  type MeasuredValues,
} from '../interactions/metric-ids.ts';
import { interactionMetrics } from '../interactions/metrics.ts';
import { type MetricName, type PageMetric, pageMetric, type SeriesName, seriesNames } from '../metrics/page-metrics.ts';
import type { Sample } from '../metrics/page-metrics-schemas.ts';
import { pick } from '../pick.ts';
import { type AuditedAs, isComparable, type MeasuredOn, measuredOn, reasonsAgainst } from './comparable.ts';
import { locationOf, noiseWithin } from './noise.ts';
import { countedOf, type SampledValue } from './sides.ts';
import { spoilsMetric } from './spoils.ts';
import { asSteady } from './steady.ts';
import type { Location } from './steps.ts';

export type Locations = Partial<Record<SeriesName | InteractionMetricId, Location>>;

/** A check in the series of its page. A missing fact is unknown. */
export type SeriesPoint = AuditedAs & MeasuredOn & { checkId: string; createdAt: string; locations: Locations };

/** Returns how a page was audited and measured, as far as its series knows. */
export const asInSeries = (audited: AuditedAs, environment: Partial<MeasuredOn> | null) => ({
  ...pick(audited, ['url', 'device', 'auditVersion', 'throttling', 'blockedUrlPatterns']),
  ...measuredOn(environment),
});

/** Returns the locations of a metric in the checks of a series that are comparable with a run. */
export const locationsIn = (
  series: readonly SeriesPoint[],
  name: MetricName,
  run: ReturnType<typeof asInSeries>,
): number[] =>
  series
    .filter((point) => isComparable(name, run, point))
    .flatMap(({ locations }: { locations: Partial<Record<MetricName, Location>> }) => locations[name]?.[0] ?? []);

/** Returns the INPs of an interaction in the checks of a series that are comparable with a run. */
export const inpsIn = (series: readonly SeriesPoint[], name: string, run: ReturnType<typeof asInSeries>): number[] =>
  series
    .filter((point) => !reasonsAgainst(run, point).some((code) => spoilsMetric(interactionMetrics.inp, code)))
    .flatMap(({ locations }) => locations[interactionMetricId({ interaction: name, metric: 'inp' })]?.[0] ?? []);

/** Checks of a series that are looked at. */
export const SERIES_CHECKS = 60;
/** Digits after the point that a series keeps. */
const DIGITS = 1000;

type MeasuredRun = {
  samples: readonly Sample[];
  interactions?: readonly MeasuredValues[] | null;
  environment: Partial<Pick<MeasuredOn, 'contended'>> | null;
};

/**
 * Returns the locations of the metrics of a run, and of the INP of its interactions. Those of loads with steady values are
 * steady. A contended run has none that this spoils.
 */
export const locationsOf = ({ samples, interactions = null, environment }: MeasuredRun): Locations => {
  const located = (name: string, metric: PageMetric, sampled: readonly SampledValue[]): [string, Location][] => {
    const values = countedOf(metric, sampled);
    if (values.length === 0 || (environment?.contended && spoilsMetric(metric, 'contended'))) return [];
    const { freedom, ofLocation } = noiseWithin([values]);
    return [[name, [rounded(locationOf(values)), freedom === 0 ? null : rounded(ofLocation)]]];
  };
  const ofPage = seriesNames.flatMap((name) =>
    located(
      name,
      pageMetric(name),
      samples.map(asSteady).map(({ contended, ...sample }) => ({ contended, value: sample[name] })),
    ),
  );
  const ofInteractions = (interactions ?? []).flatMap(({ name }) => {
    const parts = { interaction: name, metric: 'inp' } as const;
    const values = interactionSamples({ interactions }, parts);
    const sampled = values.map((value, i) => ({ value, contended: samples[i]?.contended ?? null }));
    return located(interactionMetricId(parts), interactionMetrics.inp, sampled);
  });
  return Object.fromEntries([...ofPage, ...ofInteractions]);
};

const rounded = (value: number): number => Math.round(value * DIGITS) / DIGITS;
