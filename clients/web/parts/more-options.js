// @ts-check
import { useState } from 'preact/hooks';
import { html } from '../html.js';
import { useLoaded } from '../loading.js';
import { throttlingFields } from '../throttling.js';
import { Field } from './field.js';
import { ThrottlingField } from './throttling-field.js';

/** @typedef {{ version: string, aliases: string[], categories: string[] }} Version */

/** Inputs that have an error of their own here. */
export const moreFields = [
  'auditVersion',
  'throttling',
  ...throttlingFields.map(({ name }) => `throttling.${name}`),
  'categories',
  'blockedUrlPatterns',
  'labels',
];

/**
 * The inputs of a check that most people leave as they are.
 * @param {{ messageOf: (field: string) => string | undefined }} props
 */
export const MoreOptions = ({ messageOf }) => {
  const { data } = useLoaded('/v1/audit/versions');
  const [chosen, setChosen] = useState('');
  /** @type {Version[]} */
  const versions = data?.versions ?? [];
  const { categories = [] } = versions.find(({ version }) => version === chosen) ?? versions[0] ?? {};
  const wrong = moreFields.some(messageOf);
  return html`<details open=${wrong}>
    <summary>More: version, throttling, categories, blocked requests, labels</summary>
    <div class="row">
      <${Field} name="auditVersion" label="Lighthouse version" message=${messageOf('auditVersion')}>
        ${(
          /** @type {object} */ input,
        ) => html`<select name="auditVersion" ...${input} onChange=${(/** @type {any} */ event) => setChosen(event.target.value)}>
          ${versions.map(({ version, aliases }) => html`<option value=${version}>${version}${aliases.includes('latest') ? ' (latest)' : ''}</option>`)}
        </select>`}
      <//>
      <${ThrottlingField} messageOf=${messageOf} />
      <fieldset>
        <legend>Only these categories</legend>
        ${categories.map((category) => html`<label key=${category}><input type="checkbox" name="categories" value=${category} /> ${category}</label>`)}
        ${messageOf('categories') && html`<p class="error" role="alert">${messageOf('categories')}</p>`}
      </fieldset>
    </div>
    <${Field} name="blockedUrlPatterns" label="Blocked URL patterns" message=${messageOf('blockedUrlPatterns')} help="One on each line, for example *://ads.example.com/*. * stands for any characters.">
      ${(/** @type {object} */ input) => html`<textarea name="blockedUrlPatterns" rows="2" spellcheck=${false} ...${input}></textarea>`}
    <//>
    <${Field} name="labels" label="Labels" message=${messageOf('labels')} help="One on each line, for example branch: main">
      ${(/** @type {object} */ input) => html`<textarea name="labels" rows="2" ...${input}></textarea>`}
    <//>
  </details>`;
};
