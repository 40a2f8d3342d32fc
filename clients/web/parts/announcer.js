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
 * @param {{ runs: any[] }} props
 */
export const Announcer = ({ runs }) => {
  const known = useRef(/** @type {Set<string> | undefined} */ (undefined));
  const [text, setText] = useState('');
  useEffect(() => {
    const done = runs.filter(isDone);
    const news = known.current ? done.filter(({ id }) => !known.current?.has(id)) : [];
    known.current = new Set(done.map(({ id }) => id));
    if (news.length > 0) setText(news.map(textOfRun).join(' '));
  }, [runs]);
  return html`<p class="hidden" aria-live="polite">${text}</p>`;
};
