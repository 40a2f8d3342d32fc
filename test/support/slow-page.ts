import type { FixableReport, ReportAudit } from '../../shared/fixes/report.ts';

/** A metric with its value, its scoring curve and its score. */
const metric = (numericValue: number, median: number, p10: number, score: number) => ({
  title: 'A metric',
  scoreDisplayMode: 'numeric',
  numericValue,
  score,
  scoringOptions: { median, p10 },
});
const metrics = {
  'first-contentful-paint': metric(4000, 3000, 1800, 0.25),
  'largest-contentful-paint': metric(6000, 4000, 2500, 0.13),
  'total-blocking-time': metric(1000, 600, 200, 0.27),
  'cumulative-layout-shift': metric(0.3, 0.25, 0.1, 0.39),
  'speed-index': metric(4000, 5800, 3387, 0.81),
};
const metricRefs = [
  { id: 'first-contentful-paint', weight: 10, acronym: 'FCP' },
  { id: 'largest-contentful-paint', weight: 25, acronym: 'LCP' },
  { id: 'total-blocking-time', weight: 30, acronym: 'TBT' },
  { id: 'cumulative-layout-shift', weight: 25, acronym: 'CLS' },
  { id: 'speed-index', weight: 10, acronym: 'SI' },
].map((ref) => ({ ...ref, group: 'metrics' }));
export type Given = Partial<ReportAudit> & { group?: string };
export const failing = (more: Given = {}): Given => ({ score: 0, scoreDisplayMode: 'metricSavings', ...more });

/** Returns the report of a slow page with these performance audits, as version 13 writes it. */
export const slowPage = (given: Record<string, Given>): FixableReport => ({
  categories: {
    performance: {
      auditRefs: [
        ...metricRefs,
        ...Object.entries(given).map(([id, { group = 'diagnostics' }]) => ({ id, weight: 0, group })),
      ],
    },
  },
  audits: {
    ...metrics,
    ...Object.fromEntries(
      Object.entries(given).map(([id, { group: _, ...audit }]) => [
        id,
        { title: `Title of ${id}`, score: 1, scoreDisplayMode: 'metricSavings', ...audit },
      ]),
    ),
  },
});
