import type UPlot from 'uplot';
import { type MetricName, pageMetrics } from '../../../shared/metrics/page-metrics.ts';
import type { RunSummary } from '../../../shared/summaries.ts';
import { numberOf, textOf } from '../../words/numbers.ts';
import { zoneName } from '../../words/times.ts';
import { navigate } from '../router.ts';
import { incomparable, regionsOf } from './series.ts';
import { drawBands, rangeEnds } from './trend-bands.ts';
import { dayEnd, dayStart, daysAddress } from './trend-query.ts';
import { drawSteps, gapsOf, trendSteps } from './trend-steps.ts';

export const HEIGHT = 320;
/** Narrower charts have the names of the regions above the ends of their lines, in pixels. */
const WIDE = 600;
/** Colours of the chart: of its regions, its texts, its background and its grid. */
const colors = {
  light: {
    regions: ['#0b57d0', '#a3450c', '#0a7035', '#8c1d8f', '#5d6670', '#b3261e'],
    text: '#57606a',
    back: '#fff',
    grid: '#d5dbe1',
  },
  dark: {
    regions: ['#80b8ff', '#ffb077', '#56cf7a', '#e69be8', '#a0aab4', '#ff8278'],
    text: '#a0aab4',
    back: '#0f1419',
    grid: '#303942',
  },
  forced: { regions: ['CanvasText'], text: 'CanvasText', back: 'Canvas', grid: 'GrayText' },
};
export type Scheme = keyof typeof colors;
type Colors = (typeof colors)[Scheme];

/** Texts of the time axis by the distance of its marks in seconds: of each mark, and below it at a new year and a new day. */
const timeTexts = [
  [365 * 86_400, '{YYYY}'],
  [28 * 86_400, '{MMM}', '\n{YYYY}'],
  [86_400, '{MMM} {D}', '\n{YYYY}'],
  [60, '{HH}:{mm}', '\n{MMM} {D}', null, '\n{MMM} {D}'],
  [1, '{HH}:{mm}:{ss}', '\n{MMM} {D}', null, '\n{MMM} {D}'],
];

/** The run of a region at each time: undefined if there is none, null if it has no value, which is a gap. */
type Row = (RunSummary | null | undefined)[];

/** Returns the options and the data of the chart. The runs are in order, newest first. */
export const plotOf = (
  runs: readonly RunSummary[],
  name: MetricName,
  { width, scheme }: { width: number; scheme: Scheme },
): { options: UPlot.Options; data: UPlot.AlignedData } => {
  const regions = regionsOf(runs);
  const times = [...new Set(runs.map(({ createdAt }) => createdAt))].sort();
  const indexOf = new Map(times.map((time, i) => [time, i]));
  const hollow = incomparable(runs, name);
  const steps = trendSteps(runs, name, indexOf);
  const theme = colors[scheme];
  const ends = rangeEnds(runs, name);
  const rows = regions.map((region) =>
    rowOf(
      runs.filter((run) => run.region === region),
      name,
      indexOf,
    ),
  );
  const options: UPlot.Options = {
    width,
    height: HEIGHT,
    padding: [null, width < WIDE ? null : roomFor(regions), null, null],
    series: [
      { label: `Time (${zoneName()})`, value: '{YYYY}-{MM}-{DD} {HH}:{mm}' },
      ...regions.map((region, i) => ({ ...lineOf(region, i, name, theme), gaps: gapsOf(rows[i] ?? [], steps) })),
    ],
    axes: axesOf(name, theme),
    scales: {
      x: { range: (_, min, max) => aroundTimes(times.length, min, max) },
      y: { range: (_, min, max) => rangeOf(name, ...withEnds(min, max, ends)) },
    },
    hooks: {
      drawAxes: [(plot) => drawBands(plot, rows, name, (place) => colorOf(theme, place))],
      draw: [
        (plot) => drawSteps(plot, steps, theme),
        (plot) => drawPoints(plot, rows, hollow, theme),
        (plot) => drawNames(plot, regions, theme),
      ],
      ready: [(plot) => plot.over.addEventListener('click', () => openRun(plot, rows))],
    },
  };
  const values = rows.map((row) => row.map((run) => run && numberOf(run, name)));
  return { options, data: [times.map((time) => Date.parse(time) / 1000), ...values] };
};

