// @ts-check
import { useState } from 'preact/hooks';
import { html } from '../html.js';
import { labels } from '../numbers.js';
import { Field } from '../parts/field.js';
import { Pending, ProblemNote } from '../parts/problem.js';
import { TrendChart } from '../parts/trend-chart.js';
import { TrendTable } from '../parts/trend-table.js';
import { navigate, replaceUrl } from '../router.js';
import { MAX_RUNS, useSeries } from '../series.js';
import { useTitle } from '../title.js';
import { unreadableNote } from '../words.js';

/** @typedef {import('../numbers.js').MetricName} MetricName */

const tabs = /** @type {MetricName[]} */ ([
  'performance',
  'lcp',
  'tbt',
  'cls',
  'fcp',
  'si',
  'accessibility',
  'bestPractices',
  'seo',
]);

/**
 * A page over time: one line per region.
 * @param {{ query: URLSearchParams }} props
 */
export const TrendPage = ({ query }) => {
  const url = query.get('url') ?? '';
  const device = query.get('device') ?? 'mobile';
  useTitle(url ? `Over time: ${url}` : 'A page over time');
  return html`
    <h1>${url || 'A page over time'}</h1>
    <${Choice} key=${`${url} ${device}`} url=${url} device=${device} />
    ${url === '' ? html`<p class="empty">Enter the URL of a page that was audited before.</p>` : html`<${Series} key=${`${url} ${device}`} url=${url} device=${device} metric=${query.get('metric')} />`}
  `;
};

/** @param {{ url: string, device: string }} props */
const Choice = ({ url, device }) => {
  const submit = (/** @type {any} */ event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    navigate(
      `/pages?${new URLSearchParams({ url: String(form.get('url')).trim(), device: String(form.get('device')) })}`,
    );
  };
  return html`<form class="row" aria-label="Page" onSubmit=${submit}>
    <${Field} name="url" label="URL" class="grow">
      ${(/** @type {object} */ input) => html`<input type="text" inputmode="url" name="url" defaultValue=${url} ...${input} />`}
    <//>
    <${Field} name="device" label="Device">
      ${(/** @type {object} */ input) => html`<select name="device" ...${input}>
        ${['mobile', 'desktop'].map((each) => html`<option selected=${each === device}>${each}</option>`)}
      </select>`}
    <//>
    <button type="submit">Show</button>
  </form>`;
};

/** @param {{ url: string, device: string, metric: string | null }} props */
const Series = ({ url, device, metric }) => {
  const { runs, unreadable, done, error, reload } = useSeries({ url, device });
  const [chosen, setChosen] = useState(
    /** @type {MetricName} */ (tabs.find((each) => each === metric) ?? 'performance'),
  );
  const choose = (/** @type {MetricName} */ name) => {
    setChosen(name);
    replaceUrl(`/pages?${new URLSearchParams({ url, device, metric: name })}`);
  };
  if (runs.length === 0 && !done) return html`<${Pending} error=${error} reload=${reload} rows=${10} />`;
  const note = unreadable.length > 0 && html`<p class="muted">${unreadableNote(unreadable, 'run')}</p>`;
  if (runs.length === 0)
    return (
      note ||
      html`<p class="empty">No finished run of this URL on ${device} is stored. <a href="/">Audit it</a> first.</p>`
    );
  return html`
    ${error && html`<${ProblemNote} error=${error} reload=${reload} />`}
    <${Tabs} chosen=${chosen} choose=${choose} />
    <${TrendChart} runs=${runs} name=${chosen} device=${device} />
    <p class="legend">
      <span>● comparable with the newest run of its region</span>
      <span>○ not comparable: other work used the CPU, another Lighthouse version, or other throttling</span>
      ${runs.length >= MAX_RUNS && html`<span>The newest ${MAX_RUNS} runs are shown.</span>`}
    </p>
    ${note}
    <${TrendTable} runs=${runs} name=${chosen} url=${url} device=${device} />
  `;
};

/** @param {{ chosen: MetricName, choose: (name: MetricName) => void }} props */
const Tabs = ({ chosen, choose }) => html`<div class="tabs" role="group" aria-label="Metric">
  ${tabs.map((name) => html`<button type="button" key=${name} aria-pressed=${name === chosen} onClick=${() => choose(name)}>${labels[name]}</button>`)}
</div>`;
