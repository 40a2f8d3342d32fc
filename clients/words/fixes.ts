import type { Fix, FixItem } from '../../shared/fixes/fix.ts';
import { pageMetrics } from '../../shared/metrics/page-metrics.ts';
import { labels, textOf } from './numbers.ts';

/** Returns the name of the category that gains the points. Interactions have none. */
export const categoryText = ({ category }: Pick<Fix, 'category'>): string =>
  category === 'interactions' ? 'Interactions' : categoryTitle(category);

const categoryTitle = (category: string): string =>
  Object.values(pageMetrics).find((metric) => metric.kind === 'score' && metric.category === category)?.title ??
  category;

/** Returns the points that a fix gains at most, in whole points. Returns a dash if Lighthouse estimates none. */
export const pointsText = ({ points }: Pick<Fix, 'points'>): string => {
  if (!points) return '–';
  return points < 1 ? '<1' : `${Math.round(points)}`;
};

/** Returns what a fix saves at most: the longest time with its metric, the CLS, and the bytes. Returns nothing without an estimate. */
export const savingsText = ({ savings }: Pick<Fix, 'savings'>): string => {
  const { fcp, lcp, tbt, ms, cls, bytes } = savings;
  const times = [
    { of: labels.lcp, value: lcp },
    { of: labels.fcp, value: fcp },
    { of: labels.tbt, value: tbt },
    { of: 'the load', value: ms },
  ].flatMap(({ of, value }) => (value === null ? [] : [{ of, value }]));
  const longest = times.toSorted((a, b) => b.value - a.value)[0];
  return [
    longest && `${textOf('lcp', longest.value)} of ${longest.of}`,
    cls !== null && `${textOf('cls', cls)} of ${labels.cls}`,
    bytes !== null && textOf('bytes', bytes),
  ]
    .filter(Boolean)
    .join(', ');
};

/** Returns a warning about a fix whose time may not be that of the page, or nothing. */
export const doubtText = ({ contended }: Pick<Fix, 'contended'>): string =>
  contended ? "Perhaps the machine's time: it was busy." : '';

/** Returns the file or the element of an item, its HTML or words, and its size and time. */
export const itemText = ({ url, selector, snippet, bytes, ms }: FixItem): string =>
  [
    url ?? selector,
    url === null || selector === null ? snippet : null,
    bytes !== null && textOf('bytes', bytes),
    ms !== null && textOf('lcp', ms),
  ]
    .filter(Boolean)
    .join('  ');
