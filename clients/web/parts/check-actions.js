// @ts-check
import { useRef, useState } from 'preact/hooks';
import { createCheck, newIdempotencyKey } from '../api.js';
import { auditFacts } from '../facts.js';
import { html } from '../html.js';
import { useAction, useLoaded, useNow } from '../loading.js';
import { navigate } from '../router.js';
import { ago } from '../times.js';
import { Pending, ProblemNote } from './problem.js';
import { ShareLink } from './share-link.js';

/** Inputs of a check that its answer repeats. */
const inputs = [
  'url',
  'auditVersion',
  'regions',
  'device',
  'samples',
  'categories',
  'labels',
  'throttling',
  'blockedUrlPatterns',
];

/**
 * Actions on a check. One panel is open at a time.
 * @param {{ check: any }} props
 */
export const CheckActions = ({ check }) => {
  const [panel, setPanel] = useState('');
  const key = useRef(newIdempotencyKey());
  const toggle = (/** @type {string} */ name) => setPanel(panel === name ? '' : name);
  const { error, run } = useAction(async () => {
    const sent = Object.fromEntries(
      inputs.filter((name) => check[name] !== undefined).map((name) => [name, check[name]]),
    );
    const { id } = await createCheck(/** @type {any} */ (sent), key.current);
    navigate(`/checks/${id}`);
  });
  const again = () => run();
  const series = new URLSearchParams({ url: check.url, device: check.device ?? 'mobile' });
  return html`<div class="actions">
      <a class="button" href="/pages?${series}">Over time</a>
      <button type="button" aria-expanded=${panel === 'share'} onClick=${() => toggle('share')}>Share</button>
      <button type="button" onClick=${again}>Audit again</button>
      <button type="button" aria-expanded=${panel === 'compare'} onClick=${() => toggle('compare')}>Compare with …</button>
    </div>
    ${error && html`<div class="wide"><${ProblemNote} error=${error} reload=${again} action /></div>`}
    ${panel === 'share' && html`<div class="wide"><${ShareLink} checkId=${check.id} /></div>`}
    ${panel === 'compare' && html`<div class="wide"><${Others} check=${check} /></div>`}`;
};

/** @param {{ check: any }} props */
const Others = ({ check }) => {
  const now = useNow(30_000);
  const loaded = useLoaded(`/v1/checks?${new URLSearchParams({ limit: '20', url: check.url })}`);
  if (!loaded.data) return html`<${Pending} ...${loaded} rows=${3} />`;
  const others = loaded.data.checks.filter((/** @type {any} */ { id }) => id !== check.id);
  if (others.length === 0)
    return html`<p class="panel">There is no other check of this URL. Audit it again to compare.</p>`;
  return html`<div class="panel">
    <h2>Compare with an earlier or later check of this URL</h2>
    <ul>${others.map((/** @type {any} */ other) => {
      const [base, head] = other.createdAt < check.createdAt ? [other, check] : [check, other];
      const labels = Object.entries(other.labels ?? {}).map(([name, value]) => `${name}: ${value}`);
      const facts = [...auditFacts(other), ...labels, other.state];
      return html`<li key=${other.id}><a href="/comparisons/${base.id}...${head.id}">${ago(other.createdAt, now)}</a> <span class="muted">${facts.join(' · ')}</span></li>`;
    })}</ul>
  </div>`;
};
