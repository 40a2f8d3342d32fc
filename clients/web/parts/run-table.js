// @ts-check
import { html } from '../html.js';
import { metricNames, metrics, numberOf, textOrDash } from '../numbers.js';
import { Legend, Value } from './value.js';

/** @typedef {import('../numbers.js').MetricName} MetricName */

/**
 * The metrics of a run with the range of its samples and each sample.
 * @param {{ run: any }} props
 */
export const RunTable = ({ run }) => {
  const rows = metrics.filter((name) => numberOf(run, name) !== null);
  /** @type {any[]} */
  const samples = run.samples.length > 1 ? run.samples : [];
  return html`<h2 id="metrics">Metrics</h2>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="metrics">
      <table class="results">
        <caption class="hidden">Metrics of this run${samples.length > 0 ? ' and of each sample' : ''}</caption>
        <thead><tr>
          <th scope="col">Metric</th>
          <th scope="col">${samples.length > 0 ? 'Median sample' : 'Value'}</th>
          ${samples.length > 0 && html`<th scope="col">Range</th>`}
          ${samples.map((sample, i) => html`<th scope="col">Sample ${i + 1}${sample.contended ? ' (CPU in use)' : ''}</th>`)}
        </tr></thead>
        <tbody>
          ${rows.map(
            (name) => html`<tr key=${name}>
            <th scope="row">${metricNames[name]}</th>
            <td><${Value} name=${name} run=${run} /></td>
            ${samples.length > 0 && html`<td class="muted">${rangeOf(name, run.spread?.[name])}</td>`}
            ${samples.map((sample) => html`<td>${textOrDash(name, sample[name])}</td>`)}
          </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <${Legend} />`;
};

/** @param {MetricName} name @param {{ min: any, max: any } | null | undefined} range */
const rangeOf = (name, range) => (range ? `${textOrDash(name, range.min)} to ${textOrDash(name, range.max)}` : '–');
