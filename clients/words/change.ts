import type { CheckComparison, RegionComparison } from '../../shared/comparison/schemas.ts';
import { type JudgedName, judgedMetric } from '../../shared/interactions/metrics.ts';
import type { MetricKind, MetricName } from '../../shared/metrics/page-metrics.ts';
import { grouped } from '../../shared/text.ts';
import { plain, scaleOf } from './numbers.ts';

type Compared = NonNullable<CheckComparison['metrics'][MetricName]['regions'][CheckComparison['regions'][number]]>;
type Judged = Pick<Compared, 'change' | 'noise' | 'suspected' | 'needs'>;
type ComparedChange = Judged & Pick<Compared, 'verdict'> & Partial<Pick<Compared, 'base' | 'value'>>;
type Numbers = { estimate: number; low: number; high: number; confidence: number };

/** Returns how a metric changed between two checks, and how sure that is, for a column of a table. */
export const briefChangeText = (name: JudgedName, { verdict, base, value, ...judged }: ComparedChange): string => {
  const numbers = numbersOf(judged);
  if (!numbers) return 'not measured on both sides';
  if (verdict === 'same') return `${sameText(name, numbers)}${orderText(name, judged, { base, value })}`;
  if (verdict === 'unknown') return openText(name, judged, numbers, changeWords);
  return `${changeWords.suspected(name, numbers)}${intervalText(name, numbers)}`;
};

/** Returns the same, and what would give a verdict if there is none. */
export const changeText = (name: JudgedName, compared: ComparedChange): string =>
  `${briefChangeText(name, compared)}${needsText(compared)}`;

/** Returns the same, and how much the metric moves by itself if there is no verdict. */
export const fullChangeText = (name: JudgedName, compared: ComparedChange): string => {
  const moves = compared.verdict === 'unknown' && compared.needs ? movesText(name, compared.noise) : '';
  return `${changeText(name, compared)}${moves}`;
};

/** Returns how a metric changed in regions with the same verdict: the range of their changes, and an interval that holds theirs. */
export const sharedChangeText = (name: JudgedName, all: readonly ComparedChange[]): string => {
  const [first = '', ...others] = new Set(all.map((each) => changeText(name, each)));
  const numbers = all.flatMap((each) => numbersOf(each) ?? []);
  if (others.length === 0 || numbers.length === 0) return first;
  const [least = 0, most = 0] = rangeOf(numbers.map(({ estimate }) => Math.abs(estimate)));
  const [low = 0, high = 0] = rangeOf(numbers.flatMap((each) => [each.low, each.high]));
  const { text, unit } = scaleFor(name, most);
  const size = text(least) === text(most) ? text(most) : `${text(least)} to ${text(most)}`;
  const isHigher = (numbers[0]?.estimate ?? 0) > 0;
  return `${size}${unit} ${wordFor(name, isHigher)}${intervalText(name, { estimate: most, low, high })}`;
};

const rangeOf = (values: readonly number[]) => [Math.min(...values), Math.max(...values)];

/** Returns how far the best and the worst region of a check are apart, and how sure that is. Empty if only one has the metric. */
export const regionsText = (
  name: MetricName,
  { verdict, best, ...judged }: RegionComparison['metrics'][MetricName],
): string => {
  const numbers = numbersOf(judged);
  if (!numbers) return '';
  const size = `${sizeText(name, numbers)}${intervalText(name, numbers)}`;
  const different = best === null ? `${size} apart` : `${best} better by ${size}`;
  if (verdict === 'same') return sameText(name, numbers);
  if (verdict === 'different') return different;
  return openText(name, judged, numbers, { excluded: apartText, suspected: () => different });
};

/** Returns a change with signs for a narrow column, such as `−426 ms (−569 to −416)`. Points have no unit. Without a clear change, returns its interval. */
export const shortChangeText = (name: JudgedName, { verdict, ...judged }: ComparedChange): string => {
  const numbers = numbersOf(judged);
  if (!numbers) return '–';
  if (verdict === 'same' || verdict === 'unknown') return rangeText(name, numbers).replace(/ points?$/, '');
  const { text, unit } = scaleFor(name, Math.abs(numbers.estimate));
  const [estimate, low, high] = [numbers.estimate, numbers.low, numbers.high].map((value) => signedText(value, text));
  const shownUnit = judgedMetric(name).kind === 'score' ? '' : unit;
  return `${estimate}${shownUnit}${low === high ? '' : ` (${low} to ${high})`}`;
};

const numbersOf = ({ change }: Pick<Judged, 'change'>): Numbers | undefined =>
  change
    ? {
        estimate: plain(change.estimate) ?? 0,
        low: plain(change.low) ?? 0,
        high: plain(change.high) ?? 0,
        confidence: change.confidence,
      }
    : undefined;

/** Words for a value that became higher or lower. */
const words: Record<MetricKind, readonly [higher: string, lower: string]> = {
  score: ['higher', 'lower'],
  time: ['slower', 'faster'],
  shift: ['higher', 'lower'],
  bytes: ['more', 'less'],
  count: ['more', 'fewer'],
};

const wordFor = (name: JudgedName, isHigher: boolean): string => words[judgedMetric(name).kind][isHigher ? 0 : 1];

