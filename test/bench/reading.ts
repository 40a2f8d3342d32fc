import type { RunView } from '../../shared/run.ts';

/** The fields of a Lighthouse result that the bench reads. All supported versions have them. */
export type Report = {
  timing: { total: number; entries: { name: string; duration: number }[] };
  categories: Record<string, { score: number | null; auditRefs: { id: string }[] } | undefined>;
  audits: Record<string, { score: number | null; scoreDisplayMode: string; numericValue?: number } | undefined>;
};

/** Lighthouse's ids of the metrics. Values are milliseconds, except for `cls`. */
export const metricIds = {
  fcp: 'first-contentful-paint',
  si: 'speed-index',
  lcp: 'largest-contentful-paint',
  tti: 'interactive',
  tbt: 'total-blocking-time',
  cls: 'cumulative-layout-shift',
} as const;
export type Metric = keyof typeof metricIds;
export const metrics = Object.keys(metricIds) as Metric[];

/** The result of one audit. `scores` has a number from 0 to 100 for each requested category. */
export type Reading = {
  scores: Record<string, number>;
  metrics: Record<Metric, number>;
  failing: string[];
};

/** Reads a report. Throws if a score or a metric is null, because the audit then failed. */
export const readingOf = (report: Report): Reading => ({
  scores: Object.fromEntries(Object.keys(report.categories).map((id) => [id, scoreOf(report, id)])),
  metrics: Object.fromEntries(
    metrics.map((metric) => [metric, numberOf(report, metricIds[metric])]),
  ) as Reading['metrics'],
  failing: failingIn(report),
});

/** Returns a report with other values of some metrics: Lighthouse's own, where the waits for a CPU were removed. */
export const withValues = (report: Report, values: RunView['uncorrected']): Report => {
  if (!values) return report;
  const { performance } = report.categories;
  const score = values.performance === null ? null : values.performance / 100;
  const audits = metrics.flatMap((metric) => {
    const numericValue = metric === 'cls' ? null : values[metric];
    const audit = report.audits[metricIds[metric]];
    return audit && numericValue !== null ? [[metricIds[metric], { ...audit, numericValue }]] : [];
  });
  return {
    ...report,
    categories: { ...report.categories, ...(performance && { performance: { ...performance, score } }) },
    audits: { ...report.audits, ...Object.fromEntries(audits) },
  };
};

export const scoreOf = ({ categories }: Report, id: string): number => {
  const score = categories[id]?.score;
  if (typeof score !== 'number') throw new Error(`The report has no score for ${id}`);
  return Math.round(score * 100);
};

const numberOf = ({ audits }: Report, id: string): number => {
  const value = audits[id]?.numericValue;
  if (typeof value !== 'number') throw new Error(`The report has no ${id}`);
  return value;
};

/**
 * Returns the audits that failed or ended in an error. Leaves out performance audits that judge a time, because timings
 * vary: from performance it takes only audits with a yes or no.
 */
const failingIn = ({ categories, audits }: Report): string[] => {
  const timed = new Set(categories.performance?.auditRefs.map(({ id }) => id));
  for (const [name, category] of Object.entries(categories)) {
    if (name !== 'performance') for (const { id } of category?.auditRefs ?? []) timed.delete(id);
  }
  return Object.entries(audits).flatMap(([id, audit]) => {
    if (!audit) return [];
    const { score, scoreDisplayMode: mode } = audit;
    if (mode === 'error') return [`${id} (broken)`];
    const judged = mode === 'binary' || (!timed.has(id) && (mode === 'numeric' || mode === 'metricSavings'));
    return judged && score !== null && score < 1 ? [id] : [];
  });
};
