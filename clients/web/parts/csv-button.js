// @ts-check
import { useState } from 'preact/hooks';
import { send } from '../api.js';
import { html } from '../html.js';
import { saveBlob } from '../save-blob.js';
import { ProblemNote } from './problem.js';

/**
 * Saves the newest runs of a page as CSV.
 * @param {{ url: string, device: string }} props
 */
export const CsvButton = ({ url, device }) => {
  const [error, setError] = useState(/** @type {any} */ (undefined));
  const download = async () => {
    setError(undefined);
    try {
      const path = `/v1/runs?${new URLSearchParams({ url, device, limit: '100' })}`;
      saveBlob(await (await send(path, { headers: { accept: 'text/csv' } })).blob(), 'runs.csv');
    } catch (failure) {
      setError(failure);
    }
  };
  return html`<button type="button" class="small" onClick=${download}>CSV of the newest 100 runs</button>
    ${error && html`<${ProblemNote} error=${error} reload=${download} />`}`;
};
