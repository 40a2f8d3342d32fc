// @ts-check
import { html } from '../html.js';
import { nextSteps, retryStep } from '../words.js';

/**
 * Why runs failed in the same way: code, message, whose fault, and the next step.
 * @param {{ runs: any[], named?: boolean }} props
 */
export const FailedRun = ({ runs, named = false }) => {
  const { code, message, blame, auditCode, finalUrl } = runs[0].error;
  const regions = runs.map(({ region }) => region).join(', ');
  return html`<div class="panel problem">
    <h2>${named ? `${regions} failed: ` : 'The run failed: '}<code>${code}</code></h2>
    <p>${message}</p>
    ${finalUrl && html`<p class="muted break">Last address: ${finalUrl}</p>`}
    <p>
      <strong>${blame === 'page' ? 'The cause is the page.' : 'The cause is this service, not the page.'}</strong>
      ${' '}${nextSteps[code] ?? retryStep}
    </p>
    <p class="muted">Run <code>${runs.map(({ id }) => id).join(', ')}</code>${auditCode && html`, Lighthouse: <code>${auditCode}</code>`}</p>
  </div>`;
};

/**
 * The warnings of runs. A warning of several runs is shown once.
 * @param {{ runs: any[] }} props
 */
export const Warnings = ({ runs }) => {
  /** @type {Map<string, string[]>} */
  const regions = new Map();
  for (const { region, warnings } of runs) {
    for (const warning of warnings) regions.set(warning, [...(regions.get(warning) ?? []), region]);
  }
  if (regions.size === 0) return null;
  return html`<ul class="warnings" aria-label="Warnings">
    ${[...regions].map(([warning, of]) => html`<li key=${warning}><span aria-hidden="true">⚠ </span>${runs.length > 1 && html`<strong>${of.join(', ')}: </strong>`}${warning}</li>`)}
  </ul>`;
};
