import { valuesOfInteraction } from '../interactions/metric-ids.ts';
import { type InteractionMetricName, interactionMetricNames, interactionMetrics } from '../interactions/metrics.ts';
import { recordOf } from '../record.ts';
import { type Against, type JudgedPair, judgePairs, type MeasuredSide } from './judge-pairs.ts';
import type { ComparedInteraction, InteractionReason } from './schemas.ts';
import type { ComparedCheck, ComparedRun, Side } from './sides.ts';

/** Returns the steps of an interaction as a text that is equal for equal steps. It is undefined if nobody knows them. */
export const stepsOf = ({ interactions }: Pick<ComparedCheck, 'interactions'>, name: string): string | undefined => {
  const found = interactions?.find((each) => each.name === name);
  return found && JSON.stringify(found.steps);
};

/** The sides of a region, with the INPs of an interaction in the page's earlier checks. */
export type InteractionPair = JudgedPair & { inps: (name: string) => number[] };

/**
 * Compares the interactions of two sides by name, each with the pairs of regions that may join it. One that a side lacks, or
 * whose steps differ, has no verdict.
 */
export const compareInteractions = (
  runs: readonly ComparedRun[],
  pairsOf: (name: string) => { pairs: readonly InteractionPair[]; hasOtherSteps: boolean },
  against: Against,
): ComparedInteraction[] => {
  const names = new Set(runs.flatMap(({ interactions }) => (interactions ?? []).map(({ name }) => name)));
  return [...names].map((name) => {
    const { pairs, hasOtherSteps } = pairsOf(name);
    const withSteps = pairs.map((pair) => ({
      ...pair,
      reasons: [...pair.reasons, ...(hasOtherSteps ? [{ code: 'other-steps' }] : [])],
    }));
    const measuredOf = (metric: InteractionMetricName) => (pair: InteractionPair) => ({
      before: measuredSide(pair.before, name, metric),
      after: measuredSide(pair.after, name, metric),
      ...(metric === 'inp' && { history: pair.inps(name) }), // the series keeps no other metric
    });
    return {
      name,
      metrics: recordOf(interactionMetricNames, (metric) =>
        judgePairs(interactionMetrics[metric], withSteps, measuredOf(metric), against),
      ),
      reasons: pairs.flatMap(({ region, before, after }): InteractionReason[] => [
        ...(hasOtherSteps ? [{ code: 'other-steps' as const, region, side: 'value' as const, detail: null }] : []),
        ...reasonsOf(before.run, name).map((reason) => ({ ...reason, region, side: 'base' as const })),
        ...reasonsOf(after.run, name).map((reason) => ({ ...reason, region, side: 'value' as const })),
      ]),
    };
  });
};

const resultOf = ({ interactions }: ComparedRun, name: string) => interactions?.find((each) => each.name === name);

const measuredSide = ({ run, pooled }: Side, name: string, metric: InteractionMetricName): MeasuredSide => {
  const result = resultOf(run, name);
  return {
    value: result ? valuesOfInteraction(result)[metric] : null,
    samples: [run, ...pooled].map((each) =>
      (resultOf(each, name)?.samples ?? []).map((values, i) => ({
        value: values[metric],
        contended: each.samples[i]?.contended ?? null, // samples of the load and of its interactions have one order
      })),
    ),
  };
};

/** Returns why a run has no values of an interaction, or fewer. */
const reasonsOf = (run: ComparedRun, name: string): Pick<InteractionReason, 'code' | 'detail'>[] => {
  const result = resultOf(run, name);
  if (!result) return [{ code: 'missing', detail: null }];
  const { samples, reason: detail } = result;
  const failed = samples.filter((values) => interactionMetricNames.every((metric) => values[metric] === null)).length;
  if (failed === samples.length) return [{ code: 'failed', detail }];
  return [
    ...(failed > 0
      ? [{ code: 'failed-samples' as const, detail: `${failed} of ${samples.length} samples failed.` }]
      : []),
    ...(detail === null ? [] : [{ code: 'noted' as const, detail }]),
  ];
};
