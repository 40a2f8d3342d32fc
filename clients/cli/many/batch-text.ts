import type { MetricName } from '../../../shared/metrics/page-metrics.ts';
import type { RunView } from '../../../shared/run.ts';
import { gradeSigns, labels, numberOf } from '../../words/numbers.ts';
import { type Cell, gradedCell } from '../../words/section.ts';
import { countOfFailed, nextLines, nextStepOf, signOf, worstOutcome } from '../formats/headline.ts';
import { boundedMarkdown, outcomeSigns, partOfCheck } from '../formats/markdown.ts';
import { code, link, prose, tableOf, tableRows } from '../formats/markdown-syntax.ts';
import { sampleNotes } from '../formats/notes.ts';
import { outcomeOf, worstFirst } from '../formats/outcome.ts';
import { type FormatName, render } from '../formats/render.ts';
import { cellMarkdown, cellText } from '../formats/section.ts';
import { fittingTable, paint, signed, type View, wrap } from '../formats/terminal.ts';
import { problemLines } from '../formats/text.ts';
import { linkOf, shortUrl, titleOf } from '../formats/titles.ts';
import type { CheckResult } from '../run/result.ts';

/** Metrics of the table, in the order of its columns. */
const columns: readonly MetricName[] = ['performance', 'accessibility', 'lcp', 'tbt', 'cls'];

/** Shortest width of a page's name before the table is a list. */
const MIN_NAME_WIDTH = 12;

/** The name of a batch is the value of the label `batch` of its checks. */
type Batch = { name: string };

/** Returns many checks in a format, worst first. Text and Markdown are one table, and the details of the failed checks. */
export const renderBatch =
  (batch: Batch) =>
  async (results: readonly CheckResult[], format: FormatName, view: View): Promise<string> => {
    const ordered = worstFirst(results);
    if (format === 'text') return textOf(ordered, batch, view);
    return format === 'markdown' ? markdownOf(ordered, batch) : render(ordered, format, view);
  };

const problemsIn = (results: readonly CheckResult[]) =>
  results.filter((each) => ['bad', 'unjudged'].includes(outcomeOf(each)));

const listCommand = ({ name }: Batch): string => `page-audit list --label batch=${name}`;

/** Returns the origin that all pages share, so that a row shows the path only. */
const commonOrigin = (results: readonly CheckResult[]): string | undefined => {
  const [first = ''] = results.map(({ check }) => check.url);
  const origin = URL.canParse(first) ? new URL(first).origin : undefined;
  return results.every(({ check }) => check.url.startsWith(`${origin}/`)) ? origin : undefined;
};

/** The rows of a check: one for each region. */
const rowsOf = (results: readonly CheckResult[]) => {
  const origin = commonOrigin(results);
  const [hasDevices, hasRegions] = [
    new Set(results.map(({ check }) => check.device ?? 'mobile')).size > 1,
    results.some(({ check }) => check.runs.length > 1),
  ];
  return results.flatMap((result) => {
    const { url, device = 'mobile', runs } = result.check;
    const page = shortUrl(origin === undefined ? url : url.slice(origin.length));
    return runs.map((run) => ({
      result,
      run,
      page,
      facts: [...(hasDevices ? [device] : []), ...(hasRegions ? [run.region] : [])],
    }));
  });
};

const columnsOf = (runs: readonly RunView[]): readonly MetricName[] =>
  columns.filter((name) => runs.some((run) => numberOf(run, name) !== null));

const textOf = (results: readonly CheckResult[], batch: Batch, view: View): string => {
  const rows = rowsOf(results);
  const names = columnsOf(rows.map(({ run }) => run));
  const cells = rows.map(({ result, run, page, facts }) => [
    outcomeOf(result) === 'good' ? ' ' : signOf(outcomeOf(result), view),
    ...names.map((name) => cellText(valueIn(run, name), view)),
    ...facts,
    page,
  ]);
  const facts = rows[0]?.facts.map(() => '') ?? [];
  const header = ['', ...names.map((name) => labels[name]), ...facts, ''];
  const next = nextStepOf(results);
  const readWith = results[0]?.readWith ?? null;
  const lines = [
    ...signed(signOf(worstOutcome(results), view), countOfFailed(results), view),
    ...wrap(paint(titleOfBatch(results), 'heading', view), view.width),
    ...(fittingTable([header, ...cells], view, MIN_NAME_WIDTH) ?? listOf(cells, names, view)),
    ...wrap(`${gradeSigns.pass} good  ${gradeSigns.work} needs work  ${gradeSigns.poor} poor`, view.width),
    ...problemsIn(results).flatMap((each) => ['', ...wrap(titleOf(each).url, view.width), ...problemLines(each, view)]),
    '',
    ...sampleNotes(results).flatMap((text) => signed(paint('!', 'work', view), text, view)),
    ...(readWith === null ? [] : nextLines(`To list the checks:  ${listCommand(batch)}${readWith}`, view)),
    ...(next ? nextLines(next, view) : []),
  ];
  return `${lines.join('\n')}\n`;
};

const titleOfBatch = (results: readonly CheckResult[]): string => {
  const [first] = results;
  if (!first) return 'No page was audited.';
  return `${commonOrigin(results) ?? `${results.length} checks`}   ${titleOf(first).facts}`;
};

/** Returns a value without the range of its samples, for which a row has no room. */
const valueIn = (run: RunView, name: MetricName): Cell => gradedCell(name, numberOf(run, name), run.device);

const listOf = (rows: readonly (readonly string[])[], names: readonly MetricName[], view: View): string[] =>
  rows.flatMap((row) => {
    const values = names.map((name, i) => `${labels[name]} ${row[i + 1]}`);
    return signed(row[0] ?? '', [row.at(-1), ...values, ...row.slice(names.length + 1, -1)].join('  '), view);
  });

const markdownOf = (results: readonly CheckResult[], batch: Batch): string => {
  const rows = rowsOf(results);
  const names = columnsOf(rows.map(({ run }) => run));
  const cells = rows.map(({ result, run, page, facts }) => {
    const report = linkOf(result);
    return [
      outcomeSigns[outcomeOf(result)],
      ...names.map((name) => cellMarkdown(valueIn(run, name))),
      ...facts.map(prose),
      code(page),
      report ? link('Report', report) : '',
    ];
  });
  const facts = rows[0]?.facts.map(() => '') ?? [];
  const headers = ['', ...names.map((name) => labels[name]), ...facts, 'page', ''];
  return boundedMarkdown([
    {
      lines: [
        `**${countOfFailed(results)}** ${prose(titleOfBatch(results))}`,
        '',
        ...sampleNotes(results).map((text) => `- ⚠️ ${prose(text)}`),
        `To list the checks: ${code(listCommand(batch))}`,
        ...tableOf(headers, []).slice(0, -1),
      ],
    },
    ...tableRows(cells).map((line) => ({ lines: [line], name: 'row' as const })),
    { lines: [''] },
    ...problemsIn(results).map(partOfCheck),
  ]);
};
