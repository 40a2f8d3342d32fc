import type { CheckComparison } from '../../shared/comparison/schemas.ts';
import { fullChangeText, shortChangeText } from './change.ts';
import { type ComparedEntry, comparedEntries } from './compared.ts';
import { mainMetrics, metrics, textOrDash } from './numbers.ts';

type Compared = NonNullable<ComparedEntry['regions'][CheckComparison['regions'][number]]>;
type Verdict = Compared['verdict'];

/** Most metrics that a headline names after the first one. */
const MAX_OTHERS = 2;

/**
 * Returns the answer of a comparison with a base in one line, such as `Performance 75 → 55 in both regions: LCP +1.3 s`. A
 * metric that is better hides no main metric that is open.
 */
export const headlineOfChange = (comparison: CheckComparison): string => {
  const { verdict, unjudged } = comparison;
  const open = orderedEntries(comparison).filter(({ id }) => unjudged.includes(id));
  if (verdict === 'regressed') {
    const others = open.filter(isOther);
    return `${changedText(comparison, 'regressed')}${others.length > 0 ? `. Not judged: ${valuesText(comparison, others)}` : ''}`;
  }
  if (verdict === 'improved') return changedText(comparison, 'improved');
  const [first] = open;
  if (first) return `Not judged: ${valuesText(comparison, open)}. ${openText(first)}`;
  const shown = orderedEntries(comparison).filter((entry) => having(entry, () => true).length > 0);
  const values = shown[0] ? `: ${betweenText(comparison, shown[0], () => true)}` : '';
  if (verdict === 'same') return `No change${values}`;
  const better =
    entriesWith(comparison, 'improved').length > 0 ? `. Better: ${changedText(comparison, 'improved')}` : '';
  return `No sign of a change${values}${better}`;
};

const isOther = (entry: ComparedEntry): boolean => having(entry, ({ base, value }) => base !== value).length > 0;

/** Returns the values of the open metrics that look changed, or of the first one. */
const valuesText = (comparison: CheckComparison, open: readonly ComparedEntry[]): string => {
  const changed = open.filter(isOther);
  const shown = changed.length > 0 ? changed : open.slice(0, 1);
  const texts = shown.slice(0, 1 + MAX_OTHERS).map((entry) => betweenText(comparison, entry, () => true));
  return [...texts, ...(shown.length > texts.length ? [`${shown.length - texts.length} more`] : [])].join(', ');
};

/** Returns why a metric has no verdict, and how to get one. */
const openText = (entry: ComparedEntry): string => {
  const [found] = having(entry, ({ verdict }) => verdict === 'unknown');
  const text = found ? fullChangeText(entry.name, found[1]) : '';
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
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

/** Returns how several regions are named together. A comparison of one region needs no name. */
export const allRegionsText = (count: number): string => (count === 2 ? 'both regions' : `all ${count} regions`);

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
