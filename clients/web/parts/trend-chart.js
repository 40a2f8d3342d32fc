// @ts-check
import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from '../html.js';
import { isScore, metricNames, numberOf, textOf } from '../numbers.js';
import { navigate } from '../router.js';
import { incomparable } from '../series.js';

/** @typedef {import('../numbers.js').MetricName} MetricName */

const HEIGHT = 320;
/** Colours of the regions, by light and dark. They differ in brightness too. */
const colors = {
  light: ['#0b57d0', '#a3450c', '#0a7035', '#8c1d8f', '#5d6670', '#b3261e'],
  dark: ['#80b8ff', '#ffb077', '#56cf7a', '#e69be8', '#a0aab4', '#ff8278'],
};

/** Texts of the time axis by the distance of its marks in seconds: of each mark, and below it at a new year and a new day. */
const timeTexts = [
  [365 * 86_400, '{YYYY}'],
  [28 * 86_400, '{MMM}', '\n{YYYY}'],
  [86_400, '{MMM} {D}', '\n{YYYY}'],
  [60, '{HH}:{mm}', '\n{MMM} {D}', null, '\n{MMM} {D}'],
  [1, '{HH}:{mm}:{ss}', '\n{MMM} {D}', null, '\n{MMM} {D}'],
];

const loadStyle = () => {
  if (document.getElementById('uplot')) return;
  const href = new URL('./uplot.css', import.meta.url).href; // all files of the page are in one folder
  document.head.append(Object.assign(document.createElement('link'), { id: 'uplot', rel: 'stylesheet', href }));
};

/**
 * A chart with a line per region. The table below has the same data for screen readers.
 * @param {{ runs: any[], name: MetricName, device: string }} props
 */
export const TrendChart = ({ runs, name }) => {
  const [failed, setFailed] = useState(false);
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  useEffect(() => {
    let chart = /** @type {any} */ (undefined);
    let gone = false;
    const dark = matchMedia('screen and (prefers-color-scheme: dark)');
    const draw = async () => {
      loadStyle();
      const { default: UPlot } = await import('uplot'); // only this view needs it
      if (gone || !box.current) return;
      chart?.destroy();
      const { options, data } = chartOf(runs, name, box.current.clientWidth, dark.matches);
      chart = new UPlot(/** @type {any} */ (options), /** @type {any} */ (data), box.current);
    };
    const resize = new ResizeObserver(
      () => box.current && chart?.setSize({ width: box.current.clientWidth, height: HEIGHT }),
    );
    const show = () =>
      draw().then(
        () => setFailed(false),
        () => setFailed(true),
      );
    show();
    if (box.current) resize.observe(box.current);
    dark.addEventListener('change', show);
    return () => {
      gone = true;
      resize.disconnect();
      dark.removeEventListener('change', show);
      chart?.destroy();
    };
  }, [runs, name]);
  return html`<div class="chart" ref=${box} role="img" aria-label="${metricNames[name]} by region over time. The table below has the values."></div>
    ${failed && html`<p class="note">This browser could not load the chart. The table has the same data.</p>`}`;
};

/**
 * Returns the options and the data of the chart.
 * @param {readonly any[]} runs newest first
 * @param {MetricName} name
 * @param {number} width
 * @param {boolean} dark
 */
