import type { ReportFacts } from './facts.ts';
import { metricRows } from './metrics.ts';
import type { Explanation, MetricPoints } from './schema.ts';

export type Verdict = MetricPoints['verdict'];
/** The verdict of each metric in one region, and the change that the comparison estimates. Without it, the reports decide. */
export type Verdicts = Readonly<Partial<Record<string, { verdict: Verdict; change?: number | null }>>>;

export const isChange = (found: Verdicts[string]): boolean =>
  found?.verdict === 'improved' || found?.verdict === 'regressed';

type Points = Pick<Explanation, 'performance' | 'points'>;

/**
 * Returns the points that each metric gained or lost. Scores and weights have two decimals at most, so the points add up
 * to the change without an error of rounding.
 */
export const pointsOf = (base: ReportFacts, now: ReportFacts, verdicts: Verdicts): Points => {
  const points = metricRows.flatMap(({ name }): MetricPoints[] => {
    const [a, b] = [base.metrics.get(name), now.metrics.get(name)];
    if (!a || !b || (a.weight === 0 && b.weight === 0)) return [];
    const [baseShare, share] = [hundredths(a.weight * a.score), hundredths(b.weight * b.score)];
    return [
      {
        metric: name,
        base: a.value,
        value: b.value,
        points: (share - baseShare) / 100,
        verdict: verdicts[name]?.verdict ?? 'unknown',
      },
    ];
  });
  const [before, after] = [totalOf(base), totalOf(now)];
  const change = before === null || after === null ? null : after - before;
  return {
    performance: { base: shown(before), value: shown(after), change: shown(change) },
    points: change === null ? [] : points.sort((a, b) => Math.abs(b.points) - Math.abs(a.points)),
  };
};

const hundredths = (weightedScore: number): number => Math.round(weightedScore);

/** Returns the performance score in hundredths of a point, or null if the report has none. */
const totalOf = ({ metrics }: ReportFacts): number | null => {
  const weighted = [...metrics.values()].filter(({ weight }) => weight > 0);
  if (weighted.length === 0 || weighted.some(({ value }) => value === null)) return null;
  return weighted.reduce((sum, { weight, score }) => sum + hundredths(weight * score), 0);
};

const shown = (value: number | null): number | null => (value === null ? null : value / 100);
