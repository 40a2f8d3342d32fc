import type { CheckComparison } from '../../../shared/comparison/schemas.ts';
import { type JudgedName, judgedMetric } from '../../../shared/interactions/metrics.ts';
import type { MetricName } from '../../../shared/metrics/page-metrics.ts';
import type { RunView } from '../../../shared/run.ts';
import { changeText, regionsText, sharedChangeText } from '../../words/change.ts';
import { type ComparedEntry, comparedEntries } from '../../words/compared.ts';
import { allRegionsText, joinedValues } from '../../words/headline.ts';
import { mainMetrics, orderedFor, textOrDash } from '../../words/numbers.ts';
import type { CheckResult } from '../run/result.ts';

/** Returns the metrics that a table shows: those that people look at first and that a run has. */
export const shownMetrics = (runs: readonly RunView[], isOnePlace = false): MetricName[] =>
  orderedFor(isOnePlace ? [] : runs, mainMetrics).filter((name) => runs.some((run) => run[name] !== null));

/** Returns the verdict about the regions by metric, or undefined if no metric has one. A machine is not compared with itself. */
export const verdictsOf = ({
  comparison,
  isOnePlace,
}: Pick<CheckResult, 'comparison' | 'isOnePlace'>): ((name: MetricName) => string) | undefined => {
  if (!comparison || isOnePlace) return undefined;
  const isKnown = mainMetrics.some((name) => comparison.metrics[name].verdict !== 'unknown');
  return isKnown ? (name) => regionsText(name, comparison.metrics[name]) : undefined;
};

/** A metric of a region before and after, with units. */
export type Change = {
  /** The region, or a name of all regions. */
  region: string;
  /** The metric, in words. */
  label: string;
  name: JudgedName;
  verdict: Compared['verdict'];
  before: string;
  after: string;
  /** How it changed, in words. */
  change: string;
  /** True if it may have changed, and nobody knows. */
  suspected: boolean;
  compared: Compared;
};
type Compared = NonNullable<ComparedEntry['regions'][CheckComparison['regions'][number]]>;

/** Returns the metrics of each region that at least one of the checks has. */
export const changesOf = (comparison: CheckComparison): Change[] =>
  comparison.regions.flatMap((region) =>
    comparedEntries(comparison).flatMap(({ name, label, regions }) => {
      const compared = regions[region];
      if (!compared || (compared.base === null && compared.value === null)) return [];
      const [before, after] = [textOrDash(name, compared.base), textOrDash(name, compared.value)];
      const { verdict, suspected } = compared;
      return [{ region, name, label, verdict, suspected, before, after, change: changeText(name, compared), compared }];
    }),
  );

/** Returns the changes with one entry for a metric that got worse in all regions, or better in all. */
const sharedChangesOf = (comparison: CheckComparison): Change[] => {
  const { regions } = comparison;
  return grouped(changesOf(comparison), ({ label }) => label).flatMap((group) => {
    const [first] = group;
    const isSure = first?.verdict === 'regressed' || first?.verdict === 'improved';
    const agree = group.length === regions.length && group.every(({ verdict }) => verdict === first?.verdict);
    if (!first || regions.length === 1 || !isSure || !agree) return group;
    const between = (texts: readonly string[]) => joinedValues(texts, '–');
    return [
      {
        ...first,
        region: allRegionsText(regions.length),
        before: between(group.map(({ before }) => before)),
        after: between(group.map(({ after }) => after)),
        change: sharedChangeText(
          first.name,
          group.map(({ compared }) => compared),
        ),
      },
    ];
  });
};

/**
 * Returns the metrics that got worse or better than those of the base, or perhaps did, and how many have each verdict.
 * Regions that agree are one entry, unless `verbose`.
 */
export const summaryOf = (
  comparison: CheckComparison,
  { verbose = false } = {},
): { changed: Change[]; counts: string } => {
  const changes = verbose ? changesOf(comparison) : sharedChangesOf(comparison);
  const having = (verdict: Change['verdict']) => changes.filter((each) => each.verdict === verdict);
  const counts = [
    `${having('regressed').length} regressed`,
    `${having('improved').length} improved`,
    `${having('same').length} same`,
    `${having('unknown').filter(({ name }) => !judgedMetric(name).unjudged).length} unclear`,
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
