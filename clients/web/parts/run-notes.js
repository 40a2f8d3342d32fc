// @ts-check
import { html } from '../html.js';

/** Next steps after an error of a run, by its code. */
const nextSteps = /** @type {Record<string, string>} */ ({
  'dns-failure': 'Check the spelling of the host, and that it has a public DNS record.',
  unreachable: 'Check that the server runs and accepts connections from the internet.',
  'tls-error': 'Check the certificate of the server and its chain.',
  'invalid-response': "Check the headers of the server's answer, for example Content-Encoding.",
  'http-error': 'Open the page yourself. If it needs a login, send the check with credentials.',
  'not-html': 'Audit the address of an HTML page.',
  'no-content': 'Check that the page paints text or an image without a click.',
  'page-hung': 'Look for a script that never ends.',
  'page-crashed': 'Look for a page that uses too much memory.',
  'page-too-large': 'Make the page smaller. The documentation has the limits.',
  'load-timeout': 'Look for a slow response of the server.',
  'redirect-loop': 'Look for a redirect that depends on a cookie or on the address of the visitor.',
  'forbidden-target': 'Audit a public address.',
});
const retryStep = 'Audit the page again. If the error returns, send the id of the run to the operator.';

/**
 * Why a run failed: code, message, whose fault, and the next step.
 * @param {{ run: any, named?: boolean }} props
 */
export const FailedRun = ({ run, named = false }) => {
  const { code, message, blame, auditCode, finalUrl } = run.error;
  return html`<div class="panel problem">
    <h2>${named ? `${run.region} failed: ` : 'The run failed: '}<code>${code}</code></h2>
    <p>${message}</p>
    ${finalUrl && html`<p class="muted break">Last address: ${finalUrl}</p>`}
    <p>
      <strong>${blame === 'page' ? 'The cause is the page.' : 'The cause is this service, not the page.'}</strong>
      ${' '}${nextSteps[code] ?? retryStep}
    </p>
    <p class="muted">Run <code>${run.id}</code>${auditCode && html`, Lighthouse: <code>${auditCode}</code>`}</p>
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
