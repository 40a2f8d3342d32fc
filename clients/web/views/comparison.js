// @ts-check
import { auditFacts } from '../facts.js';
import { html } from '../html.js';
import { useLoaded } from '../loading.js';
import { isScore, metricNames, metrics, plain, signed, textOrDash } from '../numbers.js';
import { Pending, ProblemNote } from '../parts/problem.js';
import { Reasons } from '../parts/reasons.js';
import { localTime } from '../times.js';
import { useTitle } from '../title.js';

/** @typedef {import('../numbers.js').MetricName} MetricName */

const missing = 'One of the two checks does not exist. It was erased or has expired, or it belongs to another API key.';
const signs = /** @type {Record<string, string>} */ ({ improved: '▲', regressed: '▼', same: '=', unknown: '?' });
const colors = /** @type {Record<string, string>} */ ({
  improved: 'pass',
  regressed: 'poor',
  same: 'muted',
  unknown: 'unknown',
});

/**
 * Two checks, region by region.
 * @param {{ base: string, checkId: string }} props
 */
export const ComparisonPage = ({ base, checkId }) => {
  const compared = useLoaded(`/v1/checks/${checkId}/comparison?base=${base}`);
  const before = useLoaded(`/v1/checks/${base}`);
  const after = useLoaded(`/v1/checks/${checkId}`);
  const all = [compared, before, after];
  const { data, error } = compared;
  const reload = () => {
    for (const each of all) each.reload();
  };
  useTitle(after.data ? `Comparison: ${after.data.url}` : 'Comparison');
  // The view appears at once, so that a later answer does not move an earlier one.
  if (!all.every((each) => each.data || each.error)) {
    return html`<h1>Two checks compared</h1><${Pending} reload=${reload} rows=${12} />`;
  }
  return html`
    <h1>${after.data ? html`Two checks of ${after.data.url}` : 'Two checks compared'}</h1>
    <div class="row sides">
      <${Side} name="Before" id=${base} check=${before.data} />
      <${Side} name="After" id=${checkId} check=${after.data} />
    </div>
    ${!data && html`<${Pending} error=${error} reload=${reload} missing=${missing} rows=${12} />`}
    ${data && error && html`<${ProblemNote} error=${error} reload=${reload} missing=${missing} />`}
    ${data && html`<${Reasons} reasons=${data.reasons} />`}
    ${data?.regions.map((/** @type {string} */ region) => html`<${RegionTable} key=${region} region=${region} metrics=${data.metrics} />`)}
  `;
};

/** @param {{ name: string, id: string, check: any }} props */
const Side = ({ name, id, check }) => {
  const labels = Object.entries(check?.labels ?? {}).map(([label, value]) => `${label}: ${value}`);
  return html`<p class="grow panel"><strong>${name}</strong>${' '}
    <a href="/checks/${id}">${check ? localTime(check.createdAt) : id.slice(0, 8)}</a>
    <br /><span class="muted break">${check ? [check.url, ...auditFacts(check), ...labels].join(' · ') : ' '}</span>
  </p>`;
};

/** @param {{ region: string, metrics: any }} props */
const RegionTable = ({ region, metrics: compared }) => {
  const rows = metrics.filter((name) => compared[name]?.regions[region] && !isUnknown(compared[name].regions[region]));
  return html`<h2 id="region-${region}">${region}</h2>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="region-${region}">
      <table class="results comparison" aria-labelledby="region-${region}">
        <thead><tr>${['Metric', 'Before', 'After', 'Difference', 'Verdict'].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>${rows.map((name) => html`<${Row} key=${name} name=${name} compared=${compared[name].regions[region]} />`)}</tbody>
      </table>
    </div>`;
};

/** @param {{ base: unknown, value: unknown }} compared */
const isUnknown = ({ base, value }) => base === null && value === null;

/** @param {{ name: MetricName, compared: any }} props */
const Row = ({ name, compared }) => {
  const { verdict } = compared;
  const difference = plain(compared.difference);
  const unit = isScore(name) && difference !== null ? (Math.abs(difference) === 1 ? ' point' : ' points') : '';
  return html`<tr>
    <th scope="row">${metricNames[name]}</th>
    <td>${textOrDash(name, compared.base)}</td>
    <td>${textOrDash(name, compared.value)}</td>
    <td>${difference === null ? '–' : `${signed(name, difference)}${unit}`}</td>
    <td><span class=${colors[verdict]}><span class="sign" aria-hidden="true">${signs[verdict]}</span> ${verdict}</span></td>
  </tr>`;
};
