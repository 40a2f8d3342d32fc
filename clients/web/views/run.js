// @ts-check
import { html } from '../html.js';
import { useLive } from '../loading.js';
import { counted } from '../numbers.js';
import { Announcer } from '../parts/announcer.js';
import { Filmstrip } from '../parts/filmstrip.js';
import { Pending, ProblemNote } from '../parts/problem.js';
import { Report } from '../parts/report.js';
import { Attempts, Blocked, Environment } from '../parts/run-details.js';
import { FailedRun, Warnings } from '../parts/run-notes.js';
import { RunTable } from '../parts/run-table.js';
import { ScoreTiles } from '../parts/score-tiles.js';
import { shareTokenOf } from '../share.js';
import { localTime } from '../times.js';
import { useTitle } from '../title.js';

const missing =
  'There is no such run. Its check was erased or has expired, it belongs to another API key, or the address is wrong.';

/** @param {any} run */
const isFinished = ({ state }) => state === 'succeeded' || state === 'failed';

/**
 * One run: its numbers, and how the service measured them.
 * @param {{ checkId: string, runId: string }} props
 */
export const RunPage = ({ checkId, runId }) => {
  const { data: run, error, reload } = useLive(`/v1/checks/${checkId}/runs/${runId}`, isFinished);
  useTitle(run ? `${run.region}: ${run.url}` : 'Run');
  if (!run) {
    return html`<h1>Run</h1>
      <${Pending} error=${error} reload=${reload} missing=${missing} rows=${12} />`;
  }
  return html`
    <nav aria-label="Check"><a href="/checks/${checkId}">← All regions of this check</a></nav>
    ${error && html`<${ProblemNote} error=${error} reload=${reload} missing=${missing} />`}
    <${Announcer} runs=${[run]} />
    <${RunHead} run=${run} checkId=${checkId} />
    ${run.state === 'succeeded' && html`<${ScoreTiles} run=${run} />`}
    ${run.state === 'failed' && html`<${FailedRun} runs=${[run]} />`}
    <${Warnings} runs=${[run]} />
    ${run.state === 'succeeded' && html`<${RunTable} run=${run} />`}
    ${run.state === 'succeeded' && run.links.filmstrip && html`<h2>While it loads</h2><${Filmstrip} run=${run} name=${run.region} />`}
    <${Blocked} run=${run} />
    <${Attempts} run=${run} />
    <${Environment} run=${run} />
    ${run.links.report && html`<${Report} run=${run} />`}
  `;
};

/** @param {{ run: any, checkId: string }} props */
const RunHead = ({ run, checkId }) => {
  const samples =
    run.samples.length > 0 ? [`${counted(run.samples.length, 'sample')}${isFinished(run) ? '' : ' so far'}`] : [];
  const facts = [`Lighthouse ${run.auditVersion}`, run.device, ...samples, localTime(run.createdAt)];
  return html`<div class="head">
    <div class="grow">
      <h1>${run.region}: <a href=${run.url} rel="noreferrer nofollow">${run.url}</a></h1>
      <p class="muted">${facts.join(' · ')}</p>
      ${run.finalUrl && run.finalUrl !== run.url && html`<p class="muted break">Measured: ${run.finalUrl}</p>`}
      ${!isFinished(run) && html`<p role="status">◐ ${run.state === 'created' ? 'The run waits for an auditor.' : 'The page is being audited.'} The result appears here.</p>`}
    </div>
    ${!shareTokenOf(checkId) && html`<div class="actions"><a class="button" href="/pages?${new URLSearchParams({ url: run.url, device: run.device })}">Over time</a></div>`}
  </div>`;
};
