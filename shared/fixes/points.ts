import { metricScore } from './metric-score.ts';
import type { AuditRef, FixableReport, MetricSavings, ReportAudit, ReportCategory } from './report.ts';

/** A category with the sum of its weights, and its refs by the acronyms of metrics. */
export type Weighed = { total: number; metrics: ReadonlyMap<string, AuditRef> };

/** Weighs a category once for all its audits. Lighthouse gives an audit without a score the weight 0. */
export const weighed = ({ auditRefs }: ReportCategory): Weighed => ({
  total: auditRefs.reduce((sum, { weight }) => sum + weight, 0),
  metrics: new Map(auditRefs.flatMap((ref) => (ref.acronym ? [[ref.acronym, ref] as const] : []))),
});

/** Returns the points that a category gains if an audit gets its best score. */
export const pointsByWeight = ({ total }: Weighed, { weight }: AuditRef, { score }: ReportAudit): number =>
  weight > 0 && score !== null ? (weight / total) * (1 - score) * 100 : 0;

/**
 * Returns the points that the performance score gains if an audit's savings come true: Lighthouse's own estimate, which
 * sorts its report. Lighthouse estimates no saving of the Speed Index. A paint that is earlier makes it better too, by
 * at most the same time.
 */
export const pointsBySavings = (
  report: FixableReport,
  { total, metrics }: Weighed,
  estimated: MetricSavings,
): number => {
  const savings: MetricSavings = { SI: estimated.FCP, ...estimated };
  const gains = Object.entries(savings).map(([acronym, saving = 0]) => {
    const { id = '', weight = 0 } = metrics.get(acronym) ?? {};
    const { score, numericValue, scoringOptions } = report.audits[id] ?? {};
    if (saving <= 0 || typeof score !== 'number' || !numericValue || !scoringOptions) return 0;
    return Math.max(0, metricScore(scoringOptions, numericValue - saving) - score) * weight;
  });
  return (gains.reduce((sum, gain) => sum + gain, 0) / total) * 100;
};
