// @ts-check
import { useRef } from 'preact/hooks';
import { createCheck, newIdempotencyKey } from '../api.js';
import { inputsOf } from '../form-inputs.js';
import { html } from '../html.js';
import { useAction, useLoaded } from '../loading.js';
import { navigate } from '../router.js';
import { Field } from './field.js';
import { MoreOptions, moreFields } from './more-options.js';
import { ProblemNote } from './problem.js';

/** Regions that a new check has at first, if the service has them. */
const usual = ['us-west1', 'europe-north1'];

/** Fields of the form, which show their own errors. */
const fields = ['url', 'regions', ...moreFields];

/** @param {string} path */
const fieldOf = (path) => path.split('.')[0] ?? '';

/**
 * Returns the text of an error. The entry of a list is named by its number.
 * @param {{ path: string, message: string }} error
 */
const textOf = ({ path, message }) => {
  const [, index] = /\.(\d+)$/.exec(path) ?? [];
  return index === undefined ? message : `Entry ${Number(index) + 1}: ${message}`;
};

/** The form of a new check. */
export const NewCheck = () => {
  const offer = useLoaded('/v1/regions');
  const form = useForm();
  const { error, busy, submit } = form;
  /** @type {{ path: string, message: string }[]} */
  const errors = error?.errors ?? [];
  const messageOf = (/** @type {string} */ field) => {
    const hasParts = field !== 'throttling'; // the values of the throttling have fields of their own
    const found = errors.find(({ path }) => path === field || (hasParts && fieldOf(path) === field));
    return found && textOf(found);
  };
  const isShown = errors.length > 0 && errors.every(({ path }) => fields.includes(fieldOf(path)));
  return html`<form class="panel new-check" aria-label="New check" onSubmit=${submit} novalidate>
    <div class="row">
      <${Field} name="url" label="URL" message=${messageOf('url')} class="grow">
        ${(/** @type {object} */ input) => html`<input type="url" name="url" inputmode="url" autocomplete="url" placeholder="https://example.com/" ...${input} />`}
      <//>
      <button type="submit" class="primary" disabled=${busy}>${busy ? 'Starting…' : 'Audit'}</button>
    </div>
    <${Regions} regions=${offer.data?.regions} failed=${offer.error !== undefined} message=${messageOf('regions')} />
    <div class="row">
      <fieldset>
        <legend>Device</legend>
        <label><input type="radio" name="device" value="mobile" checked /> mobile</label>
        <label><input type="radio" name="device" value="desktop" /> desktop</label>
      </fieldset>
      <label class="inline">Samples per region
        <select name="samples">
          ${[1, 2, 3, 4, 5].map((count) => html`<option value=${count} selected=${count === 3}>${count}</option>`)}
        </select>
      </label>
      <p class="muted">Verdicts need at least 3 samples.</p>
    </div>
    <${MoreOptions} messageOf=${messageOf} />
    ${error && !isShown && html`<${ProblemNote} error=${error} reload=${form.clear} action />`}
  </form>`;
};

/** Returns the state of the form, and the function that sends it. */
const useForm = () => {
  const attempt = useRef({ body: '', key: '' });
  const action = useAction(async (/** @type {ReturnType<typeof inputsOf>} */ inputs) => {
    const body = JSON.stringify(inputs);
    // The same form sent again after a failure is the same check.
    if (attempt.current.body !== body) attempt.current = { body, key: newIdempotencyKey() };
    const { id } = await createCheck(inputs, attempt.current.key);
    navigate(`/checks/${id}`);
  });
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    return action.run(inputsOf(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget))));
  };
  return { ...action, submit };
};

/** @param {{ regions?: { id: string }[], failed: boolean, message?: string }} props */
const Regions = ({ regions, failed, message }) => {
  const ids = regions?.map(({ id }) => id) ?? [];
  const chosen = usual.some((each) => ids.includes(each)) ? usual : ids.slice(0, 2);
  return html`<fieldset class="regions ${regions ? '' : 'loading'}" aria-describedby=${message ? 'regions-error' : null}>
    <legend>Regions</legend>
    ${ids.map((id) => html`<label key=${id}><input type="checkbox" name="regions" value=${id} defaultChecked=${chosen.includes(id)} /> ${id}</label>`)}
    ${!regions && failed && html`<p>The regions did not load. The page retries by itself.</p>`}
    ${message && html`<p id="regions-error" class="error" role="alert">${message}</p>`}
  </fieldset>`;
};
