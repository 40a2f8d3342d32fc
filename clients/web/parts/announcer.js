// @ts-check
import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from '../html.js';

/** @param {any} run */
const isDone = ({ state }) => state === 'succeeded' || state === 'failed';

/** @param {any} run */
const textOfRun = ({ region, state, performance, error }) =>
  state === 'failed'
    ? `${region} failed: ${error.code}.`
    : `${region} finished. Performance ${performance ?? 'unknown'}.`;

/**
 * Tells a screen reader which regions have finished since the last change.
 * @param {{ check: any }} props
 */
export const Announcer = ({ check }) => {
  const known = useRef(/** @type {Set<string> | undefined} */ (undefined));
  const [text, setText] = useState('');
  useEffect(() => {
    const done = check.runs.filter(isDone);
    const news = known.current ? done.filter((/** @type {any} */ { id }) => !known.current?.has(id)) : [];
    known.current = new Set(done.map((/** @type {any} */ { id }) => id));
    if (news.length > 0) setText(news.map(textOfRun).join(' '));
  }, [check]);
  return html`<p class="hidden" aria-live="polite">${text}</p>`;
};
