// @ts-check
import { useState } from 'preact/hooks';
import { createShareLink, send } from '../api.js';
import { html } from '../html.js';
import { saveBlob } from '../save-blob.js';
import { readKey } from '../session.js';
import { shareTokenOf, withShareToken } from '../share.js';
import { ProblemNote } from './problem.js';

/** The report runs its own script in an origin of its own, which reaches neither this page nor its key. */
const sandbox = 'allow-scripts allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads';

/**
 * Lighthouse's report. A frame sends no API key, so with a key the page makes a share link of a day for it.
 * @param {{ run: any }} props
 */
export const Report = ({ run }) => {
  const [state, setState] = useState(/** @type {{ url?: string, error?: any }} */ ({}));
  const show = () => {
    if (state.url) return setState({});
    readableUrl(run.links.report).then(
      (url) => setState({ url }),
      (error) => setState({ error }),
    );
  };
  return html`<h2 id="report">Lighthouse's report</h2>
    <p class="row">
      <button type="button" aria-expanded=${Boolean(state.url)} onClick=${show}>${state.url ? 'Hide the report' : 'Show the report here'}</button>
      ${state.url && html`<a class="button" href=${state.url} target="_blank" rel="noreferrer">Open it alone</a>`}
      <${Download} run=${run} />
    </p>
    ${state.error && html`<${ProblemNote} error=${state.error} reload=${show} action />`}
    ${state.url && html`<iframe class="report" title="Lighthouse's report of ${run.region}" sandbox=${sandbox} src=${state.url}></iframe>`}`;
};

/**
 * Returns the URL of a report for a request without an API key.
 * @param {string} path
 */
const readableUrl = async (path) => {
  const [, checkId = ''] = /^\/v1\/checks\/([^/]+)/.exec(path) ?? [];
  if (readKey() !== null && !shareTokenOf(checkId)) {
    const { url } = await createShareLink(checkId, '1d');
    return `${path}?${new URL(url).hash.slice(1)}`;
  }
  return withShareToken(path);
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
    ${state.error && html`<${ProblemNote} error=${state.error} reload=${download} action />`}`;
};
