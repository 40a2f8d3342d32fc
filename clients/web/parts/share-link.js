// @ts-check
import { useState } from 'preact/hooks';
import { createShareLink, revokeShareLinks } from '../api.js';
import { html } from '../html.js';
import { useAction } from '../loading.js';
import { localTime } from '../times.js';
import { Field } from './field.js';
import { ProblemNote } from './problem.js';

/**
 * Makes a link with which anyone can read a check.
 * @param {{ checkId: string }} props
 */
export const ShareLink = ({ checkId }) => {
  const [state, setState] = useState(/** @type {{ link?: any, revoked?: boolean }} */ ({}));
  const action = useAction(async (/** @type {() => Promise<{ link?: any, revoked?: boolean }>} */ act) => {
    setState({});
    setState(await act());
  });
  const create = (/** @type {any} */ event) => {
    event.preventDefault();
    const days = String(new FormData(event.currentTarget).get('days'));
    return action.run(async () => ({ link: await createShareLink(checkId, `${days}d`) }));
  };
  const revoke = () => action.run(() => revokeShareLinks(checkId).then(() => ({ revoked: true })));
  return html`<div class="panel">
    <h2>Share this check</h2>
    <p>Anyone with the link can read this check and its reports. It ends by itself, or when the check is erased.</p>
    <form class="row" onSubmit=${create}>
      <${Field} name="days" label="Ends after">
        ${(/** @type {object} */ input) => html`<select name="days" ...${input}>
          ${[1, 7, 30].map((days) => html`<option value=${days} selected=${days === 7}>${days} ${days === 1 ? 'day' : 'days'}</option>`)}
        </select>`}
      <//>
      <button type="submit" class="primary">Make a link</button>
      <button type="button" onClick=${revoke}>Revoke all links</button>
    </form>
    ${action.error && html`<${ProblemNote} error=${action.error} reload=${action.clear} action />`}
    <div aria-live="polite">
      ${state.link && html`<${Made} key=${state.link.url} link=${state.link} />`}
      ${state.revoked && html`<p>All links of this check are revoked. Nobody can read it with a link any more.</p>`}
    </div>
  </div>`;
};

/** @param {{ link: { url: string, expiresAt: string } }} props */
const Made = ({ link }) => {
  const [copied, setCopied] = useState(false);
  // Pages without TLS have no clipboard, but the field can be selected.
  const copy = () => navigator.clipboard?.writeText(link.url).then(() => setCopied(true));
  return html`<div class="row">
      <${Field} name="share-url" label="Link" class="grow">
        ${(/** @type {object} */ input) => html`<input readonly value=${link.url} onFocus=${(/** @type {any} */ event) => event.target.select()} ...${input} />`}
      <//>
      <button type="button" onClick=${copy}>${copied ? 'Copied' : 'Copy'}</button>
    </div>
    <p class="muted">Ends on ${localTime(link.expiresAt)}.</p>`;
};
