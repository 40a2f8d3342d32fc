import type { MainName } from '../../shared/metrics/page-metrics.ts';
import type { PageList, PageResult } from '../../shared/pages/pages.ts';
import { shortChangeText } from './change.ts';
import { counted, labels, mainMetrics } from './numbers.ts';
import { localDay } from './times.ts';

/** Time since which a list of pages says what has changed, unless its reader chooses another. */
export const USUAL_SINCE = '7d';

const sinceNames: Readonly<Record<string, string>> = {
  previous: 'since the check before',
  '1d': 'since yesterday',
  '7d': 'this week',
  '30d': 'this month',
  '365d': 'this year',
};

/** Returns the words for the time of a list, such as `this week`. */
export const sinceText = (since: string = USUAL_SINCE): string =>
  sinceNames[since] ?? (/^\d+d$/.test(since) ? `in ${Number.parseInt(since, 10)} days` : `since ${since}`);

/** Returns the first line of a list of pages: how many got worse, and how many have no verdict. */
export const pagesHeadline = ({ counts, cut }: Pick<PageList, 'counts' | 'cut'>, since?: string): string => {
  const { total, worse, failed, better, unchanged, untold } = counts;
  const [first, ...others] = [
    worse === 0 ? `No page got worse ${sinceText(since)}` : `${counted(worse, 'page')} got worse ${sinceText(since)}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(better > 0 ? [`${better} better`] : []),
    ...(unchanged > 0 ? [`${unchanged} without a sign of a change`] : []),
    ...(untold > 0 ? [`${untold} with too few checks to tell`] : []),
  ];
  const size = `${counted(total, 'page')}${cut ? ' that the list reads, and there are more' : ''}`;
  return `${[first, ...others].join(', ')}, of ${size}.`;
};

/** Returns the pages once. A page whose score changes may stand in two parts of a list. The later part is newer. */
export const uniquePages = <Page extends { url: string }>(pages: readonly Page[]): Page[] => [
  ...new Map(pages.map((page) => [page.url, page] as const)).values(),
];

const unjudgedTexts: Readonly<Record<NonNullable<PageResult['unjudged']>, string>> = {
  failed: '–',
  'too-few-checks': 'too few checks',
  'other-inputs': 'other inputs before',
  'no-later-check': 'no check since',
};

/** The change of a page in words: its verdict, a short text, and the text of each metric that changed, the score first. */
export type PageChangeWords = {
  verdict: NonNullable<PageResult['change']>['verdict'] | null;
  text: string;
  metrics: string[];
  since: string | null;
};

export const pageChangeWords = ({ change, unjudged }: Pick<PageResult, 'change' | 'unjudged'>): PageChangeWords => {
  if (!change) return { verdict: null, text: unjudgedTexts[unjudged ?? 'too-few-checks'], metrics: [], since: null };
  const { verdict, metrics, changedAt } = change;
  const textOf = (name: MainName) => {
    const of = metrics[name];
    return of ? `${name === 'performance' ? '' : `${labels[name]} `}${shortChangeText(name, of)}` : '';
  };
  if (verdict === 'same' || verdict === 'unknown') {
    const range = metrics.performance ? ` (${textOf('performance')})` : '';
    return { verdict, text: `no sign of a change${range}`, metrics: [], since: null };
  }
  const changed = mainMetrics.filter((name) => metrics[name as MainName]?.verdict === verdict) as MainName[];
  const texts = changed.map(textOf);
  const since = changedAt && localDay(changedAt);
  return { verdict, text: `${texts[0]}${since ? ` since ${since}` : ''}`, metrics: texts, since };
};

/** Returns what a failed result says: the status of the server, or the code of its error. */
export const failureText = ({ errorCode, errorMessage }: Pick<PageResult, 'errorCode' | 'errorMessage'>): string => {
  const status = /\bstatus (\d{3})\b/.exec(errorMessage ?? '')?.[1];
  return status ? `${errorCode} ${status}` : (errorCode ?? 'failed');
};
