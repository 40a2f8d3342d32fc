import { type MainName, metricNames, pageMetric } from '../metrics/page-metrics.ts';
import type { Region } from '../name-schemas.ts';
import { recordOf } from '../record.ts';
import { gravestOf } from './judge-pairs.ts';
import type { CheckComparison, ComparedMetric } from './schemas.ts';
import { changeView } from './sides.ts';
import { asChange, type MetricSince, type PageSince } from './since.ts';

/** How metrics changed between the two checks by the series of their page, in each region. */
export type BySeries = Partial<Record<Region, PageSince['metrics']>>;

/** Returns the metrics with the verdicts of the series where it has one. It knows more checks than the two that are compared. */
export const withSeries = (metrics: CheckComparison['metrics'], bySeries: BySeries): CheckComparison['metrics'] =>
  recordOf(metricNames, (name) => {
    const { regions } = metrics[name];
    const judged = Object.entries(regions).map(([region, compared]) => {
      const since = bySeries[region as Region]?.[name as MainName];
      return [
        region,
        since && isClear(since) ? { ...compared, ...viewOf(name as MainName, since) } : compared,
      ] as const;
    });
    const verdict = gravestOf(judged.map(([, each]) => each.verdict));
    return { regions: Object.fromEntries(judged), verdict } satisfies ComparedMetric;
  });

const isClear = ({ verdict }: MetricSince): boolean => verdict === 'regressed' || verdict === 'improved';

const viewOf = (name: MainName, since: MetricSince) => ({
  ...changeView(pageMetric(name), asChange(since), false),
  verdict: since.verdict,
});