const lineOf = (region: string, i: number, name: MetricName, theme: Colors): UPlot.Series => ({
  label: region,
  stroke: colorOf(theme, i),
  dash: dashOf(i),
  width: 2,
  spanGaps: false,
  points: { show: false }, // `drawPoints` draws them
  value: (_, value: number | null | undefined) => (value === null || value === undefined ? '–' : textOf(name, value)),
});

const axesOf = (name: MetricName, { text, grid: stroke }: Colors): UPlot.Axis[] => {
  const grid = { stroke, width: 1 };
  const axis = { stroke: text, grid, ticks: grid, font: '12px system-ui' };
  return [
    { ...axis, values: timeTexts, space: 70 },
    { ...axis, size: 64, values: (_, values) => values.map((value) => textOf(name, value)) },
  ];
};

const rowOf = (runs: readonly RunSummary[], name: MetricName, indexOf: ReadonlyMap<string, number>): Row => {
  const row: Row = new Array(indexOf.size).fill(undefined);
  for (const run of runs) {
    const hasValue = run.state === 'succeeded' && numberOf(run, name) !== null;
    row[indexOf.get(run.createdAt) ?? 0] = hasValue ? run : null;
  }
  return row;
};

/** Returns the time span of the chart, in seconds. Half a day lies on both sides of a single time, which uPlot widens to 1,000 days. */
const aroundTimes = (count: number, min: number, max: number): UPlot.Range.MinMax =>
  count > 1 && max > min ? [min, max] : [min - 43_200, min + 43_200];

/** Least height of the chart, so that small values don't look large. */
const leastHeights = { time: 100, shift: 0.1, bytes: 10_240, count: 10 };
/** Room above and below scores, in points. */
const SCORE_ROOM = 5;

const withEnds = (min: number | null, max: number | null, ends: readonly number[]): [number | null, number | null] => {
  const all = [min, max, ...ends].filter((each) => each !== null);
  return all.length === 0 ? [null, null] : [Math.min(...all), Math.max(...all)];
};

const rangeOf = (name: MetricName, min: number | null, max: number | null): UPlot.Range.MinMax => {
  const { kind } = pageMetrics[name];
  if (kind !== 'score') return [0, Math.max((max ?? 0) * 1.1, leastHeights[kind])];
  if (min === null || max === null) return [0, 100];
  return [Math.max(0, min - SCORE_ROOM), Math.min(100, max + SCORE_ROOM)];
};

const colorOf = ({ regions }: Colors, i: number): string => regions[i % regions.length] ?? '';

/** Dashes of the lines by region, in pixels. The gaps of a line show an equal line below it. */
const dashes = [[], [12, 8], [4, 12], [16, 6, 4, 6], [8, 4], [2, 6]];

const dashOf = (i: number): number[] => dashes[i % dashes.length] ?? [];

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
const drawPoints = (
  { ctx, data, valToPos }: UPlot,
  rows: readonly Row[],
  hollow: ReadonlyMap<RunSummary, string>,
  theme: Colors,
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
const roomFor = (regions: readonly string[]): number => 12 + 7 * Math.max(0, ...regions.map(({ length }) => length));

/** Writes the name of each region at the end of its line. Names of near lines stand below each other. */
const drawNames = (plot: UPlot, regions: readonly string[], theme: Colors): void => {
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

/** Opens the run whose point is nearest to the cursor, if it is near. Of a day, it opens the runs. */
const openRun = ({ cursor: { idx, top = 0 }, data, valToPos }: UPlot, rows: readonly Row[]): void => {
  if (idx === null || idx === undefined) return;
  const candidates = rows.flatMap((row, i) => {
    const run = row[idx];
    return run ? [{ run, distance: Math.abs(valToPos(data[i + 1]?.[idx] ?? 0, 'y') - top) }] : [];
  });
  const [nearest] = candidates.sort((a, b) => a.distance - b.distance);
  const isNear = nearest && nearest.distance < 20;
  if (!isNear) return;
  const { day, links, checkId, id } = nearest.run;
  if (day) navigate(daysAddress(location.search, dayStart(day.date), dayEnd(day.date)));
  else if (links.self) navigate(`/checks/${checkId}/runs/${id}`);
};
