import type { CheckComparison } from '../../shared/comparison/schemas.ts';
import type { MetricName } from '../../shared/metrics/page-metrics.ts';
import { shortChangeText } from './change.ts';
import { labels, mainMetrics, metrics, textOrDash } from './numbers.ts';
import { allRegionsText } from './places.ts';

type Compared = NonNullable<CheckComparison['metrics'][MetricName]['regions'][CheckComparison['regions'][number]]>;
type Verdict = Compared['verdict'];

/** Most metrics that a headline names after the first one. */
const MAX_OTHERS = 2;

/** Returns the answer of a comparison with a base in one line, such as `Performance 75 → 55 in both regions: LCP +1.3 s`. */
export const headlineOfChange = (comparison: CheckComparison): string => {
  const verdict = (['regressed', 'improved'] as const).find((each) => namesWith(comparison, each).length > 0);
  if (verdict) return changedText(comparison, verdict);
  const suspected = orderedNames.filter((name) => having(comparison, name, (each) => each.suspected).length > 0);
  const [first] = suspected;
  if (first) return `Perhaps changed: ${betweenText(comparison, first, (each) => each.suspected)}`;
  const shown = orderedNames.find((name) => having(comparison, name, () => true).length > 0);
  const values = shown ? `: ${betweenText(comparison, shown, () => true)}` : '';
  const isSame = shown && comparison.metrics[shown].verdict === 'same';
  return `${isSame ? 'No change' : 'No sign of a change'}${values}`;
};

const orderedNames: readonly MetricName[] = [...new Set([...mainMetrics, ...metrics])];

const namesWith = ({ metrics: all }: CheckComparison, verdict: Verdict): MetricName[] =>
  orderedNames.filter((name) => Object.values(all[name].regions).some((each) => each.verdict === verdict));

const having = ({ metrics: all }: CheckComparison, name: MetricName, is: (each: Compared) => boolean) =>
  Object.entries(all[name].regions).filter(([, each]) => (each.base !== null || each.value !== null) && is(each));

const changedText = (comparison: CheckComparison, verdict: Verdict): string => {
  const [first = 'performance', ...others] = namesWith(comparison, verdict);
  const isOf = (each: Compared) => each.verdict === verdict;
  const found = having(comparison, first, isOf);
  const [one] = found;
  const interval =
    one && comparison.regions.length === 1
      ? ` (${shortChangeText(first, one[1]).replace(' (', '; ').replace(')', '')})`
      : '';
  const shown = others.slice(0, MAX_OTHERS).map((name) => `${labels[name]} ${differenceText(comparison, name, isOf)}`);
  const more = others.length - shown.length;
  const rest = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return `${betweenText(comparison, first, isOf)}${interval}${rest && `: ${rest}`}`;
};

/** Returns a metric before and after, and the regions that this is about if they are not the only one. */
const betweenText = (comparison: CheckComparison, name: MetricName, is: (each: Compared) => boolean): string => {
  const found = having(comparison, name, is);
  const count = comparison.regions.length;
  const where =
    count === 1
      ? ''
      : ` in ${found.length === count ? allRegionsText(count) : found.map(([region]) => region).join(', ')}`;
  const [before, after] = (['base', 'value'] as const).map((side) =>
    joinedValues(
      found.map(([, each]) => textOrDash(name, each[side])),
      '–',
    ),
  );
  return `${labels[name]} ${before} → ${after}${where}`;
};

const differenceText = (comparison: CheckComparison, name: MetricName, is: (each: Compared) => boolean): string =>
  joinedValues(
    having(comparison, name, is).map(([, each]) => shortChangeText(name, each).replace(/ \(.*/, '')),
    ' to ',
  );

/** Returns the first and the last of some numbers with units, such as `+1.3 to +1.5 s`. */
export const joinedValues = (texts: readonly string[], between: string): string => {
  const sorted = [...new Set(texts)].toSorted((a, b) => numberIn(a) - numberIn(b));
  const [first = '', last = first] = [sorted[0], sorted.at(-1)];
  if (first === last) return first;
  const unit = / \D+$/.exec(last)?.[0] ?? '';
  return `${unit && first.endsWith(unit) ? first.slice(0, -unit.length) : first}${between}${last}`;
};

const numberIn = (text: string): number => Number.parseFloat(text.replace('−', '-').replace(',', ''));
