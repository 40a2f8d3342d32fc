// @ts-check
import { useState } from 'preact/hooks';
import { auditFacts } from '../facts.js';
import { html } from '../html.js';
import { useLive, useLoaded } from '../loading.js';
import { Announcer } from '../parts/announcer.js';
import { CheckActions } from '../parts/check-actions.js';
import { CheckTable } from '../parts/check-table.js';
import { Filmstrip } from '../parts/filmstrip.js';
import { Pending, ProblemNote } from '../parts/problem.js';
import { Reasons } from '../parts/reasons.js';
import { FailedRun, Warnings } from '../parts/run-notes.js';
import { shareTokenOf } from '../share.js';
import { localTime } from '../times.js';
import { useTitle } from '../title.js';

const missing =
  'There is no such check. It was erased or has expired, it belongs to another API key, or the address is wrong.';
const erased = 'The check was erased while you looked at it. What you see below is no longer stored.';

/** @param {any} check */
export const isFinished = ({ state }) => ['succeeded', 'partial', 'failed'].includes(state);

/**
 * One check, live.
 * @param {{ checkId: string }} props
 */
export const CheckPage = ({ checkId }) => {
  const { data: check, error, reload } = useLive(`/v1/checks/${checkId}`, isFinished);
  useTitle(check ? `${isFinished(check) ? '' : '◐ '}${check.url}` : 'Check');
  if (!check) {
    return html`<h1>Check</h1>
      <${Pending} error=${error} reload=${reload} missing=${missing} rows=${12} />`;
  }
  return html`
    ${error && html`<${ProblemNote} error=${error} reload=${reload} missing=${erased} />`}
    <${CheckHead} check=${check} />
    <${Announcer} runs=${check.runs} />
    <${Results} check=${check} />
  `;
};

/** @param {{ check: any }} props */
const CheckHead = ({ check }) => {
  const labels = Object.entries(check.labels ?? {}).map(([name, value]) => `${name}: ${value}`);
  const facts = [...auditFacts(check), ...labels, localTime(check.createdAt)];
  return html`<div class="head">
    <div class="grow">
      <h1><a href=${check.url} rel="noreferrer nofollow">${check.url}</a></h1>
      <p class="muted">${facts.join(' · ')}</p>
    </div>
    ${shareTokenOf(check.id) ? html`<p class="muted">A shared check, to read only</p>` : html`<${CheckActions} check=${check} />`}
  </div>`;
};

/** @param {any} run */
const hasSucceeded = ({ state }) => state === 'succeeded';

/**
 * Groups runs that failed in the same way.
 * @param {any[]} runs
 * @returns {any[][]}
 */
const groups = (runs) => [...Map.groupBy(runs, ({ error }) => JSON.stringify(error)).values()];

/** @param {{ check: any }} props */
const Results = ({ check }) => {
  const compares = isFinished(check) && check.runs.filter(hasSucceeded).length > 1;
  const { data: comparison } = useLoaded(compares ? check.links.comparison : null);
  const [all, setAll] = useState(false);
  const failed = check.runs.filter((/** @type {any} */ run) => run.state === 'failed');
  const shown = check.runs.filter((/** @type {any} */ run) => hasSucceeded(run) && run.links.filmstrip);
  return html`
    <${CheckTable} check=${check} comparison=${comparison} all=${all} />
    <p class="row">
      <button type="button" class="small" aria-expanded=${all} onClick=${() => setAll(!all)}>
        ${all ? 'Fewer metrics' : 'More metrics'}
      </button>
    </p>
    ${groups(failed).map((runs) => html`<${FailedRun} key=${runs[0].id} runs=${runs} named />`)}
    <${Warnings} runs=${check.runs} />
    ${comparison && html`<${Reasons} reasons=${comparison.reasons} />`}
    ${
      shown.length > 0 &&
      html`<section aria-labelledby="filmstrips">
      <h2 id="filmstrips">While it loads</h2>
      ${shown.map((/** @type {any} */ run) => html`<${Filmstrip} key=${run.id} run=${run} name=${run.region} />`)}
    </section>`
    }
  `;
};