const chartOf = (runs, name, width, dark) => {
  const regions = [...new Set(runs.map(({ region }) => region))].sort();
  const times = [...new Set(runs.map(({ createdAt }) => createdAt))].sort();
  const indexOf = new Map(times.map((time, i) => [time, i]));
  const hollow = incomparable(runs);
  const palette = dark ? colors.dark : colors.light;
  const text = dark ? '#a0aab4' : '#57606a';
  const back = dark ? '#0f1419' : '#fff';
  const grid = { stroke: dark ? '#303942' : '#d5dbe1', width: 1 };
  const rows = regions.map((region) =>
    rowOf(
      runs.filter((run) => run.region === region),
      name,
      indexOf,
    ),
  );
  const series = regions.map((region, i) => ({
    label: region,
    stroke: palette[i % palette.length],
    width: 2,
    spanGaps: false,
    points: { show: false }, // `drawPoints` draws them
    value: (/** @type {any} */ _, /** @type {number | null} */ value) =>
      value === null || value === undefined ? '–' : textOf(name, value),
  }));
  const axis = { stroke: text, grid, ticks: grid, font: '12px system-ui' };
  const options = {
    width,
    height: HEIGHT,
    series: [{ value: '{YYYY}-{MM}-{DD} {HH}:{mm}' }, ...series],
    axes: [
      { ...axis, values: timeTexts, space: 70 },
      {
        ...axis,
        size: 64,
        values: (/** @type {any} */ _, /** @type {number[]} */ values) => values.map((value) => textOf(name, value)),
      },
    ],
    scales: {
      x: {
        range: (/** @type {any} */ _, /** @type {number} */ min, /** @type {number} */ max) => aroundTimes(min, max),
      },
      y: {
        range: (/** @type {any} */ _, /** @type {number} */ _min, /** @type {number} */ max) => rangeOf(name, max),
      },
    },
    hooks: {
      draw: [(/** @type {any} */ chart) => drawPoints(chart, rows, hollow, { palette, back })],
      ready: [(/** @type {any} */ chart) => chart.over.addEventListener('click', () => openRun(chart, rows))],
    },
  };
  const values = rows.map((row) =>
    row.map((run) => (run === undefined ? undefined : run === null ? null : numberOf(run, name))),
  );
  return { options, data: [times.map((time) => Date.parse(time) / 1000), ...values] };
};

/**
 * Returns the run of a region at each time: undefined if there is none, null if it has no value, which is a gap.
 * @param {readonly any[]} runs
 * @param {MetricName} name
 * @param {Map<string, number>} indexOf
 */
const rowOf = (runs, name, indexOf) => {
  const row = new Array(indexOf.size).fill(undefined);
  for (const run of runs) {
    row[/** @type {number} */ (indexOf.get(run.createdAt))] =
      run.state === 'succeeded' && numberOf(run, name) !== null ? run : null;
  }
  return row;
};

/**
 * Returns the time span of the chart, in seconds. Half a day lies on both sides of a single run.
 * @param {number} min
 * @param {number} max
 */
const aroundTimes = (min, max) => (max > min ? [min, max] : [min - 43_200, max + 43_200]);

/** @param {MetricName} name @param {number} max */
const rangeOf = (name, max) => (isScore(name) ? [0, 100] : [0, Math.max(max * 1.1, name === 'cls' ? 0.1 : 100)]);

/**
 * Draws each point: filled, or hollow if its run is not comparable.
 * @param {any} chart
 * @param {any[][]} rows
 * @param {Map<any, string>} hollow
 * @param {{ palette: string[], back: string }} colors
 */
const drawPoints = (chart, rows, hollow, { palette, back }) => {
  const { ctx } = chart;
  rows.forEach((row, i) => {
    ctx.strokeStyle = palette[i % palette.length];
    ctx.lineWidth = 2 * devicePixelRatio;
    row.forEach((run, at) => {
      if (!run) return;
      ctx.fillStyle = hollow.has(run) ? back : ctx.strokeStyle;
      ctx.beginPath();
      ctx.arc(
        chart.valToPos(chart.data[0][at], 'x', true),
        chart.valToPos(chart.data[i + 1][at], 'y', true),
        3.5 * devicePixelRatio,
        0,
        7,
      );
      ctx.fill();
      ctx.stroke();
    });
  });
};

/** @param {any} chart @param {any[][]} rows */
const openRun = (chart, rows) => {
  const { idx, top } = chart.cursor;
  const candidates = rows
    .map((row, i) => ({ run: row[idx], distance: Math.abs(chart.valToPos(chart.data[i + 1][idx] ?? 0, 'y') - top) }))
    .filter(({ run }) => run)
    .sort((a, b) => a.distance - b.distance);
  const nearest = candidates[0];
  if (nearest && nearest.distance < 20) navigate(`/checks/${nearest.run.checkId}/runs/${nearest.run.id}`);
};
