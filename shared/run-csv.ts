import { type FactsOfCells, factCells, factsIn } from './measured.ts';
import { metricNames, namesOfKind, valueNames } from './metrics/page-metrics.ts';
import type { RunSummary, RunsOfDay } from './summaries.ts';

const columns = [
  ...['createdAt', 'finishedAt', 'id', 'checkId', 'url', 'region', 'device', 'auditVersion', 'state', 'errorCode'],
  ...namesOfKind('score'),
  ...valueNames,
  ...['sampleCount', 'contended', 'benchmarkIndex', 'host', 'chromium', 'labels', 'throttling', 'blockedUrlPatterns'],
  ...factsIn('csv'), // a new fact is last
];

/** Options of csv-stringify for runs as RFC 4180 text. A value that a spreadsheet would take for a formula is escaped. */
export const csvOptions = {
  header: true,
  columns: [...new Set(columns)],
  record_delimiter: '\r\n',
  escape_formulas: true,
  cast: { boolean: String },
} as const;

/** The same for the medians of days. */
export const dayCsvOptions = {
  ...csvOptions,
  columns: [
    ...csvOptions.columns,
    ...['day', 'runs', 'failed', 'contendedRuns'],
    ...metricNames.flatMap((name) => [`${name}Min`, `${name}Max`]),
  ],
};

type Row = Omit<RunSummary, 'links' | keyof FactsOfCells> & FactsOfCells;

/** Returns the cells of a run. Times are in milliseconds. Lists and objects are JSON. */
export const csvRow = ({ numericValues, labels, day, ...run }: Row) => ({
  ...run,
  ...factCells(run),
  ...numericValues,
  ...(day && dayCells(day)),
  labels: JSON.stringify(labels ?? {}),
});

const dayCells = ({ date, runs, failed, contended, range }: RunsOfDay) => ({
  day: date,
  runs,
  failed,
  contendedRuns: contended,
  ...Object.fromEntries(
    metricNames.flatMap((name) => [
      [`${name}Min`, range[name]?.min ?? null],
      [`${name}Max`, range[name]?.max ?? null],
    ]),
  ),
});
