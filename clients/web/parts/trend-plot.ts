import type UPlot from 'uplot';
import { type MetricName, pageMetrics } from '../../../shared/page-metrics.ts';
import type { RunSummary } from '../../../shared/summaries.ts';
import { numberOf, textOf } from '../../words/numbers.ts';
import { navigate } from '../router.ts';
import { incomparable } from '../series.ts';

export const HEIGHT = 320;
/** Colours of the chart: of its regions, which also differ in brightness, its texts, its background and its grid. */
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
};
type Colors = typeof colors.light;

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
  { width, isDark }: { width: number; isDark: boolean },
): { options: UPlot.Options; data: UPlot.AlignedData } => {
  const regions = [...new Set(runs.map(({ region }) => region))].sort();
  const times = [...new Set(runs.map(({ createdAt }) => createdAt))].sort();
  const indexOf = new Map(times.map((time, i) => [time, i]));
  const hollow = incomparable(runs);
  const theme = isDark ? colors.dark : colors.light;
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
    series: [{ value: '{YYYY}-{MM}-{DD} {HH}:{mm}' }, ...regions.map((region, i) => lineOf(region, i, name, theme))],
    axes: axesOf(name, theme),
    scales: {
      x: { range: (_, min, max) => aroundTimes(min, max) },
      y: { range: (_, _min, max) => rangeOf(name, max) },
    },
    hooks: {
      draw: [(plot) => drawPoints(plot, rows, hollow, theme)],
      ready: [(plot) => plot.over.addEventListener('click', () => openRun(plot, rows))],
    },
  };
  const values = rows.map((row) => row.map((run) => run && numberOf(run, name)));
  return { options, data: [times.map((time) => Date.parse(time) / 1000), ...values] };
};

const lineOf = (region: string, i: number, name: MetricName, theme: Colors): UPlot.Series => ({
  label: region,
  stroke: colorOf(theme, i),
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

/** Returns the time span of the chart, in seconds. Half a day lies on both sides of a single run. */
const aroundTimes = (min: number, max: number): UPlot.Range.MinMax =>
  max > min ? [min, max] : [min - 43_200, max + 43_200];

/** Least height of the chart, so that small values don't look large. Scores always have the whole height. */
const leastHeights = { score: 100, time: 100, shift: 0.1, bytes: 10_240, count: 10 };

const rangeOf = (name: MetricName, max: number): UPlot.Range.MinMax => {
  const { kind } = pageMetrics[name];
  return [0, Math.max(kind === 'score' ? 0 : max * 1.1, leastHeights[kind])];
};

const colorOf = ({ regions }: Colors, i: number): string => regions[i % regions.length] ?? '';

/** Draws each point: filled, or hollow if its run is not comparable. */
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
    for (const [at, run] of row.entries()) {
      const [time, value] = [data[0][at], data[i + 1]?.[at]];
      if (!run || time === undefined || value === null || value === undefined) continue;
      ctx.fillStyle = hollow.has(run) ? theme.back : color;
      ctx.beginPath();
      ctx.arc(valToPos(time, 'x', true), valToPos(value, 'y', true), 3.5 * devicePixelRatio, 0, 7);
      ctx.fill();
      ctx.stroke();
    }
  }
};

/** Opens the run whose point is nearest to the cursor, if it is near. */
const openRun = ({ cursor: { idx, top = 0 }, data, valToPos }: UPlot, rows: readonly Row[]): void => {
  if (idx === null || idx === undefined) return;
  const candidates = rows.flatMap((row, i) => {
    const run = row[idx];
    return run ? [{ run, distance: Math.abs(valToPos(data[i + 1]?.[idx] ?? 0, 'y') - top) }] : [];
  });
  const [nearest] = candidates.sort((a, b) => a.distance - b.distance);
  if (nearest && nearest.distance < 20) navigate(`/checks/${nearest.run.checkId}/runs/${nearest.run.id}`);
};