const sameText = (name: JudgedName, { low, high }: Numbers): string => {
  const most = Math.max(Math.abs(low), Math.abs(high));
  const { text } = scaleFor(name, most);
  return text(most) === text(0) ? 'same' : `same, at most ${sizeText(name, { estimate: most })} apart`;
};

/** Returns why equal loads show other values. Empty if they don't. */
const orderText = (
  name: JudgedName,
  { change }: Pick<Judged, 'change'>,
  { base, value }: Pick<ComparedChange, 'base' | 'value'>,
): string => {
  const [before, after, estimate] = [plain(base), plain(value), plain(change?.estimate)];
  if (!change?.steady || before === null || after === null || estimate === null) return '';
  const { difference, share } = judgedMetric(name).smallest;
  const isOther = Math.abs(after - before - estimate) > Math.max(difference, share * Math.max(before, after));
  return isOther ? ' if paints and layouts come in one order' : '';
};

type Words = {
  excluded: (name: JudgedName, numbers: Numbers) => string;
  suspected: (name: JudgedName, numbers: Pick<Numbers, 'estimate'>) => string;
};

/** Returns what the interval of a metric without a verdict excludes. */
const openText = (name: JudgedName, { needs, suspected }: Judged, numbers: Numbers, words: Words): string => {
  if (judgedMetric(name).unjudged) return `never judged (${rangeText(name, numbers)})`;
  if (!needs) return `not comparable (${rangeText(name, numbers)})`;
  if (numbers.confidence < 0.9) return 'too few samples';
  return suspected ? `perhaps ${words.suspected(name, numbers)}, or chance` : words.excluded(name, numbers);
};

/** Says how large a change would have been seen. A change for the worse comes first. */
const changeWords: Words = {
  excluded: (name, { low, high }) => {
    const { text } = scaleFor(name, Math.max(-low, high));
    const ends = judgedMetric(name).better === 'lower' ? [high, low] : [low, high];
    const estimate = ends.find((end) => text(Math.abs(end)) !== text(0)) ?? high;
    return `no clear change, at most ${changeWords.suspected(name, { estimate })}`;
  },
  suspected: (name, numbers) => `${sizeText(name, numbers)} ${wordFor(name, numbers.estimate > 0)}`,
};

const apartText = (name: JudgedName, { low, high }: Numbers): string => {
  const estimate = Math.max(Math.abs(low), Math.abs(high));
  return `at most ${sizeText(name, { estimate })} apart`;
};

/** Returns how much a metric moves from check to check without a change of the page. */
const movesText = (name: JudgedName, noise: Judged['noise']): string => {
  const between = plain(noise?.between);
  if (!between) return '';
  const { text, unit } = scaleFor(name, between);
  if (text(between) === text(0)) return '';
  return `. Its ${judgedMetric(name).shortTitle ?? judgedMetric(name).title} moves by some ${text(between)}${unit} from check to check`;
};

/** Returns what would give a verdict, or nothing if there is one. */
export const needsText = ({ needs }: Pick<Judged, 'needs'>): string => {
  if (!needs) return '';
  const number = needs.count < 100 ? `${needs.count}` : '100 or more';
  return `; ${number} ${needs.kind === 'turns' ? 'pairs in turns' : `${needs.kind} a side`} would tell`;
};

/** Returns an interval with signs: `−60 to +210 ms`. */
const rangeText = (name: JudgedName, { low, high }: Numbers): string => {
  const { text, unit } = scaleFor(name, Math.max(Math.abs(low), Math.abs(high)));
  const ends = [...new Set([signedText(low, text), signedText(high, text)])];
  return `${ends.join(' to ')}${unit}`;
};

const signedText = (value: number, text: (value: number) => string): string => {
  const size = text(Math.abs(value));
  return size === text(0) ? size : `${value < 0 ? '−' : '+'}${size}`;
};

const sizeText = (name: JudgedName, { estimate }: Pick<Numbers, 'estimate'>): string => {
  const { text, unit } = scaleFor(name, Math.abs(estimate));
  return `${text(Math.abs(estimate))}${unit}`;
};

/** Returns the interval in the unit of the estimate, or nothing if its ends look the same. */
const intervalText = (name: JudgedName, { estimate, low, high }: Omit<Numbers, 'confidence'>): string => {
  const { text } = scaleFor(name, Math.abs(estimate));
  const [from, to] = [Math.abs(low), Math.abs(high)].sort((a, b) => a - b).map(text);
  return from === to ? '' : ` (${from} to ${to})`;
};

type Scale = { text: (value: number) => string; unit: string };

/** Returns how the numbers of one text are written, so that all have the unit of the largest. */
const scaleFor = (name: JudgedName, largest: number): Scale => {
  const { kind } = judgedMetric(name);
  if (kind === 'score') return { text: whole, unit: largest === 1 ? ' point' : ' points' };
  if (kind === 'shift') return { text: (value) => value.toFixed(largest < 0.01 ? 3 : 2), unit: '' };
  if (kind === 'count') return { text: whole, unit: '' };
  const { unit, format } = scaleOf(kind, largest);
  return { text: format, unit: ` ${unit}` };
};

const whole = (value: number): string => grouped(Math.round(value));
