// @ts-check
import { useEffect, useState } from 'preact/hooks';
import { html } from '../html.js';
import { useNow } from '../loading.js';

/** @typedef {import('../api.js').RequestError} RequestError */

/** Failures after which a view retries. */
const passes = ['offline', 'failed'];

/**
 * A failed request: what failed, what to do, and the request id. The page retries by itself, unless the request was an
 * action of the user. The countdown is outside of the alert, so that a screen reader does not read each second.
 * @param {{ error: RequestError, reload: () => void, missing?: string, action?: boolean }} props
 */
export const ProblemNote = ({ error, reload, missing, action = false }) => {
  if (error.kind === 'key') {
    return html`<p class="muted">${action ? 'The page goes on' : 'This part appears'} when you have entered an API key.</p>`;
  }
  if (error.kind === 'missing' && missing) {
    return html`<div class="panel" role="alert">
      <h2>Not found</h2>
      <p>${missing}</p>
      <p><a href="/">Recent checks</a></p>
    </div>`;
  }
  return html`<div class="panel problem">
    <div role="alert">
      <h2>${error.title ?? 'The page failed'}</h2>
      <p>${error.message}${passes.includes(error.kind) && !action && ' The page retries by itself.'}</p>
    </div>
    ${error.kind === 'too-many' && html`<${Countdown} key=${error} seconds=${error.retryAfter ?? 10} action=${action} />`}
    <p class="row">
      <button type="button" onClick=${reload}>Retry now</button>
      ${error.requestId && html`<span class="muted">Request id: <code>${error.requestId}</code></span>`}
    </p>
  </div>`;
};

/** @param {{ seconds: number, action: boolean }} props */
const Countdown = ({ seconds, action }) => {
  const now = useNow(1000);
  const end = useEnd(seconds);
  const left = Math.max(0, Math.ceil((end - now) / 1000));
  return html`<p>${action ? 'Retry' : 'The page retries'} in <span class="number">${left} s</span>.</p>`;
};

/** @param {number} seconds */
const useEnd = (seconds) => {
  const [end] = useState(() => Date.now() + seconds * 1000);
  return end;
};

/**
 * A view without data: its skeleton, or its problem.
 * @param {{ error?: RequestError, reload: () => void, missing?: string, rows?: number }} props
 */
export const Pending = ({ error, reload, missing, rows = 6 }) =>
  error
    ? html`<${ProblemNote} error=${error} reload=${reload} missing=${missing} />`
    : html`<${Skeleton} rows=${rows} />`;

/** Time after which a view without data says so, in milliseconds. */
const LATE = 10_000;

/** @param {{ rows: number }} props */
const Skeleton = ({ rows }) => {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE);
    return () => clearTimeout(timer);
  }, []);
  return html`<div class="skeleton" role="status">
    ${late ? html`<p>The service has not answered yet. The page waits for it.</p>` : html`<p class="hidden">Loading</p>`}
    ${Array.from({ length: rows }, () => html`<span></span>`)}
  </div>`;
};
