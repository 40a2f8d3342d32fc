// @ts-check
import { useEffect, useId, useState } from 'preact/hooks';
import { html } from '../html.js';
import { onKeyChange, readKey, saveKey } from '../session.js';

/** Returns the key of this tab, also after it changes. */
const useKey = () => {
  const [key, setKey] = useState(readKey);
  useEffect(() => onKeyChange(() => setKey(readKey())), []);
  return key;
};

/** The part of a key that is no secret, and a button that forgets the key. Nothing if the tab has no key. */
export const KeyButton = () => {
  const key = useKey();
  if (key === null) return null;
  return html`<span class="key">
    Key ${key.slice(0, 8)}…
    <button type="button" class="small" onClick=${() => saveKey(null)}>Forget</button>
  </span>`;
};

/**
 * A form for the API key. `detail` says why the service refused the request.
 * @param {{ detail: string }} props
 */
export const KeyForm = ({ detail }) => {
  const id = useId();
  const [text, setText] = useState('');
  const had = useKey() !== null;
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (text.trim() !== '') saveKey(text.trim());
  };
  return html`<form class="panel" onSubmit=${submit}>
    <div role="alert">
      <h2>${had ? 'The service refused your API key' : 'This service needs an API key'}</h2>
      <p id="${id}-why">${detail}</p>
    </div>
    <div class="row">
      <label class="grow" for=${id}>API key
        <input
          id=${id}
          type="password"
          autocomplete="off"
          spellcheck=${false}
          placeholder="pas_…"
          required
          aria-describedby="${id}-why ${id}-help"
          value=${text}
          onInput=${(/** @type {any} */ event) => setText(event.target.value)}
        />
      </label>
      <button type="submit" class="primary">Use this key</button>
    </div>
    <p id="${id}-help" class="muted">
      The operator of the service makes keys with <code>npm run keys -- create</code>. This tab keeps the key until you
      close it, and sends it to this service only.
    </p>
  </form>`;
};
