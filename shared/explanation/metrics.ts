import { numberOf, type Report } from './report.ts';

export type MetricFact = {
  /** Numeric value, null if the report has none. */
  value: number | null;
  /** Score from 0 to 100, and the share of the performance score in percent. Both are 0 without a score. */
  score: number;
  weight: number;
};

/** Metrics that change together for the same causes. */
export type MetricGroup = 'load' | 'cpu' | 'shift' | 'weight';

export type MetricRow = { name: string; label: string; audit: string; group: MetricGroup };

/** The metrics of a page by which the performance score is computed, and the network as it was. */
export const metricRows: readonly MetricRow[] = [
  { name: 'lcp', label: 'LCP', audit: 'largest-contentful-paint', group: 'load' },
  { name: 'fcp', label: 'FCP', audit: 'first-contentful-paint', group: 'load' },
  { name: 'si', label: 'Speed Index', audit: 'speed-index', group: 'load' },
  { name: 'tbt', label: 'TBT', audit: 'total-blocking-time', group: 'cpu' },
  { name: 'tti', label: 'TTI', audit: 'interactive', group: 'load' },
  { name: 'cls', label: 'CLS', audit: 'cumulative-layout-shift', group: 'shift' },
];

/** Returns the metrics of a report by name. */
export const metricFacts = ({ audits, categories }: Report): Map<string, MetricFact> => {
  const refs = categories.performance?.auditRefs ?? [];
  const total = refs.reduce((sum, { weight }) => sum + weight, 0);
  return new Map(
    metricRows.map(({ name, audit }) => {
      const found = audits[audit];
      const weight = refs.find(({ id }) => id === audit)?.weight ?? 0;
      return [
        name,
        {
          value: numberOf(found?.numericValue),
          score: Math.round(100 * (found?.score ?? 0)),
          weight: total > 0 ? (100 * weight) / total : 0,
        },
      ];
    }),
  );
};
