// @ts-check
import { html } from '../html.js';
import { isScore, labels, mainMetrics, metricNames, metrics, numberOf, textOrDash } from '../numbers.js';
import { Legend, Value } from './value.js';

/** @typedef {import('../numbers.js').MetricName} MetricName */

/**
 * The regions of a check side by side. The table has its full size from the start, so that results don't move it.
 * @param {{ check: any, comparison: any, all: boolean }} props
 */
export const CheckTable = ({ check, comparison, all }) => {
  const { runs } = check;
  const compares = runs.length > 1;
  const rows = (all ? metrics : mainMetrics).filter((name) => isPossible(name, check));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Results by region">
    <table class="results by-region">
      <caption class="hidden">Metrics of ${check.url} by region</caption>
      <thead><tr>
        <th scope="col">Metric</th>
        ${runs.map((/** @type {any} */ run) => html`<th scope="col" key=${run.id}><a href="/checks/${check.id}/runs/${run.id}">${run.region}</a></th>`)}
        ${compares && html`<th scope="col" class="verdict">Verdict</th>`}
      </tr></thead>
      <tbody>
        <tr><th scope="row">State</th>
          ${runs.map((/** @type {any} */ run) => html`<td key=${run.id}><${RunState} run=${run} samples=${check.samples ?? 1} /></td>`)}
          ${compares && html`<td class="muted">${check.state}</td>`}
        </tr>
        ${rows.map((name) => html`<${Row} key=${name} name=${name} runs=${runs} comparison=${comparison} compares=${compares} />`)}
      </tbody>
    </table>
  </div>
  <${Legend} />`;
};

/** @type {(name: MetricName, check: any) => boolean} */
const isPossible = (name, { auditVersion, categories }) => {
  if (name === 'pwa') return Number.parseInt(auditVersion, 10) < 12;
  return name !== 'agenticBrowsing' || categories?.includes('agentic-browsing') === true;
};

/** @param {{ name: MetricName, runs: any[], comparison: any, compares: boolean }} props */
const Row = ({ name, runs, comparison, compares }) => {
  const max = isScore(name) || name === 'cls' ? undefined : Math.max(...runs.map((run) => numberOf(run, name) ?? 0));
  return html`<tr>
    <th scope="row" title=${metricNames[name]}>${labels[name]}</th>
    ${runs.map(
      (run) => html`<td key=${run.id}>
      ${run.state === 'succeeded' ? html`<${Value} name=${name} run=${run} max=${max} />` : html`<span class="muted">${run.state === 'failed' ? '–' : '…'}</span>`}
    </td>`,
    )}
    ${compares && html`<td><${Verdict} name=${name} metric=${comparison?.metrics[name]} /></td>`}
  </tr>`;
};

/** @param {{ run: any, samples: number }} props */
const RunState = ({ run, samples }) => {
  if (run.state === 'succeeded') return html`<span class="pass">✔ done</span>`;
  if (run.state === 'failed') return html`<span class="poor">✗ ${run.error.code}</span>`;
  if (run.state === 'created') return html`<span class="muted">waiting</span>`;
  const current = Math.min(run.samples.length + 1, samples);
  return html`<span>◐ auditing${samples > 1 ? `, sample ${current} of ${samples}` : ''}</span>`;
};

/** @param {{ name: MetricName, metric: any }} props */
const Verdict = ({ name, metric }) => {
  if (!metric || metric.difference === null) return null;
  if (metric.verdict === 'unknown') return html`<span class="unknown"><span aria-hidden="true">? </span>unknown</span>`;
  if (metric.verdict !== 'different') return html`<span class="muted">${metric.verdict}</span>`;
  return html`<span>${metric.best} better by <span class="number">${textOrDash(name, metric.difference)}</span></span>`;
};
