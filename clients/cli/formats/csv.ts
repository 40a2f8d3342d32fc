import { stringify } from 'csv-stringify/sync';
import type { CheckView } from '../../../shared/check.ts';
import { interactionMetricId, interactionMetricsOf } from '../../../shared/interactions/metric-ids.ts';
import { factsOf } from '../../../shared/measured.ts';
import { metricNames } from '../../../shared/metrics/page-metrics.ts';
import type { RunView } from '../../../shared/run.ts';
import { csvOptions, csvRow } from '../../../shared/run-csv.ts';
import { numberOf, plain } from '../../words/numbers.ts';
import type { CheckResult } from '../run/result.ts';

/**
 * Returns the runs of the checks as CSV (RFC 4180), with the columns of `GET /v1/runs`. If a run has simulations, they
 * follow as JSON. If a check has two variants, columns with the second variant and the change of each metric follow.
 */
export const csvOf = (results: readonly CheckResult[]): string => {
  const hasVariants = results.some(({ check }) => check.against);
  const added = [
    ...(results.some(({ check }) => check.simulations) ? ['simulations'] : []),
    ...interactionColumns(results),
    ...(hasVariants ? againstColumns : []),
  ];
  return stringify(
    results.flatMap(({ check }) =>
      check.runs.map((run) => ({ ...rowOf(run, check), ...(hasVariants && againstOf(run)) })),
    ),
    { ...csvOptions, columns: [...csvOptions.columns, ...added] },
  );
};

const columnsOf = metricNames.map((name) => ({
  name,
  columns: ['against', 'change', 'low', 'high', 'verdict'].map((column) => `${column}.${name}`),
}));
const againstColumns = columnsOf.flatMap(({ columns }) => columns);

/** Returns the second variant of a run with the changes from it to the run. Times are in milliseconds. */
const againstOf = ({ against, change }: RunView): Record<string, unknown> =>
  Object.fromEntries(
    columnsOf.flatMap(({ name, columns }) => {
      const { change: interval, verdict = null } = change?.[name] ?? {};
      const numbers = [interval?.estimate, interval?.low, interval?.high].map(plain);
      const cells = [against && numberOf(against, name), ...numbers, verdict];
      return columns.map((column, i) => [column, cells[i]] as const);
    }),
  );

const rowOf = (run: RunView, { id, labels }: CheckView) => ({
  ...csvRow({ ...run, ...factsOf(run), checkId: id, labels }),
  ...Object.fromEntries(
    interactionMetricsOf(run).map((parts) => [interactionMetricId(parts), plain(valueIn(run, parts))]),
  ),
});

const valueIn = (
  { interactions }: RunView,
  { interaction, metric }: ReturnType<typeof interactionMetricsOf>[number],
) => {
  const result = interactions?.find(({ name }) => name === interaction);
  return metric === 'lcp' ? result?.softNavigation?.lcp : result?.[metric];
};

/** Returns a column for each metric of each interaction, which has the id of the metric. */
const interactionColumns = (results: readonly CheckResult[]): string[] => [
  ...new Set(results.flatMap(({ check }) => check.runs.flatMap(interactionMetricsOf).map(interactionMetricId))),
];
