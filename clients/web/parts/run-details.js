// @ts-check
import { html } from '../html.js';
import { counted } from '../numbers.js';
import { valuesText } from '../throttling.js';
import { localTime } from '../times.js';

/**
 * Requests of the page that the service blocked.
 * @param {{ run: any }} props
 */
export const Blocked = ({ run }) => {
  if (run.blockedRequestCount === 0) return null;
  return html`<h2 id="blocked">${counted(run.blockedRequestCount, 'blocked request')}</h2>
    <p class="muted">These requests of the page failed, because the service does not let a page reach every address.</p>
    <${DataTable} labelled="blocked" columns=${['Host', 'Port', 'Requests', 'Reason']}>
      ${run.blockedRequests.map(
        (/** @type {any} */ each) => html`<tr>
        <th scope="row">${each.host}</th><td>${each.port}</td><td>${each.count}</td><td>${each.reason}</td>
      </tr>`,
      )}
    <//>`;
};

/**
 * Every audit of the run.
 * @param {{ run: any }} props
 */
export const Attempts = ({ run }) => {
  if (run.attempts.length === 0) return null;
  return html`<h2 id="attempts">Attempts</h2>
    <${DataTable} labelled="attempts" columns=${['Attempt', 'Started', 'Time', 'Result']}>
      ${run.attempts.map(
        (/** @type {any} */ each) => html`<tr key=${each.number}>
        <th scope="row">${each.number}</th>
        <td>${localTime(each.startedAt)}</td>
        <td>${each.seconds.toFixed(1)} s</td>
        <td>${each.code === null ? html`<span class="pass">✔ sample</span>` : html`<span class="poor">✗ ${each.code}</span>`}${each.auditCode && html` <code>${each.auditCode}</code>`}${each.contended && html` <span class="muted">other processes used the CPU</span>`}</td>
      </tr>`,
      )}
    <//>`;
};

/** @param {number | null} share */
const percent = (share) => (share === null ? '–' : `${(share * 100).toFixed(0)} %`);

/** @param {{ throttling: string | null, throttlingValues?: any }} environment */
const throttlingOf = ({ throttling, throttlingValues: values }) => {
  if (!values) return throttling === 'provided' ? 'none' : (throttling ?? '–');
  return `${throttling}: ${valuesText(values)}`;
};

/** @param {{ benchmarkIndex: number | null, benchmarkedAt: string | null }} environment */
const benchmarkOf = ({ benchmarkIndex, benchmarkedAt }) => {
  if (benchmarkIndex === null) return '–';
  const index = benchmarkIndex.toLocaleString('en');
  return benchmarkedAt ? `${index}, measured at ${localTime(benchmarkedAt)}` : index;
};

/**
 * Browser and machine of the run.
 * @param {{ run: any }} props
 */
export const Environment = ({ run }) => {
  const { environment } = run;
  if (!environment) return null;
  const { cpuCount, memoryMiB, contended, blockedUrlPatterns } = environment;
  const rows = [
    ['Browser', environment.chromium],
    ['Throttling', throttlingOf(environment)],
    ...(blockedUrlPatterns.length > 0 ? [['Blocked URL patterns', blockedUrlPatterns.join(', ')]] : []),
    ['Machine', `${cpuCount ?? '–'} CPUs, ${memoryMiB?.toLocaleString('en') ?? '–'} MiB, ${environment.kernel ?? '–'}`],
    ['Fingerprint of the machine', environment.host ?? '–'],
    ['CPU benchmark', benchmarkOf(environment)],
    ['CPU used by others', percent(environment.cpuBusy)],
    ['CPU taken by the hypervisor', percent(environment.cpuStolen)],
    ['Contended', contended === null ? '–' : contended ? "yes: don't compare the performance of this run" : 'no'],
  ];
  return html`<h2 id="environment">Environment</h2>
    <${DataTable} labelled="environment" columns=${['Fact', 'Value']}>
      ${rows.map(([name, value]) => html`<tr key=${name}><th scope="row">${name}</th><td>${value}</td></tr>`)}
    <//>`;
};

/** @param {{ labelled: string, columns: string[], children?: any }} props */
const DataTable = ({
  labelled,
  columns,
  children,
}) => html`<div class="scroll" tabindex="0" role="region" aria-labelledby=${labelled}>
  <table aria-labelledby=${labelled}>
    <thead><tr>${columns.map((name) => html`<th scope="col" key=${name}>${name}</th>`)}</tr></thead>
    <tbody>${children}</tbody>
  </table>
</div>`;
