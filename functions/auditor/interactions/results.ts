import type { InteractionRun } from '../../../shared/interactions/interactions-schemas.ts';
import { interactionMetricNames, rangesOfInteraction } from '../../../shared/interactions/metrics.ts';
import { pick } from '../../../shared/pick.ts';
import type { MeasuredInteraction } from './messages.ts';

/** Result of an interaction over all samples of a run, with the report of the shown one. */
export type InteractionResult = InteractionRun & Pick<MeasuredInteraction, 'report'>;

/** Returns the results of the interactions over the samples, or undefined if no sample has interactions. */
export const interactionResults = (
  samples: readonly { interactions?: readonly MeasuredInteraction[] }[],
): InteractionResult[] | undefined => {
  const [first] = samples;
  return first?.interactions?.map((_, i) => resultOver(samples.flatMap(({ interactions }) => interactions?.[i] ?? [])));
};

/** Returns the sample with the median INP, the lower one of two, with the values of all samples. */
const resultOver = (samples: readonly MeasuredInteraction[]): InteractionResult => {
  const measured = samples.filter(({ inp }) => inp !== null).toSorted((a, b) => (a.inp ?? 0) - (b.inp ?? 0));
  const shown = measured[(measured.length - 1) >> 1] ?? (samples.find(({ report }) => report) || samples[0]);
  const { lcp: _, ...result } = shown as MeasuredInteraction;
  const values = samples.map((sample) => pick(sample, interactionMetricNames));
  return { ...result, samples: values, spread: rangesOfInteraction(values) };
};
