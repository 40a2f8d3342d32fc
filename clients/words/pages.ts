import type { MainName } from '../../shared/page-metrics.ts';
import type { PageResult } from '../../shared/pages.ts';
import { changeText } from './change.ts';
import { otherText } from './differences.ts';
import { labels, mainMetrics } from './numbers.ts';

type Change = NonNullable<PageResult['change']>;
type Changed = { name: MainName; of: NonNullable<Change['metrics'][MainName]> };

/** The change of a page from the result before, in words, and the metrics that regressed or improved. */
export type PageChangeWords = { verdict: Change['verdict'] | null; text: string; changed: readonly Changed[] };

/** Returns each result once, by its place. A page whose score changes may stand in two parts of the list. The later part is newer. */
export const byPlace = <Page extends Pick<PageResult, 'url' | 'device' | 'region'>>(pages: readonly Page[]) =>
  new Map(pages.map((page) => [`${page.url} ${page.device} ${page.region}`, page] as const));

export const pageChangeWords = ({ change, state }: Pick<PageResult, 'change' | 'state'>): PageChangeWords => {
  if (!change) return { verdict: null, text: state === 'failed' ? '–' : 'first result', changed: [] };
  const { verdict, metrics, differences, reasons } = change;
  const judged = mainMetrics.flatMap((each): Changed[] => {
    const name = each as MainName;
    const of = metrics[name];
    return of?.verdict === verdict ? [{ name, of }] : [];
  });
  if (verdict !== 'unknown') return { verdict, text: verdict, changed: verdict === 'same' ? [] : judged };
  if (differences.length > 0) {
    return { verdict, text: `not comparable: ${differences.map(otherText).join(', ')}`, changed: [] };
  }
  if (reasons.includes('contended')) return { verdict, text: 'not judged: other programs used the CPU', changed: [] };
  const [open] = judged;
  return {
    verdict,
    text: open ? `unknown: ${labels[open.name]} ${changeText(open.name, open.of)}` : 'unknown',
    changed: [],
  };
};
