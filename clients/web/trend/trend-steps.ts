import type UPlot from 'uplot';
import type { RunSummary } from '../../../shared/summaries.ts';
import { stepsOf } from './series.ts';
import type { TrendMetric } from './trend-metric.ts';

/** Where new series begin: the places of their runs in the rows of the chart, and what changed at each time. */
export type TrendSteps = { runs: ReadonlySet<RunSummary>; texts: ReadonlyMap<number, string> };

/** Returns where a metric begins new series. Regions that begin one at the same time share a line of the chart. */
export const trendSteps = (
  runs: readonly RunSummary[],
  { name }: TrendMetric,
  indexOf: ReadonlyMap<string, number>,
): TrendSteps => {
  const steps = stepsOf(runs, name);
  const byTime = Map.groupBy(steps, ([{ createdAt }]) => indexOf.get(createdAt) ?? 0);
  const texts = [...byTime].map(([at, all]) => [at, [...new Set(all.map(([, text]) => text))].join(', ')] as const);
  return { runs: new Set(steps.keys()), texts: new Map(texts) };
};

/** Returns the gaps of a region's line, with one before each run that begins a new series. */
export const gapsOf =
  (row: readonly (RunSummary | null | undefined)[], { runs }: TrendSteps): UPlot.Series.GapsRefiner =>
  ({ data, valToPos }, _series, _first, _last, gaps) => {
    const at = (index: number) => valToPos(data[0][index] ?? 0, 'x', true);
    const own = row.flatMap((run, i): UPlot.Series.Gaps => {
      const before = row.findLastIndex((each, earlier) => earlier < i && each);
      return run && runs.has(run) && before !== -1 ? [[at(before), at(i)]] : [];
    });
    return [...gaps, ...own].sort(([a], [b]) => a - b);
  };
