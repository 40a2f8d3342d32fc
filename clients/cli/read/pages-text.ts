import { stringify } from 'csv-stringify/sync';
import { interactionTimesOf } from '../../../shared/interactions/series.ts';
import { mainNames } from '../../../shared/metrics/page-metrics.ts';
import { type PageList, type PageResult, type PlacedResult, resultsOf } from '../../../shared/pages/pages.ts';
import { pick } from '../../../shared/pick.ts';
import { csvOptions } from '../../../shared/run-csv.ts';
import { gradeOf, labels, plain } from '../../words/numbers.ts';
import { failureText, pageChangeWords, pagesHeadline, sinceText } from '../../words/pages.ts';
import type { Cell } from '../../words/section.ts';
import { slowestInteraction } from '../../words/slowest-interaction.ts';
import { ago } from '../../words/times.ts';
import { boundedMarkdown } from '../formats/markdown.ts';
import { code, link, prose, tableOf } from '../formats/markdown-syntax.ts';
import { cellMarkdown, cellText } from '../formats/section.ts';
import { fittingTable, paint, signed, type View, wrap } from '../formats/terminal.ts';
import { shortUrl } from '../formats/titles.ts';

/**
 * The pages as the service lists them. `sent` is the time since which the changes are. `server` is the URL of the service, or
 * null if it ends with the command.
 */
export type ListedPages = PageList & {
  isFiltered: boolean;
  isOnePlace: boolean;
  server: string | null;
  now: Date;
  sent: string;
};

/** Shortest part of a URL in the table. Without more room, each page has lines of its own. */
const MIN_URL_WIDTH = 40;

const forms = {
  text: (list: ListedPages, view: View) => textOf(list, view),
  json: ({ isFiltered: _, isOnePlace: _0, server: _1, now: _2, sent: _3, ...list }: ListedPages) =>
    `${JSON.stringify(list, null, 2)}\n`,
  csv: ({ pages }: ListedPages) => csvOf(resultsOf(pages)),
  markdown: (list: ListedPages) => markdownOf(list),
};
export type PagesFormat = keyof typeof forms;

export const pagesIn = (format: PagesFormat, list: ListedPages, view: View): string => forms[format](list, view);

const emptyText = ({ isFiltered }: ListedPages): string =>
  isFiltered
    ? 'No page matches. Leave out a filter to see more pages.'
    : 'No page has a result yet. Audit one: page-audit run https://example.com/';

const textOf = (list: ListedPages, view: View): string => {
  const { server, now, sent } = list;
  const results = resultsOf(list.pages);
  if (results.length === 0) return `${emptyText(list)}\n`;
  const hasRegions = showsRegions(list);
  const regionOf = ({ region }: PlacedResult) => (hasRegions ? [region] : []);
  const hasInteractions = showsInteractions(results);
  const rows = results.map((result) => [
    cellText(scoreOf(result), view),
    ...(hasInteractions ? [cellText(slowestInteraction(result) ?? '', view)] : []),
    cellText(changeCell(result, shortChangeOf(result)), view),
    result.device,
    ...regionOf(result),
    ago(result.createdAt, now.getTime()),
    shortUrl(result.url),
  ]);
  const changeCells = results.map((result) => cellText(changeCell(result, changeOf(result)), view));
  const header = [
    ...[labels.performance, ...(hasInteractions ? ['slowest interaction'] : [])],
    ...[`change ${sinceText(sent)}`, '', ...(hasRegions ? [''] : []), 'measured', 'page'],
  ];
  const narrow = () =>
    rows.flatMap(([score = '', ...cells], i) => [
      ...wrap(paint(cells.at(-1) ?? '', 'heading', view), view.width),
      ...signed(' ', `${score}  ${changeCells[i]}`, view),
      ...(hasInteractions && cells[0] ? signed(' ', cells[0], view) : []),
      ...signed(' ', cells.slice(hasInteractions ? 2 : 1, -1).join(', '), view),
    ]);
  const lines = [
    ...wrap(pagesHeadline(list, sent), view.width),
    '',
    ...(fittingTable([header, ...rows], view, MIN_URL_WIDTH) ?? narrow()),
    ...(server === null ? [] : ['', `Pages   ${server}/pages`]),
  ];
  return `${lines.join('\n')}\n`;
};

const showsInteractions = (results: readonly PageResult[]): boolean => results.some(({ interactions }) => interactions);

