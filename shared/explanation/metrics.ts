import { type MetricKind, type MetricName, pageMetric, valueNames } from '../metrics/page-metrics.ts';
import { itemsOf, numberOf, type Report } from './report.ts';

export type MetricFact = {
  /** Numeric value, null if the report has none. */
  value: number | null;
  /** Score from 0 to 100, and the share of the performance score in percent. Both are 0 without a score. */
  score: number;
  weight: number;
};

/** Metrics that change together for the same causes. */
export type MetricGroup = 'load' | 'cpu' | 'shift' | 'weight';

export type MetricRow = { name: MetricName; label: string; kind: MetricKind; audit: string; group: MetricGroup };

const groupOf = (name: MetricName, kind: MetricKind): MetricGroup => {
  if (kind === 'shift') return 'shift';
  if (kind === 'bytes' || kind === 'count') return 'weight';
  return name === 'tbt' ? 'cpu' : 'load';
};

/** The metrics that a report has a value of. The scores of categories are no metrics here. */
export const metricRows: readonly MetricRow[] = valueNames.flatMap((name) => {
  const { kind, audit, title, shortTitle } = pageMetric(name);
  return audit ? [{ name, label: shortTitle ?? title, kind, audit, group: groupOf(name, kind) }] : [];
});

/** Returns the metrics of a report by name. */
export const metricFacts = (report: Report): Map<MetricName, MetricFact> => {
  const { audits, categories } = report;
  const refs = categories.performance?.auditRefs ?? [];
  const total = refs.reduce((sum, { weight }) => sum + weight, 0);
  return new Map(
    metricRows.map(({ name, audit, kind }) => {
      const found = audits[audit];
      const weight = refs.find(({ id }) => id === audit)?.weight ?? 0;
      return [
        name,
        {
          value: kind === 'count' ? countOf(report, audit) : numberOf(found?.numericValue),
          score: Math.round(100 * (found?.score ?? 0)),
          weight: total > 0 ? (100 * weight) / total : 0,
        },
      ];
    }),
  );
};

/** Returns the number of requests over the network that were answered, as a run counts them. */
const countOf = (report: Report, audit: string): number | null =>
  report.audits[audit]
    ? itemsOf(report, audit).filter(({ url, statusCode }) => /^https?:/i.test(`${url}`) && Number(statusCode) > 0)
        .length
    : null;
