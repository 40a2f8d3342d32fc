import { pick } from '../pick.ts';
import {
  type InteractionMetricName,
  type InteractionValues,
  interactionMetricNames,
  interactionMetrics,
} from './metrics.ts';

/** Id of a metric of an interaction, such as `interactions:search:inp`. The name of an interaction has no colon. */
export type InteractionMetricId = `interactions:${string}:${InteractionMetricName}`;

type Parts = { interaction: string; metric: InteractionMetricName };

export const interactionMetricId = ({ interaction, metric }: Parts): InteractionMetricId =>
  `interactions:${interaction}:${metric}`;

/** Returns the parts of an id, or undefined if the text is no such id. */
export const partsOfInteractionMetric = (id: string): Parts | undefined => {
  const [kind, interaction, name, ...more] = id.split(':');
  const metric = interactionMetricNames.find((each) => each === name);
  return kind === 'interactions' && interaction && metric && more.length === 0 ? { interaction, metric } : undefined;
};

/** Returns a metric of an interaction in words, such as `INP of search`. */
export const interactionMetricTitle = ({ interaction, metric }: Parts): string =>
  `${interactionMetrics[metric].shortTitle} of ${interaction}`;

/** The parts of an interaction's result that have its metrics, as stored. */
export type MeasuredValues = Omit<InteractionValues, 'lcp'> & {
  name: string;
  softNavigation: Pick<InteractionValues, 'lcp'> | null;
  samples: readonly InteractionValues[];
};
type WithInteractions = { interactions?: readonly MeasuredValues[] | null };

/** Returns the values of an interaction's result. */
export const valuesOfInteraction = (result: Omit<MeasuredValues, 'name' | 'samples'>): InteractionValues => ({
  ...pick(result, ['inp', 'tbt', 'cls']),
  lcp: result.softNavigation?.lcp ?? null,
});

/** Returns the value of an interaction's metric in a run. It is null if the run has no such interaction or value. */
export const interactionValue = ({ interactions }: WithInteractions, { interaction, metric }: Parts): number | null => {
  const result = interactions?.find(({ name }) => name === interaction);
  return result ? valuesOfInteraction(result)[metric] : null;
};

/** Returns the values of the samples of a run, in the order of its samples. An unknown value is null. */
export const interactionSamples = (
  { interactions }: WithInteractions,
  { interaction, metric }: Parts,
): (number | null)[] =>
  interactions?.find(({ name }) => name === interaction)?.samples.map((sample) => sample[metric]) ?? [];

type WithNames = { interactions?: readonly { name: string }[] | null };

/** Returns the metrics of all interactions of a run. */
export const interactionMetricsOf = ({ interactions }: WithNames): Parts[] =>
  (interactions ?? []).flatMap(({ name }) => interactionMetricNames.map((metric) => ({ interaction: name, metric })));