/** Returns false if all results are of one region, on a machine where its name says nothing. */
const showsRegions = ({ pages, isOnePlace }: ListedPages): boolean =>
  !isOnePlace || new Set(resultsOf(pages).map(({ region }) => region)).size > 1;

const scoreOf = (result: PageResult): Cell => {
  const { state, performance, device } = result;
  if (state === 'failed') return { text: failureText(result), verdict: 'regressed' };
  return { text: `${performance ?? 'no score'}`, grade: gradeOf('performance', performance, device) };
};

/** Returns the metrics that changed and since when, or why nobody can say. */
const changeOf = (result: PageResult): string => {
  const { text, metrics, since } = pageChangeWords(result);
  if (metrics.length === 0) return text;
  return `${metrics.join(', ')}${since ? ` since ${since}` : ''}`;
};

/** Returns the same for a narrow column: the first metric, without its interval. */
const shortChangeOf = (result: PageResult): string => {
  const { text, metrics, since } = pageChangeWords(result);
  const [first, ...others] = metrics;
  if (!first) return text;
  const more = others.length > 0 ? `, ${others.length} more` : '';
  return `${first.replace(/ \(.*\)$/, '')}${more}${since ? ` since ${since}` : ''}`;
};

/** Returns a change, with the sign of its verdict if there is one. */
const changeCell = ({ change }: PageResult, text: string): Cell => {
  const verdict = change?.verdict;
  return verdict === 'regressed' || verdict === 'improved' ? { text, verdict } : text;
};

const markdownOf = (list: ListedPages): string => {
  const { server, now, sent } = list;
  const results = resultsOf(list.pages);
  if (results.length === 0) return `${prose(emptyText(list))}\n`;
  const hasRegions = showsRegions(list);
  const hasInteractions = showsInteractions(results);
  const rows = results.map((result) => {
    const { device, region, url } = result;
    return [
      cellMarkdown(scoreOf(result)),
      ...(hasInteractions ? [cellMarkdown(slowestInteraction(result) ?? '')] : []),
      cellMarkdown(changeCell(result, changeOf(result))),
      code(url),
      device,
      ...(hasRegions ? [region] : []),
      ago(result.createdAt, now.getTime()),
    ];
  });
  const [head = '', rule = '', ...lines] = tableOf(
    [
      labels.performance,
      ...(hasInteractions ? ['slowest interaction'] : []),
      `change ${prose(sinceText(sent))}`,
      'page',
      'device',
      ...(hasRegions ? ['region'] : []),
      'measured',
    ],
    rows,
  ).slice(1);
  const headline = `**${prose(pagesHeadline(list, sent))}**${server === null ? '' : ` ${link('Pages', `${server}/pages`)}`}`;
  return boundedMarkdown([
    { lines: [headline, '', head, rule] },
    ...lines.map((line) => ({ lines: [line], name: 'row' as const })),
  ]);
};

const changeColumns = ['base', 'change', 'low', 'high', 'verdict'] as const;
const changeFacts = ['verdict', 'changedAt', 'baseCheckId', 'baseCreatedAt'] as const;
const columns = [
  ...['createdAt', 'finishedAt', 'id', 'checkId', 'url', 'region', 'device', 'auditVersion', 'state', 'errorCode'],
  ...mainNames,
  ...['sampleCount', 'contended', 'labels', ...changeFacts, 'unjudged'],
  ...mainNames.flatMap((name) => changeColumns.map((column) => `${column}.${name}`)),
  'interactions',
];

/** Returns the results as CSV, with the columns of `GET /v1/runs` that they have, and the change of each metric. Times are in milliseconds. */
const csvOf = (results: readonly PlacedResult[]): string => stringify(results.map(csvRow), { ...csvOptions, columns });

const csvRow = ({ change, labels: given, numericValues, ...page }: PlacedResult) => ({
  ...page,
  ...numericValues,
  interactions: interactionTimesOf(page.interactions),
  labels: JSON.stringify(given ?? {}),
  ...(change && pick(change, changeFacts)),
  ...Object.fromEntries(
    mainNames.flatMap((name) => {
      const of = change?.metrics[name];
      const cells = [
        plain(of?.base),
        plain(of?.change?.estimate),
        plain(of?.change?.low),
        plain(of?.change?.high),
        of?.verdict,
      ];
      return changeColumns.map((column, i) => [`${column}.${name}`, cells[i]] as const);
    }),
  ),
});
