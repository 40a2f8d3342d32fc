import { stringify } from 'csv-stringify/sync';
import { mainNames } from '../../../shared/page-metrics.ts';
import type { PageList, PageResult } from '../../../shared/pages.ts';
import { pick } from '../../../shared/pick.ts';
import { csvOptions } from '../../../shared/run-csv.ts';
import { shortChangeText } from '../../words/change.ts';
import { counted, gradeOf, gradeSigns, labels, plain } from '../../words/numbers.ts';
import { pageChangeWords } from '../../words/pages.ts';
import { ago } from '../../words/times.ts';
import { verdictSigns } from '../../words/variants.ts';
import { verdictStyles } from './comparison-text.ts';
import { boundedMarkdown, gradeEmojis } from './markdown.ts';
import { code, link, prose, tableOf } from './markdown-syntax.ts';
import { fittingTable, paint, signed, type View, wrap } from './terminal.ts';
import { shortUrl } from './titles.ts';

/** The newest results, worst first. `server` is the URL of the service, or null if it ends with the command. */
export type ListedPages = PageList & { isFiltered: boolean; server: string | null; now: Date };

/** Shortest part of a URL in the table. Without more room, each page has lines of its own. */
const MIN_URL_WIDTH = 40;

const forms = {
  text: (list: ListedPages, view: View) => textOf(list, view),
  json: ({ pages, nextCursor }: ListedPages) => `${JSON.stringify({ pages, nextCursor }, null, 2)}\n`,
  csv: ({ pages }: ListedPages) => csvOf(pages),
  markdown: (list: ListedPages) => markdownOf(list),
};
export type PagesFormat = keyof typeof forms;

export const pagesIn = (format: PagesFormat, list: ListedPages, view: View): string => forms[format](list, view);

const emptyText = ({ isFiltered }: ListedPages): string =>
  isFiltered
    ? 'No page matches. Leave out a filter to see more pages.'
    : 'No page has a result yet. Audit one: page-audit run https://example.com/';

const summaryOf = ({ pages }: ListedPages): string => {
  const count = (verdict: string) => pages.filter(({ change }) => change?.verdict === verdict).length;
  const failed = pages.filter(({ state }) => state === 'failed').length;
  return `${counted(pages.length, 'result')}: ${failed} failed, ${count('regressed')} regressed, ${count('improved')} improved.`;
};

const textOf = (list: ListedPages, view: View): string => {
  const { pages, server, now } = list;
  if (pages.length === 0) return `${emptyText(list)}\n`;
  const rows = pages.map((page) => [
    scoreText(page, view),
    changeCell(page, shortChangeOf(page), view),
    page.device,
    page.region,
    ago(page.createdAt, now.getTime()),
    shortUrl(page.url),
  ]);
  const changeCells = pages.map((page) => changeCell(page, changeOf(page), view));
  const header = [labels.performance, 'change', '', '', 'measured', 'page'];
  const narrow = () =>
    rows.flatMap(([score = '', _, device, region, when, url = ''], i) => [
      ...wrap(paint(url, 'heading', view), view.width),
      ...signed(' ', `${score}  ${changeCells[i]}`, view),
      ...signed(' ', [device, region, when].join(', '), view),
    ]);
  const lines = [
    ...(fittingTable([header, ...rows], view, MIN_URL_WIDTH) ?? narrow()),
    '',
    ...wrap(summaryOf(list), view.width),
    ...(server === null ? [] : [`Pages   ${server}/pages`]),
  ];
  return `${lines.join('\n')}\n`;
};

const scoreText = ({ state, performance, errorCode, device }: PageResult, view: View): string => {
  if (state === 'failed') return paint(`✘ ${errorCode}`, 'poor', view);
  const grade = gradeOf('performance', performance, device);
  return paint(`${gradeSigns[grade]} ${performance ?? 'no score'}`, grade, view);
};

/** Returns the verdict, and the first metric that has it. */
const changeOf = (page: PageResult): string => {
  const { verdict, text, changed } = pageChangeWords(page);
  const [first, ...others] = changed;
  if (!first) return text;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return `${verdict}: ${labels[first.name]} ${shortChangeText(first.name, first.of)}${more}`;
};

/** Returns the same for a narrow column, without the interval. */
const shortChangeOf = (page: PageResult): string => {
  const { text, changed } = pageChangeWords(page);
  const [first, ...others] = changed;
  if (!first) return text.split(':')[0] ?? '';
  const estimate = shortChangeText(first.name, first.of).replace(/ \(.*\)$/, '');
  return `${labels[first.name]} ${estimate}${others.length > 0 ? `, ${others.length} more` : ''}`;
};

const changeCell = ({ change }: PageResult, text: string, view: View): string =>
  change ? paint(`${verdictSigns[change.verdict]} ${text}`, verdictStyles[change.verdict], view) : text;

const changeEmojis = { regressed: '❌ ', improved: '✅ ', same: '', unknown: '' };

const markdownOf = (list: ListedPages): string => {
  const { pages, server, now } = list;
  if (pages.length === 0) return `${prose(emptyText(list))}\n`;
  const rows = pages.map((page) => {
    const { state, performance, errorCode, device, region, url, change } = page;
    const score =
      state === 'failed'
        ? `❌ ${prose(errorCode ?? 'failed')}`
        : `${gradeEmojis[gradeOf('performance', performance, device)]} ${performance ?? 'no score'}`.trim();
    const when = ago(page.createdAt, now.getTime());
    return [
      score,
      (change ? changeEmojis[change.verdict] : '') + prose(changeOf(page)),
      code(url),
      device,
      region,
      when,
    ];
  });
  const [head = '', rule = '', ...lines] = tableOf(
    [labels.performance, 'change', 'page', 'device', 'region', 'measured'],
    rows,
  ).slice(1);
  return boundedMarkdown([
    {
      lines: [
        `**${prose(summaryOf(list))}**${server === null ? '' : ` ${link('Pages', `${server}/pages`)}`}`,
        '',
        head,
        rule,
      ],
    },
    ...lines.map((line) => ({ lines: [line], name: 'row' as const })),
  ]);
};

const changeColumns = ['base', 'change', 'low', 'high', 'verdict'] as const;
const columns = [
  ...['createdAt', 'finishedAt', 'id', 'checkId', 'url', 'region', 'device', 'auditVersion', 'state', 'errorCode'],
  ...mainNames,
  ...['sampleCount', 'contended', 'labels', 'verdict', 'baseCheckId', 'baseCreatedAt'],
  ...mainNames.flatMap((name) => changeColumns.map((column) => `${column}.${name}`)),
];

/** Returns the results as CSV, with the columns of `GET /v1/runs` that they have, and the change of each metric. Times are in milliseconds. */
const csvOf = (pages: readonly PageResult[]): string => stringify(pages.map(csvRow), { ...csvOptions, columns });

const csvRow = ({ change, labels: given, numericValues, ...page }: PageResult) => ({
  ...page,
  ...numericValues,
  labels: JSON.stringify(given ?? {}),
  ...(change && pick(change, ['verdict', 'baseCheckId', 'baseCreatedAt'])),
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
