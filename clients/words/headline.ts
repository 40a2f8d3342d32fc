import type { CheckComparison } from '../../shared/comparison/schemas.ts';
import { shortChangeText } from './change.ts';
import { type ComparedEntry, comparedEntries } from './compared.ts';
import { mainMetrics, metrics, textOrDash } from './numbers.ts';
import { allRegionsText } from './places.ts';

type Compared = NonNullable<ComparedEntry['regions'][CheckComparison['regions'][number]]>;
type Verdict = Compared['verdict'];

/** Most metrics that a headline names after the first one. */
const MAX_OTHERS = 2;

/** Returns the answer of a comparison with a base in one line, such as `Performance 75 → 55 in both regions: LCP +1.3 s`. */
export const headlineOfChange = (comparison: CheckComparison): string => {
  const verdict = (['regressed', 'improved'] as const).find((each) => entriesWith(comparison, each).length > 0);
  if (verdict) return changedText(comparison, verdict);
  const first = orderedEntries(comparison).find((entry) => having(entry, (each) => each.suspected).length > 0);
  if (first) return `Perhaps changed: ${betweenText(comparison, first, (each) => each.suspected)}`;
  const shown = orderedEntries(comparison).find((entry) => having(entry, () => true).length > 0);
  const values = shown ? `: ${betweenText(comparison, shown, () => true)}` : '';
  const isSame = shown?.verdict === 'same';
  return `${isSame ? 'No change' : 'No sign of a change'}${values}`;
};

/** Returns the main metrics first, then the others, and those of interactions. */
const orderedEntries = (comparison: CheckComparison): ComparedEntry[] =>
  comparedEntries(comparison).toSorted((a, b) => rank(a) - rank(b));
const rank = ({ id }: ComparedEntry): number =>
  mainMetrics.some((name) => name === id) ? 0 : metrics.some((name) => name === id) ? 1 : 2;

const entriesWith = (comparison: CheckComparison, verdict: Verdict): ComparedEntry[] =>
  orderedEntries(comparison).filter(({ regions }) => Object.values(regions).some((each) => each.verdict === verdict));

const having = ({ regions }: ComparedEntry, is: (each: Compared) => boolean) =>
  Object.entries(regions).filter(([, each]) => (each.base !== null || each.value !== null) && is(each));

const changedText = (comparison: CheckComparison, verdict: Verdict): string => {
  const [first, ...others] = entriesWith(comparison, verdict);
  if (!first) return '';
  const isOf = (each: Compared) => each.verdict === verdict;
  const [one] = having(first, isOf);
  const interval =
    one && comparison.regions.length === 1
      ? ` (${shortChangeText(first.name, one[1]).replace(' (', '; ').replace(')', '')})`
      : '';
  const shown = others.slice(0, MAX_OTHERS).map((each) => `${each.label} ${differenceText(each, isOf)}`);
  const more = others.length - shown.length;
  const rest = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return `${betweenText(comparison, first, isOf)}${interval}${rest && `: ${rest}`}`;
};

/** Returns a metric before and after, and the regions that this is about if they are not the only one. */
const betweenText = (comparison: CheckComparison, entry: ComparedEntry, is: (each: Compared) => boolean): string => {
  const found = having(entry, is);
  const count = comparison.regions.length;
  const where =
    count === 1
      ? ''
      : ` in ${found.length === count ? allRegionsText(count) : found.map(([region]) => region).join(', ')}`;
  const [before, after] = (['base', 'value'] as const).map((side) =>
    joinedValues(
      found.map(([, each]) => textOrDash(entry.name, each[side])),
      '–',
    ),
  );
  return `${entry.label} ${before} → ${after}${where}`;
};

const differenceText = (entry: ComparedEntry, is: (each: Compared) => boolean): string =>
  joinedValues(
    having(entry, is).map(([, each]) => shortChangeText(entry.name, each).replace(/ \(.*/, '')),
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
