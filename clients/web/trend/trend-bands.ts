import type UPlot from 'uplot';
import type { RunSummary } from '../../../shared/summaries.ts';
import type { TrendMetric } from './trend-metric.ts';

type Row = readonly (RunSummary | null | undefined)[];

/** Fills the range of the runs of each day behind the line of a region. A day without a value ends the band. */
export const drawBands = (
  { ctx, data, valToPos }: UPlot,
  rows: readonly Row[],
  { rangeOf }: TrendMetric,
  colorOf: (place: number) => string,
): void => {
  ctx.save();
  ctx.globalAlpha = 0.18;
  for (const [place, row] of rows.entries()) {
    ctx.fillStyle = colorOf(place);
    for (const part of partsOf(row)) {
      const corners = part.flatMap(([at, run]) => {
        const range = rangeOf(run);
        const x = valToPos(data[0][at] ?? 0, 'x', true);
        return range ? [{ x, low: valToPos(range.min, 'y', true), high: valToPos(range.max, 'y', true) }] : [];
      });
      ctx.beginPath();
      for (const { x, high } of corners) ctx.lineTo(x, high);
      for (const { x, low } of corners.toReversed()) ctx.lineTo(x, low);
      ctx.closePath();
      ctx.fill();
    }
  }
  ctx.restore();
};

/** Returns the parts of a row between its days without a value. */
const partsOf = (row: Row) => {
  const parts: [at: number, run: RunSummary][][] = [[]];
  for (const [at, run] of row.entries()) {
    if (run === null) parts.push([]);
    if (run) parts.at(-1)?.push([at, run]);
  }
  return parts;
};

/** Returns all ends of the ranges, which the scale of the chart has to hold. */
export const rangeEnds = (runs: readonly RunSummary[], { rangeOf }: TrendMetric): number[] =>
  runs.flatMap((run) => {
    const range = rangeOf(run);
    return range ? [range.min, range.max] : [];
  });
