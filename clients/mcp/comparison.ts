import type { CheckComparison, RegionComparison } from '../../shared/comparison/schemas.ts';
import type { MetricName } from '../../shared/metrics/page-metrics.ts';
import { pick } from '../../shared/pick.ts';
import { fullChangeText, needsText, regionsText } from '../words/change.ts';
import { comparedEntries, interactionNotes, orderNotes, workNotes } from '../words/compared.ts';
import { headlineOfChange } from '../words/headline.ts';
import { reasonTexts } from '../words/words.ts';
import { compact, fitted } from './fit.ts';
import { comparisonPage } from './pages.ts';

type Change = { metric: string; verdict: string; text?: string; regions?: [region: string, text: string][] };

/** Changes that an agent reads first. */
const order = ['regressed', 'different', 'improved', 'unknown', 'same'];

/** Returns a comparison whose changes are in words, those with a verdict first. A metric that nothing measured is left out. */
export const comparisonAnswer = (
  comparison: CheckComparison | RegionComparison,
  site: string,
  limit?: number,
): object => {
  const { checkId, baseCheckId, regions, comparable, reasons, differences } = comparison;
  const found = baseCheckId === null ? regionsCompared(comparison) : checksCompared(comparison);
  const changes = found.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  const build = (rows: number, entries: number) => ({
    checkId,
    baseCheckId,
    page: comparisonPage(site, comparison),
    ...('verdict' in comparison && {
      answer: headlineOfChange(comparison),
      ...pick(comparison, ['verdict', 'unjudged']),
    }),
    regions,
    comparable,
    ...(compact(
      {
        reasons: reasons.map((reason) => ({ ...reason, text: reasonTexts[reason.code] })),
        differences,
        orders: 'orders' in comparison ? orderNotes(comparison) : [],
        work: 'work' in comparison ? workNotes(comparison) : [],
        interactions: 'interactions' in comparison ? interactionNotes(comparison) : [],
        newlyFailed: 'newlyFailed' in comparison ? comparison.newlyFailed : [],
        pooledCheckIds: 'pooledCheckIds' in comparison ? comparison.pooledCheckIds : [],
        againCheckIds: 'againCheckIds' in comparison ? comparison.againCheckIds : [],
      },
      entries,
    ) as object | undefined),
    changes: changes.slice(0, rows).map(({ regions: each, ...change }) => ({
      ...change,
      ...(each && { regions: Object.fromEntries(each.slice(0, Math.max(entries, 1))) }),
    })),
    ...(rows < changes.length && { moreChanges: changes.length - rows }),
  });
  return fitted({ build, rows: changes.length, limit });
};

const entriesOf = <Metric>(metrics: Record<MetricName, Metric>) => Object.entries(metrics) as [MetricName, Metric][];

const regionsCompared = ({ metrics }: RegionComparison): Change[] =>
  entriesOf(metrics).flatMap(([metric, each]) =>
    each.change ? [{ metric, verdict: each.verdict, text: `${regionsText(metric, each)}${needsText(each)}` }] : [],
  );

const checksCompared = (comparison: CheckComparison): Change[] =>
  comparedEntries(comparison).flatMap(({ id: metric, name, regions, verdict }) => {
    const measured = Object.entries(regions)
      .filter(([, { base, value }]) => base !== null || value !== null)
      .toSorted(([, a], [, b]) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
    if (measured.length === 0) return [];
    const texts = measured.map(([region, each]): [string, string] => [
      region,
      `${each.base ?? '–'} → ${each.value ?? '–'}: ${fullChangeText(name, each)}`,
    ]);
    return [{ metric, verdict, regions: texts }];
  });
