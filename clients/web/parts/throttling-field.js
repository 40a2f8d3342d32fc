// @ts-check
import { useState } from 'preact/hooks';
import { html } from '../html.js';
import { throttlingFields } from '../throttling.js';
import { Field } from './field.js';

/**
 * The throttling of a new check: the preset of its device, none, or values.
 * @param {{ messageOf: (path: string) => string | undefined }} props
 */
export const ThrottlingField = ({ messageOf }) => {
  const [{ kind, device }, setState] = useState({ kind: '', device: /** @type {'mobile' | 'desktop'} */ ('mobile') });
  const choose = (/** @type {any} */ { target }) => setState({ kind: target.value, device: target.form.device.value });
  return html`<${Field} name="throttling" label="Throttling" message=${messageOf('throttling')}>
      ${(/** @type {object} */ input) => html`<select name="throttling" ...${input} onChange=${choose}>
        <option value="">preset of the device</option>
        <option value="none">none</option>
        <option value="custom">custom values</option>
      </select>`}
    <//>
    ${
      kind === 'custom' &&
      html`<fieldset class="wide">
      <legend>Custom throttling</legend>
      ${throttlingFields.map((field) => html`<${Value} key=${field.name} field=${field} preset=${field[device]} message=${messageOf(`throttling.${field.name}`)} />`)}
    </fieldset>`
    }`;
};

/** @param {{ field: typeof throttlingFields[number], preset: number, message?: string }} props */
const Value = ({ field: { name, label, unit, min, max }, preset, message }) => html`<${Field}
  name="throttling.${name}"
  label="${label} (${unit})"
  message=${message}
  help="${min.toLocaleString('en')} to ${max.toLocaleString('en')}"
>
  ${(/** @type {object} */ input) => html`<input type="number" name="throttling.${name}" inputmode="decimal" step="any" min=${min} max=${max} defaultValue=${preset} ...${input} />`}
<//>`;
