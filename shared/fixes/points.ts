import { metricScore } from './metric-score.ts';
import type { AuditRef, FixableReport, MetricSavings, ReportAudit, ReportCategory } from './report.ts';

/** Returns the sum of a category's weights. Lighthouse gives an audit without a score the weight 0. */
const totalWeight = ({ auditRefs }: ReportCategory): number => auditRefs.reduce((sum, { weight }) => sum + weight, 0);

/** Returns the points that a category gains if an audit gets its best score. */
export const pointsByWeight = (category: ReportCategory, { weight }: AuditRef, { score }: ReportAudit): number =>
  weight > 0 && score !== null ? (weight / totalWeight(category)) * (1 - score) * 100 : 0;

/**
 * Returns the points that the performance score gains if an audit's savings come true: Lighthouse's own estimate, which
 * sorts its report. Lighthouse estimates no saving of the Speed Index. A paint that is earlier makes it better too, by
 * at most the same time.
 */
export const pointsBySavings = (report: FixableReport, category: ReportCategory, estimated: MetricSavings): number => {
  const savings: MetricSavings = { SI: estimated.FCP, ...estimated };
  const gains = category.auditRefs.map(({ id, acronym = '', weight }) => {
    const { score, numericValue, scoringOptions } = report.audits[id] ?? {};
    const saving = savings[acronym] ?? 0;
    if (saving <= 0 || typeof score !== 'number' || !numericValue || !scoringOptions) return 0;
    return Math.max(0, metricScore(scoringOptions, numericValue - saving) - score) * weight;
  });
  return (gains.reduce((sum, gain) => sum + gain, 0) / totalWeight(category)) * 100;
};
