import type UPlot from 'uplot';
import type { FieldHistory } from '../../../shared/field-data-schemas.ts';
import { type JudgedName, judgedMetric } from '../../../shared/interactions/metrics.ts';
import type { Region } from '../../../shared/regions.ts';
import type { RunSummary } from '../../../shared/summaries.ts';
import { textOf } from '../../words/numbers.ts';
import { zoneName } from '../../words/times.ts';
import { drawLines, visitorLines } from './draw-lines.ts';
import { incomparable, regionsOf } from './series.ts';
import { drawBands, rangeEnds } from './trend-bands.ts';
import type { TrendLine } from './trend-lines.ts';
import type { TrendMetric } from './trend-metric.ts';
import { colorOf, drawNames, drawPoints, type Row, roomFor, WIDE } from './trend-points.ts';
import { gapsOf, trendSteps } from './trend-steps.ts';

const HEIGHT = 320;
/** Colours of the chart: of its regions, its texts, its background, its grid and its changes. */
const colors = {
  light: {
    regions: ['#0b57d0', '#a3450c', '#0a7035', '#8c1d8f', '#5d6670', '#b3261e'],
    text: '#57606a',
    back: '#fff',
    grid: '#d5dbe1',
    regressed: '#c0211c',
    improved: '#0a7035',
  },
  dark: {
    regions: ['#80b8ff', '#ffb077', '#56cf7a', '#e69be8', '#a0aab4', '#ff8278'],
    text: '#a0aab4',
    back: '#0f1419',
    grid: '#303942',
    regressed: '#ff8278',
    improved: '#56cf7a',
  },
  forced: {
    regions: ['CanvasText'],
    text: 'CanvasText',
    back: 'Canvas',
    grid: 'GrayText',
    regressed: 'CanvasText',
    improved: 'CanvasText',
  },
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

type PlotSettings = {
  width: number;
  scheme: Scheme;
  nameOf: (region: Region) => string;
  /** Deploys, limits and changes. */
  lines: readonly TrendLine[];
  /** How visitors saw the page. */
  history?: FieldHistory | undefined;
  /** Gets the run whose point is clicked. */
  choose: (run: RunSummary) => void;
};

/** Returns the options and the data of the chart. The runs are in order, newest first. */
export const plotOf = (
  runs: readonly RunSummary[],
  metric: TrendMetric,
  { width, scheme, nameOf, lines: given, history, choose }: PlotSettings,
): { options: UPlot.Options; data: UPlot.AlignedData } => {
  const { name, numberOf } = metric;
  const lines = [...given, ...visitorLines(history, metric)];
  const regions = regionsOf(runs);
  const times = [...new Set(runs.map(({ createdAt }) => createdAt))].sort();
  const indexOf = new Map(times.map((time, i) => [time, i]));
  const hollow = incomparable(runs, name);
  const steps = trendSteps(runs, metric, indexOf);
  const theme = colors[scheme];
  const ends = [...rangeEnds(runs, metric), ...lines.flatMap((line) => ('value' in line ? line.value : []))];
  const names = regions.map(nameOf);
  const drawn = [
    ...lines,
    ...[...steps.texts].map(([at, text]) => ({
      at: Date.parse(times[at] ?? '') / 1000,
      text,
      kind: 'series' as const,
    })),
  ];
  const rows = regions.map((region) =>
    rowOf(
      runs.filter((run) => run.region === region),
      metric,
      indexOf,
    ),
  );
  const options: UPlot.Options = {
    width,
    height: HEIGHT,
    padding: [null, width < WIDE ? null : roomFor(names), null, null],
    series: [
      { label: `Time (${zoneName()})`, value: '{YYYY}-{MM}-{DD} {HH}:{mm}' },
      ...regions.map((region, i) => ({
        ...lineOf(nameOf(region), i, name, theme),
        gaps: gapsOf(rows[i] ?? [], steps),
      })),
    ],
    axes: axesOf(name, theme),
    scales: {
      x: { range: (_, min, max) => aroundTimes(times.length, min, max) },
      y: { range: (_, min, max) => rangeOf(name, ...withEnds(min, max, ends)) },
    },
    hooks: {
      drawAxes: [(plot) => drawBands(plot, rows, metric, (place) => colorOf(theme, place))],
      draw: [
        (plot) => drawLines(plot, drawn, theme),
        (plot) => drawPoints(plot, rows, hollow, theme),
        (plot) => drawNames(plot, names, theme),
      ],
      ready: [(plot) => plot.over.addEventListener('click', () => chooseRun(plot, rows, choose))],
    },
  };
  const values = rows.map((of) => of.map((run) => run && numberOf(run)));
  return { options, data: [times.map((time) => Date.parse(time) / 1000), ...values] };
};

const lineOf = (region: string, i: number, name: JudgedName, theme: Colors): UPlot.Series => ({
  label: region,
  stroke: colorOf(theme, i),
  dash: dashOf(i),
  width: 2,
  spanGaps: false,
  points: { show: false }, // `drawPoints` draws them
  value: (_, value: number | null | undefined) => (value === null || value === undefined ? '–' : textOf(name, value)),
});

const axesOf = (name: JudgedName, { text, grid: stroke }: Colors): UPlot.Axis[] => {
  const grid = { stroke, width: 1 };
  const axis = { stroke: text, grid, ticks: grid, font: '12px system-ui' };
  return [
    { ...axis, values: timeTexts, space: 70 },
    { ...axis, size: 64, values: (_, values) => values.map((value) => textOf(name, value)) },
  ];
};

const rowOf = (runs: readonly RunSummary[], { numberOf }: TrendMetric, indexOf: ReadonlyMap<string, number>): Row => {
  const row: Row = new Array(indexOf.size).fill(undefined);
  for (const run of runs) {
    const hasValue = run.state === 'succeeded' && numberOf(run) !== null;
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

const rangeOf = (name: JudgedName, min: number | null, max: number | null): UPlot.Range.MinMax => {
  const { kind } = judgedMetric(name);
  if (kind !== 'score') return [0, Math.max((max ?? 0) * 1.1, leastHeights[kind])];
  if (min === null || max === null) return [0, 100];
  return [Math.max(0, min - SCORE_ROOM), Math.min(100, max + SCORE_ROOM)];
};

/** Dashes of the lines by region, in pixels. The gaps of a line show an equal line below it. */
const dashes = [[], [12, 8], [4, 12], [16, 6, 4, 6], [8, 4], [2, 6]];

const dashOf = (i: number): number[] => dashes[i % dashes.length] ?? [];

/** Chooses the run whose point is nearest to the cursor, if it is near. */
const chooseRun = (
  { cursor: { idx, top = 0 }, data, valToPos }: UPlot,
  rows: readonly Row[],
  choose: PlotSettings['choose'],
): void => {
  if (idx === null || idx === undefined) return;
  const candidates = rows.flatMap((row, i) => {
    const run = row[idx];
    return run ? [{ run, distance: Math.abs(valToPos(data[i + 1]?.[idx] ?? 0, 'y') - top) }] : [];
  });
  const [nearest] = candidates.sort((a, b) => a.distance - b.distance);
  if (nearest && nearest.distance < 20) choose(nearest.run);
};
