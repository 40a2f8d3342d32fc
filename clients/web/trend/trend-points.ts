import type UPlot from 'uplot';
import type { RunSummary } from '../../../shared/summaries.ts';

/** Narrower charts have the names of the regions above the ends of their lines, in pixels. */
export const WIDE = 600;

/** The run of a region at each time: undefined if there is none, null if it has no value, which is a gap. */
export type Row = (RunSummary | null | undefined)[];
type Theme = { regions: readonly string[]; back: string };

export const colorOf = ({ regions }: Theme, i: number): string => regions[i % regions.length] ?? '';

/** Markers by region: the number of corners and the angle of the first. A circle has none. */
const markers = [
  [0, 0],
  [4, 45],
  [3, -90],
  [4, 0],
  [3, 90],
  [5, -90],
] as const;

/** Adds the marker of a region to the path. A later marker is smaller, so that an earlier one is seen below it. */
const addMarker = (ctx: CanvasRenderingContext2D, i: number, x: number, y: number): void => {
  const [corners, first] = markers[i % markers.length] ?? markers[0];
  const radius = (5 - 0.4 * i) * devicePixelRatio;
  ctx.beginPath();
  if (corners === 0) ctx.arc(x, y, radius, 0, 7);
  for (let corner = 0; corner < corners; corner++) {
    const angle = (first / 180 + (2 * corner) / corners) * Math.PI;
    ctx.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  ctx.closePath();
};

/** Most points of a line that have a marker each. Of more points, the hollow ones have one, and the one at the cursor. */
const MAX_MARKERS = 100;

/** Draws points: filled, or hollow if the run is not comparable. */
export const drawPoints = (
  { ctx, data, valToPos }: UPlot,
  rows: readonly Row[],
  hollow: ReadonlyMap<RunSummary, string>,
  theme: Theme,
): void => {
  for (const [i, row] of rows.entries()) {
    const color = colorOf(theme, i);
    ctx.strokeStyle = color;
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.setLineDash([]);
    const isDense = row.length > MAX_MARKERS;
    for (const [at, run] of row.entries()) {
      const [time, value] = [data[0][at], data[i + 1]?.[at]];
      if (!run || (isDense && !hollow.has(run)) || time === undefined || value === null || value === undefined)
        continue;
      ctx.fillStyle = hollow.has(run) ? theme.back : color;
      addMarker(ctx, i, valToPos(time, 'x', true), valToPos(value, 'y', true));
      ctx.fill();
      ctx.stroke();
    }
  }
};

const NAME_SIZE = 12;
const NAME_HEIGHT = 15;
/** Returns the width of the longest name, in pixels. */
export const roomFor = (regions: readonly string[]): number =>
  12 + 7 * Math.max(0, ...regions.map(({ length }) => length));

/** Writes the name of each region at the end of its line. Names of near lines stand below each other. */
export const drawNames = (plot: UPlot, regions: readonly string[], theme: Theme): void => {
  const { ctx, data, bbox, valToPos, width } = plot;
  const isInside = width < WIDE;
  const names = regions
    .flatMap((region, i) => {
      const value = [...(data[i + 1] ?? [])].findLast((each) => each !== null && each !== undefined);
      return value === null || value === undefined ? [] : [{ region, i, y: valToPos(value, 'y', true) }];
    })
    .sort((a, b) => a.y - b.y);
  ctx.save();
  ctx.font = `${NAME_SIZE * devicePixelRatio}px system-ui`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = isInside ? 'right' : 'left';
  ctx.strokeStyle = theme.back;
  ctx.lineWidth = 4 * devicePixelRatio;
  ctx.setLineDash([]);
  const x = bbox.left + bbox.width + (isInside ? -8 : 8) * devicePixelRatio;
  const lowest = bbox.top + bbox.height - names.length * NAME_HEIGHT * devicePixelRatio;
  let free = bbox.top;
  for (const [nth, { region, i, y }] of names.entries()) {
    const height = NAME_HEIGHT * devicePixelRatio;
    const wanted = isInside ? y - height : y;
    const at = Math.max(free, Math.min(wanted, lowest + (nth + 0.5) * height));
    free = at + height;
    ctx.strokeText(region, x, at); // a line behind the name does not cross it
    ctx.fillStyle = colorOf(theme, i);
    ctx.fillText(region, x, at);
  }
  ctx.restore();
};
