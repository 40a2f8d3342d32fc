// @ts-check
import { html } from '../html.js';

/**
 * A labelled input with its error below it. `children` returns the input for the attributes that tie both together.
 * @param {{ name: string, label: string, message?: string, help?: string, class?: string, children: any }} props
 */
export const Field = ({ name, label, message, help, class: className = '', children }) => {
  const described = [message && `${name}-error`, help && `${name}-help`].filter(Boolean).join(' ');
  const attributes = {
    id: name,
    ...(message && { 'aria-invalid': 'true' }),
    ...(described && { 'aria-describedby': described }),
  };
  return html`<div class="field ${className}">
    <label for=${name}>${label}</label>
    ${children(attributes)}
    ${help && html`<p id="${name}-help" class="muted">${help}</p>`}
    ${message && html`<p id="${name}-error" class="error" role="alert">${message}</p>`}
  </div>`;
};
