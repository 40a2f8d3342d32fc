// @ts-check
import { useEffect, useMemo, useState } from 'preact/hooks';
import { html } from '../html.js';
import { gradeOf, gradeSigns, gradeWords, metricNames, numberOf, textOf } from '../numbers.js';
import { incomparable } from '../series.js';
import { localTime } from '../times.js';
import { CsvButton } from './csv-button.js';
import { NotMeasured } from './value.js';

/** @typedef {import('../numbers.js').MetricName} MetricName */

/** Rows that the page renders at once. All 400 rows would block it for longer than 100 ms. */
const STEP = 50;

/**
 * The runs behind the chart.
 * @param {{ runs: any[], name: MetricName, url: string, device: string }} props
 */
export const TrendTable = ({ runs, name, url, device }) => {
  const parts = useMemo(() => partsOf(runs), [runs]);
  const names = useInSteps(name, parts.length);
  return html`<div class="row"><h2 class="grow" id="runs">Runs</h2><${CsvButton} url=${url} device=${device} /></div>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="runs">
      <table class="runs" aria-labelledby="runs">
        <thead><tr>${['Time', 'Region', metricNames[name], 'Samples', 'Lighthouse', 'Note'].map((each) => html`<th scope="col" key=${each}>${each}</th>`)}</tr></thead>
        <tbody>${parts.map((rows, i) => names[i] && html`<${Rows} key=${i} rows=${rows} name=${names[i]} />`)}</tbody>
      </table>
    </div>`;
};

/**
 * Returns the rows of the table in parts that the page renders at once.
 * @param {readonly any[]} runs
 */
const partsOf = (runs) => {
  const reasons = incomparable(runs);
  const rows = runs.map((run) => ({ run, why: reasons.get(run) }));
  return Array.from({ length: Math.ceil(rows.length / STEP) }, (_, i) => rows.slice(i * STEP, (i + 1) * STEP));
};

/**
 * Returns the metric that each part shows. One part after the other follows a change, so that the page stays responsive.
 * @param {MetricName} name
 * @param {number} count
 */
const useInSteps = (name, count) => {
  const [names, setNames] = useState(/** @type {MetricName[]} */ ([]));
  useEffect(() => {
    const late = Array.from({ length: count }, (_, i) => i).find((i) => names[i] !== name);
    if (late === undefined) return;
    const timer = setTimeout(() => setNames(Object.assign([...names], { [late]: name })));
    return () => clearTimeout(timer);
  }, [names, name, count]);
  return names;
};

/** @param {{ rows: { run: any, why?: string }[], name: MetricName }} props */
const Rows = ({ rows, name }) =>
  useMemo(() => rows.map((row) => html`<${Row} key=${row.run.id} ...${row} name=${name} />`), [rows, name]);

/** @param {{ run: any, name: MetricName, why?: string }} props */
const Row = ({ run, name, why }) => {
  const value = run.state === 'succeeded' ? numberOf(run, name) : null;
  const grade = gradeOf(name, value, run.device);
  const note = run.errorCode ? `failed: ${run.errorCode}` : (why ?? '');
  return html`<tr>
    <th scope="row" class="when"><a href="/checks/${run.checkId}/runs/${run.id}">${localTime(run.createdAt)}</a></th>
    <td>${run.region}</td>
    <td>${value === null ? html`<${NotMeasured} />` : html`<span class="value ${grade}"><span class="sign" aria-hidden="true">${gradeSigns[grade]}</span> ${textOf(name, value)}<span class="hidden"> ${gradeWords[grade]}</span></span>`}</td>
    <td>${run.sampleCount}</td>
    <td>${run.auditVersion}</td>
    <td class="muted">${note}</td>
  </tr>`;
};
