import type { CheckComparison } from '../../../shared/comparison/schemas.ts';
import type { MetricName } from '../../../shared/metrics/page-metrics.ts';
import type { RunView } from '../../../shared/run.ts';
import { changeText, regionsText } from '../../words/change.ts';
import { mainMetrics, metrics, orderedFor, textOrDash } from '../../words/numbers.ts';
import type { CheckResult } from '../run/result.ts';

/** Returns the metrics that a table shows: those that people look at first and that a run has. */
export const shownMetrics = (runs: readonly RunView[]): MetricName[] =>
  orderedFor(runs, mainMetrics).filter((name) => runs.some((run) => run[name] !== null));

/** Returns the verdict about the regions by metric, or undefined if no metric has one. */
export const verdictsOf = ({ comparison }: CheckResult): ((name: MetricName) => string) | undefined => {
  if (!comparison) return undefined;
  const isKnown = mainMetrics.some((name) => comparison.metrics[name].verdict !== 'unknown');
  return isKnown ? (name) => regionsText(name, comparison.metrics[name]) : undefined;
};

/** A metric of a region before and after, with units. */
export type Change = {
  region: string;
  name: MetricName;
  verdict: 'improved' | 'regressed' | 'same' | 'unknown';
  before: string;
  after: string;
  /** How it changed, in words. */
  change: string;
  /** True if it may have changed, and nobody knows. */
  suspected: boolean;
};

/** Returns the metrics of each region that at least one of the checks has. */
export const changesOf = (comparison: CheckComparison): Change[] =>
  comparison.regions.flatMap((region) =>
    metrics.flatMap((name) => {
      const compared = comparison.metrics[name].regions[region];
      if (!compared || (compared.base === null && compared.value === null)) return [];
      const [before, after] = [textOrDash(name, compared.base), textOrDash(name, compared.value)];
      const { verdict, suspected } = compared;
      return [{ region, name, verdict, suspected, before, after, change: changeText(name, compared) }];
    }),
  );

/** Returns the metrics that got worse or better than those of the base, or perhaps did, and how many have each verdict. */
export const summaryOf = (comparison: CheckComparison): { changed: Change[]; counts: string } => {
  const changes = changesOf(comparison);
  const having = (verdict: Change['verdict']) => changes.filter((each) => each.verdict === verdict);
  const counts = [
    `${having('regressed').length} regressed`,
    `${having('improved').length} improved`,
    `${having('same').length} same`,
    `${having('unknown').length} unclear`,
  ];
  const suspected = changes.filter((each) => each.suspected);
  return { changed: [...having('regressed'), ...having('improved'), ...suspected], counts: counts.join(', ') };
};

/** Groups things by a key, in the order of their first appearance. */
export const grouped = <T>(all: readonly T[], keyOf: (each: T) => string): T[][] => {
  const groups = new Map<string, T[]>();
  for (const each of all) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return [...groups.values()];
};
