// @ts-check
import { html } from '../html.js';
import { gradeOf, gradeSigns, gradeWords, metricNames, numberOf, textOf } from '../numbers.js';
import { incomparable } from '../series.js';
import { localTime } from '../times.js';
import { CsvButton } from './csv-button.js';
import { NotMeasured } from './value.js';

/** @typedef {import('../numbers.js').MetricName} MetricName */

/**
 * The runs behind the chart.
 * @param {{ runs: any[], name: MetricName, url: string, device: string }} props
 */
export const TrendTable = ({ runs, name, url, device }) => {
  const reasons = incomparable(runs);
  return html`<div class="row"><h2 class="grow" id="runs">Runs</h2><${CsvButton} url=${url} device=${device} /></div>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="runs">
      <table class="runs" aria-labelledby="runs">
        <thead><tr>${['Time', 'Region', metricNames[name], 'Samples', 'Lighthouse', 'Note'].map((each) => html`<th scope="col" key=${each}>${each}</th>`)}</tr></thead>
        <tbody>${runs.map((run) => html`<${Row} key=${run.id} run=${run} name=${name} why=${reasons.get(run)} />`)}</tbody>
      </table>
    </div>`;
};

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
