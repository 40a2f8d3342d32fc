import { namesOfKind, valueNames } from './metrics/page-metrics.ts';
import type { RunSummary } from './summaries.ts';

const columns = [
  ...['createdAt', 'finishedAt', 'id', 'checkId', 'url', 'region', 'device', 'auditVersion', 'state', 'errorCode'],
  ...namesOfKind('score'),
  ...valueNames,
  ...['sampleCount', 'contended', 'benchmarkIndex', 'host', 'chromium', 'labels', 'throttling', 'blockedUrlPatterns'],
];

/** Options of csv-stringify for runs as RFC 4180 text. A value that a spreadsheet would take for a formula is escaped. */
export const csvOptions = {
  header: true,
  columns,
  record_delimiter: '\r\n',
  escape_formulas: true,
  cast: { boolean: String },
} as const;

/** Returns the cells of a run. Times are in milliseconds. Values of throttling are JSON. */
export const csvRow = ({ numericValues, labels, ...run }: Omit<RunSummary, 'links'>) => ({
  ...run,
  ...numericValues,
  labels: JSON.stringify(labels ?? {}),
});
