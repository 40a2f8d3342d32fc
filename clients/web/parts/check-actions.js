// @ts-check
import { useRef, useState } from 'preact/hooks';
import { createCheck, newIdempotencyKey } from '../api.js';
import { html } from '../html.js';
import { navigate } from '../router.js';
import { ProblemNote } from './problem.js';

const inputs = ['url', 'auditVersion', 'regions', 'device', 'samples', 'categories', 'labels'];

/** @param {{ check: any }} props */
export const CheckActions = ({ check }) => {
  const [error, setError] = useState(/** @type {any} */ (undefined));
  const key = useRef(newIdempotencyKey());
  const again = async () => {
    setError(undefined);
    try {
      const sent = Object.fromEntries(
        inputs.filter((name) => check[name] !== undefined).map((name) => [name, check[name]]),
      );
      const { id } = await createCheck(/** @type {any} */ (sent), key.current);
      navigate(`/checks/${id}`);
    } catch (failure) {
      setError(failure);
    }
  };
  return html`<div class="actions">
      <button type="button" onClick=${again}>Audit again</button>
    </div>
    ${error && html`<div class="wide"><${ProblemNote} error=${error} reload=${again} /></div>`}`;
};
