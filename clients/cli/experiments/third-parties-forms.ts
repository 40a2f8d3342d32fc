import { stringify } from 'csv-stringify/sync';
import { csvOptions } from '../../../shared/run-csv.ts';
import { shortChangeText } from '../../words/change.ts';
import { auditFacts } from '../../words/facts.ts';
import { labels, plain, textOf } from '../../words/numbers.ts';
import { verdictSigns } from '../../words/section.ts';
import { builder } from '../formats/junit.ts';
import { code, link, prose, tableOf } from '../formats/markdown-syntax.ts';
import { grouped } from '../formats/metrics.ts';
import type { FormatName } from '../formats/render.ts';
import { labelled, paint, signed, table, type View, wrap } from '../formats/terminal.ts';
import { linkOf, shortUrl } from '../formats/titles.ts';
import {
  type Bill,
  type BilledParties,
  billedMetrics,
  billVerdict,
  changeIn,
  costsOf,
  warningsIn,
} from './measured-parties.ts';

/** Returns a bill in a format. Only text depends on the terminal. A format without a form of a bill prints JSON. */
export const billIn = (format: FormatName, bill: Bill, view: View): string => (forms[format] ?? jsonOfBill)(bill, view);

const columns = ['without', 'main thread', ...billedMetrics.map((name) => labels[name]), 'the page is'];

const cellsOf = (row: BilledParties): string[] => {
  const { mainThreadMs } = costsOf(row);
  const changes = billedMetrics.map((name) => {
    const change = changeIn(row, name);
    return change?.change ? `${verdictSigns[change.verdict]} ${shortChangeText(name, change)}` : '–';
  });
  return [row.name, textOf('tbt', mainThreadMs), ...changes, billVerdict(row)];
};

/** Returns the sentences below the table: a warning names its row. */
const notesOf = ({ rows, untried }: Bill): string[] => [
  ...grouped(
    rows.flatMap((row) => warningsIn(row).map((text) => ({ name: row.name, text }))),
    ({ text }) => text,
  ).map((group) => `Without ${group.map(({ name }) => name).join(', ')}: ${group[0]?.text}`),
  ...(untried.length > 0
    ? [`Not blocked, because they cost less: ${untried.map(({ name }) => name).join(', ')}.`]
    : []),
];

const factsOf = ({ survey, rows, isOnePlace }: Bill): string => {
  const [first] = rows;
  const { samples } = first?.check ?? survey;
  return [...(isOnePlace ? [] : survey.regions), ...auditFacts({ ...survey, samples })].join(', ');
};

const signsText = '✓ better  ✘ worse  = same  ? unclear, with the interval that holds the change';

const textOfBill = (bill: Bill, view: View): string => {
  const rows = bill.rows.map(cellsOf);
  const blocks = () =>
    rows.flatMap(([name = '', ...cells]) => [
      '',
      paint(name, 'heading', view),
      ...cells.flatMap((cell, i) => labelled(columns[i + 1] ?? '', cell, view)),
    ]);
  const lines = [
    ...wrap(`${paint(shortUrl(bill.survey.url), 'heading', view)}   ${factsOf(bill)}`, view.width),
    ...(table([columns, ...rows], view) ?? blocks()),
    ...wrap(signsText, view.width).map((line) => paint(line, 'unknown', view)),
    ...notesOf(bill).flatMap((text) => signed(paint('!', 'work', view), text, view)),
  ];
  return `${lines.join('\n')}\n`;
};

const markdownOfBill = (bill: Bill): string => {
  const { server, survey } = bill;
  const page = linkOf({ check: survey, server });
  const lines = [
    `### ${code(shortUrl(survey.url))}`,
    '',
    prose(factsOf(bill)) + (page ? ` · ${link('Report', page)}` : ''),
    ...tableOf(
      columns,
      bill.rows.map(cellsOf).map((cells) => cells.map(prose)),
    ),
    `<sub>${signsText}</sub>`,
    '',
    ...notesOf(bill).map((text) => `- ⚠️ ${prose(text)}`),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
};

/** Returns a row as programs read it: numbers, and the change of each metric as in a comparison. */
const asData = (row: BilledParties) => ({
  name: row.name,
  origins: row.parties.flatMap(({ origins }) => origins),
  ...costsOf(row),
  verdict: billVerdict(row),
  metrics: Object.fromEntries(billedMetrics.map((name) => [name, changeIn(row, name) ?? null])),
  warnings: warningsIn(row),
  checkId: row.check.id,
  state: row.check.state,
});

const jsonOfBill = ({ survey, server, rows, untried }: Bill): string => {
  const { id, url, auditVersion, regions, device = 'mobile' } = survey;
  const audited = { url, checkId: id, auditVersion, region: regions[0], device };
  const data = {
    ...audited,
    thirdParties: rows.map(asData),
    untried,
    pageUrl: linkOf({ check: survey, server }) ?? null,
  };
  return `${JSON.stringify(data, null, 2)}\n`;
};

const csvOfBill = ({ rows }: Bill): string =>
  stringify(
    rows.map((row) => {
      const { origins, metrics, warnings, ...cells } = asData(row);
      const changes = Object.entries(metrics).flatMap(([name, compared]) => {
        const { estimate, low, high } = compared?.change ?? {};
        const numbers = Object.entries({ change: estimate, low, high }).map(([of, value]) => [
          `${of}.${name}`,
          plain(value),
        ]);
        return [...numbers, [`verdict.${name}`, compared?.verdict ?? null]];
      });
      return { ...cells, origins: origins.join(' '), ...Object.fromEntries(changes), warnings: warnings.join(' ') };
    }),
    { header: true, record_delimiter: '\r\n', escape_formulas: csvOptions.escape_formulas },
  );

const junitOfBill = ({ survey, rows }: Bill): string => {
  const report = builder.newBuilder();
  const suite = report
    .testSuite()
    .name(`third parties of ${shortUrl(survey.url)}`)
    .timestamp(survey.createdAt);
  for (const row of rows) {
    const test = suite.testCase().className(shortUrl(survey.url)).name(`without ${row.name}`);
    const error = row.check.runs.find((run) => run.error)?.error;
    if (error?.blame === 'page') test.failure(error.message, error.code);
    else if (error) test.error(error.message, error.code);
    else if (!row.base) test.skipped();
    const [, ...cells] = cellsOf(row);
    test.standardOutput([...cells.map((cell, i) => `${columns[i + 1]} ${cell}`), ...warningsIn(row)].join('\n'));
  }
  return `${report.build()}\n`;
};

const forms: Partial<Record<FormatName, (bill: Bill, view: View) => string>> = {
  text: textOfBill,
  markdown: markdownOfBill,
  json: jsonOfBill,
  csv: csvOfBill,
  junit: junitOfBill,
};
