// @ts-check
import { useEffect, useRef, useState } from 'preact/hooks';
import { send } from '../api.js';
import { html } from '../html.js';
import { useAction } from '../loading.js';
import { saveBlob } from '../save-blob.js';
import { ProblemNote } from './problem.js';

/** The report runs its own script in an origin of its own, which reaches neither this page nor its key. */
const sandbox = 'allow-scripts allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads';
/** An empty page with the policy of a report. All files of the web page are in one folder. */
const frameUrl = new URL('./report-frame.html', import.meta.url).href;

/**
 * Lighthouse's report. A frame sends no API key, so this page reads the report and sends it to the frame.
 * @param {{ run: any }} props
 */
export const Report = ({ run }) => {
  const [text, setText] = useState(/** @type {string | undefined} */ (undefined));
  const windows = useReportWindows(text);
  const state = useAction(async () => {
    setText(await (await send(run.links.report, { headers: { accept: 'text/html' } })).text());
  });
  const isShown = text !== undefined;
  const show = () => (isShown ? setText(undefined) : state.run());
  const name = isShown ? 'Hide the report' : state.busy ? 'Loading the report…' : 'Show the report here';
  return html`<h2 id="report">Lighthouse's report</h2>
    <p class="row">
      <button type="button" aria-expanded=${isShown} disabled=${state.busy} onClick=${show}>${name}</button>
      ${isShown && html`<button type="button" onClick=${() => windows.add(open(frameUrl, '_blank'))}>Open it alone</button>`}
      <${Download} run=${run} />
    </p>
    ${state.error && html`<${ProblemNote} error=${state.error} reload=${show} action />`}
    ${isShown && html`<iframe class="report" title="Lighthouse's report of ${run.region}" sandbox=${sandbox} src=${frameUrl} ref=${(/** @type {HTMLIFrameElement | null} */ frame) => frame && windows.add(frame.contentWindow)}></iframe>`}`;
};

/**
 * Returns the set of windows that wait for a report. Each gets it once, when its script has started.
 * @param {string | undefined} text
 */
const useReportWindows = (text) => {
  const windows = useRef(/** @type {Set<any>} */ (new Set()));
  useEffect(() => {
    const answer = (/** @type {any} */ { source }) => {
      // A window with an opaque origin has no name, so the target is any origin.
      if (windows.current.delete(source)) source.postMessage(text, '*');
    };
    addEventListener('message', answer);
    return () => removeEventListener('message', answer);
  }, [text]);
  return windows.current;
};

/** @param {{ run: any }} props */
const Download = ({ run }) => {
  const state = useAction(async () => {
    saveBlob(await (await send(run.links.report)).blob(), `lighthouse-${run.region}-${run.id}.json`);
  });
  const download = () => state.run();
  return html`<button type="button" disabled=${state.busy} onClick=${download}>${state.busy ? 'Downloading…' : 'Download the JSON'}</button>
    ${state.error && html`<${ProblemNote} error=${state.error} reload=${download} action />`}`;
};
