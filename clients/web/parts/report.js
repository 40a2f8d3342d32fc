// @ts-check
import { useState } from 'preact/hooks';
import { send } from '../api.js';
import { html } from '../html.js';
import { saveBlob } from '../save-blob.js';
import { readKey } from '../session.js';
import { ProblemNote } from './problem.js';

/** The report runs its own script in an origin of its own, which reaches neither this page nor its key. */
const sandbox = 'allow-scripts allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads';

/**
 * Lighthouse's report. A frame sends no API key, so with a key there is the download only.
 * @param {{ run: any }} props
 */
export const Report = ({ run }) => {
  const [shown, setShown] = useState(false);
  const open = readKey() === null;
  return html`<h2 id="report">Lighthouse's report</h2>
    <p class="row">
      ${open && html`<button type="button" aria-expanded=${shown} onClick=${() => setShown(!shown)}>${shown ? 'Hide the report' : 'Show the report here'}</button>`}
      ${open && html`<a href=${run.links.report} target="_blank" rel="noreferrer">Open it alone</a>`}
      <${Download} run=${run} />
    </p>
    ${shown && html`<iframe class="report" title="Lighthouse's report of ${run.region}" sandbox=${sandbox} src=${run.links.report}></iframe>`}`;
};

/** @param {{ run: any }} props */
const Download = ({ run }) => {
  const [state, setState] = useState(/** @type {{ error?: any, busy?: boolean }} */ ({}));
  const download = async () => {
    setState({ busy: true });
    try {
      saveBlob(await (await send(run.links.report)).blob(), `lighthouse-${run.region}-${run.id}.json`);
      setState({});
    } catch (error) {
      setState({ error });
    }
  };
  return html`<button type="button" disabled=${state.busy} onClick=${download}>${state.busy ? 'Downloading…' : 'Download the JSON'}</button>
    ${state.error && html`<${ProblemNote} error=${state.error} reload=${download} />`}`;
};
