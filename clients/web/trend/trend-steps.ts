import type UPlot from 'uplot';
import type { MetricName } from '../../../shared/metrics/page-metrics.ts';
import type { RunSummary } from '../../../shared/summaries.ts';
import { stepsOf } from './series.ts';

/** Where new series begin: the places of their runs in the rows of the chart, and what changed at each time. */
export type TrendSteps = { runs: ReadonlySet<RunSummary>; texts: ReadonlyMap<number, string> };

/** Returns where a metric begins new series. Regions that begin one at the same time share a line of the chart. */
export const trendSteps = (
  runs: readonly RunSummary[],
  name: MetricName,
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

const FONT_SIZE = 12;

/** Draws a line where new series begin, with what changed. */
export const drawSteps = (
  { ctx, bbox, data, valToPos }: UPlot,
  { texts }: TrendSteps,
  { text: color, back }: { text: string; back: string },
): void => {
  ctx.save();
  ctx.font = `${FONT_SIZE * devicePixelRatio}px system-ui`;
  ctx.textBaseline = 'top';
  ctx.fillStyle = color;
  for (const [nth, [index, text]] of [...texts].entries()) {
    const x = valToPos(data[0][index] ?? 0, 'x', true);
    ctx.strokeStyle = color;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const isRight = x > bbox.left + bbox.width / 2;
    ctx.textAlign = isRight ? 'right' : 'left';
    ctx.strokeStyle = back;
    ctx.lineWidth = 4 * devicePixelRatio;
    ctx.setLineDash([]);
    const place = [
      x + (isRight ? -4 : 4) * devicePixelRatio,
      bbox.top + (nth % 3) * 1.3 * FONT_SIZE * devicePixelRatio,
    ];
    const [left = 0, top = 0] = place;
    ctx.strokeText(text, left, top); // keeps lines behind the text from crossing it
    ctx.fillText(text, left, top);
  }
  ctx.restore();
};
