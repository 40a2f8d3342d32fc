// @ts-check
import { useState } from 'preact/hooks';
import { read } from '../api.js';
import { html } from '../html.js';
import { useAction, useLoaded, useNow } from '../loading.js';
import { gradeOf, gradeSigns, gradeWords } from '../numbers.js';
import { ago, localTime } from '../times.js';
import { unreadableNote } from '../words.js';
import { Field } from './field.js';
import { Pending, ProblemNote } from './problem.js';

const states = ['created', 'running', 'succeeded', 'partial', 'failed'];
const REFRESH_SECONDS = 5;

/** The checks of the caller, newest first, with filters. */
export const RecentChecks = () => {
  const [filters, setFilters] = useState(/** @type {Record<string, string>} */ ({}));
  const parameters = new URLSearchParams({ limit: '20', ...filters });
  const first = useLoaded(`/v1/checks?${parameters}`, {
    isFinished: ({ checks }) => !checks.some(isOpen),
    refreshSeconds: REFRESH_SECONDS,
  });
  const more = useOlder(parameters, first.data?.nextCursor);
  const checks = [...(first.data?.checks ?? []), ...more.checks];
  const unreadable = [...(first.data?.unreadable ?? []), ...more.unreadable];
  const wrong = (/** @type {string} */ path) => first.error?.errors.find((each) => each.path === path)?.message;
  const isShown = wrong('url') ?? wrong('label');
  return html`<section aria-labelledby="recent">
    <h2 id="recent">Recent checks</h2>
    <${Filters} onChange=${setFilters} wrong=${wrong} />
    ${first.error && first.data && !isShown && html`<${ProblemNote} ...${first} />`}
    ${isShown ? null : first.data ? html`<${Rows} checks=${checks} unreadable=${unreadable} filtered=${Object.keys(filters).length > 0} />` : html`<${Pending} ...${first} />`}
    ${more.error && html`<${ProblemNote} error=${more.error} reload=${more.load} action />`}
    ${more.cursor && html`<p class="center"><button type="button" disabled=${more.busy} onClick=${more.load}>Older checks</button></p>`}
  </section>`;
};

/** @param {any} check */
const isOpen = ({ state }) => state === 'created' || state === 'running';

/**
 * Loads the pages after the first one, on request.
 * @param {URLSearchParams} parameters
 * @param {string | null | undefined} firstCursor
 */
const useOlder = (parameters, firstCursor) => {
  const name = `${parameters}`;
  const none = { name, checks: /** @type {any[]} */ ([]), unreadable: /** @type {string[]} */ ([]), cursor: undefined };
  const [kept, keep] = useState(/** @type {any} */ (none));
  const { checks, unreadable, ...state } = kept.name === name ? kept : none; // a new filter starts again
  const cursor = state.cursor === undefined ? firstCursor : state.cursor;
  const { busy, error, run } = useAction(async () => {
    const page = await read(`/v1/checks?${parameters}&cursor=${encodeURIComponent(cursor)}`);
    keep({
      name,
      checks: [...checks, ...page.checks],
      unreadable: [...unreadable, ...(page.unreadable ?? [])],
      cursor: page.nextCursor,
    });
  });
  return { checks, unreadable, cursor, busy, error, load: () => run() };
};

/** @param {{ onChange: (filters: Record<string, string>) => void, wrong: (path: string) => string | undefined }} props */
const Filters = ({ onChange, wrong }) => {
  const apply = (/** @type {any} */ event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const filled = [...form].map(([name, value]) => [name, String(value).trim()]).filter(([, value]) => value !== '');
    onChange(Object.fromEntries(filled));
  };
  return html`<form class="row filters" aria-label="Filter" onSubmit=${apply} onChange=${apply}>
    <${Field} name="filter-url" label="URL" message=${wrong('url')} class="grow">
      ${(/** @type {object} */ input) => html`<input type="text" inputmode="url" name="url" placeholder="whole URL" ...${input} />`}
    <//>
    <${Field} name="filter-label" label="Label" message=${wrong('label')}>
      ${(/** @type {object} */ input) => html`<input type="text" name="label" placeholder="branch:main" ...${input} />`}
    <//>
    <${Field} name="filter-state" label="State">
      ${(/** @type {object} */ input) => html`<select name="state" ...${input}>
        <option value="">all</option>
        ${states.map((state) => html`<option>${state}</option>`)}
      </select>`}
    <//>
  </form>`;
};

/** @param {{ checks: any[], unreadable: string[], filtered: boolean }} props */
const Rows = ({ checks, unreadable, filtered }) => {
  const now = useNow(30_000);
  const note = unreadable.length > 0 && html`<p class="muted">${unreadableNote(unreadable)}</p>`;
  if (checks.length === 0) {
    if (note) return note;
    return html`<p class="empty">${filtered ? 'No check matches the filter.' : 'No checks yet. Enter a URL above and press Audit.'}</p>`;
  }
  return html`<div class="scroll"><table class="list">
    <thead><tr><th scope="col">Page</th><th scope="col">Performance by region</th><th scope="col">Created</th></tr></thead>
    <tbody>${checks.map((check) => html`<${Row} key=${check.id} check=${check} now=${now} />`)}</tbody>
  </table></div>${note}`;
};

/** @param {{ check: any, now: number }} props */
const Row = ({ check, now }) => {
  const labels = Object.entries(check.labels ?? {}).map(([name, value]) => `${name}: ${value}`);
  return html`<tr>
    <td class="page"><a href="/checks/${check.id}">${check.url}</a> <span class="muted">${[...labels, check.device ?? 'mobile'].join(' · ')}</span></td>
    <td><${Outcome} check=${check} /></td>
    <td class="when"><time datetime=${check.createdAt} title=${localTime(check.createdAt)}>${ago(check.createdAt, now)}</time></td>
  </tr>`;
};

/** @param {{ check: any }} props */
const Outcome = ({ check }) => {
  const finished = check.runs.filter((/** @type {any} */ run) => run.state === 'succeeded' || run.state === 'failed');
  return html`<ul class="outcome">
    ${isOpen(check) && html`<li>◐ ${check.state === 'created' ? 'waiting' : `running, ${finished.length} of ${check.runs.length} done`}</li>`}
    ${finished.map((/** @type {any} */ { id, region, state, performance }) => {
      const grade = gradeOf('performance', performance, 'mobile');
      return html`<li key=${id}>
        ${state === 'failed' ? html`<span class="poor">✗ failed</span>` : html`<span class=${grade}><span class="sign" aria-hidden="true">${gradeSigns[grade]}</span> <span class="number">${performance ?? '–'}</span><span class="hidden"> ${gradeWords[grade]}</span></span>`}
        ${' '}<span class="muted">${region}</span>
      </li>`;
    })}
  </ul>`;
};
