import type { TargetedEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CheckSummary } from '../../../shared/summaries.ts';
import { labelTexts } from '../../words/facts.ts';
import { gradeOf } from '../../words/numbers.ts';
import { ago, localTime } from '../../words/times.ts';
import { unreadableNote } from '../../words/words.ts';
import { messageOf } from '../field-messages.ts';
import { useAction, useLoaded, useNow } from '../loading.ts';
import { readBody } from '../requests.ts';
import { navigate } from '../router.ts';
import { Gate } from './assertions.tsx';
import { Facts } from './facts.tsx';
import { Field } from './field.tsx';
import { Pending, ProblemNote } from './problem.tsx';
import { Scroll } from './scroll.tsx';
import { TwoLines } from './two-lines.tsx';
import { Graded } from './value.tsx';

/** One page of checks. `unreadable` has the ids of checks whose stored data can't be read. */
type CheckList = { checks: CheckSummary[]; unreadable?: string[]; nextCursor: string | null };

const states = ['created', 'running', 'succeeded', 'partial', 'failed'];
const REFRESH_SECONDS = 5;

/** The checks of the caller, newest first, with filters. */
export const RecentChecks = ({ query }: { query: URLSearchParams }) => {
  const filters = filtersOf(query);
  const parameters = new URLSearchParams({ limit: '20', ...filters });
  const first = useLoaded<CheckList>(`/v1/checks?${parameters}`, {
    isFinished: ({ checks }) => !checks.some(isOpen),
    refreshSeconds: REFRESH_SECONDS,
  });
  const more = useOlder(parameters, first.data?.nextCursor);
  const checks = [...(first.data?.checks ?? []), ...more.checks];
  const unreadable = [...(first.data?.unreadable ?? []), ...more.unreadable];
  const wrong = (name: string) => messageOf(first.error?.errors ?? [], name);
  const isShown = Object.values(filterNames).some(wrong);
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Recent checks</h2>
      <Filters filters={filters} wrong={wrong} />
      {first.error && first.data && !isShown && <ProblemNote error={first.error} reload={first.reload} />}
      {isShown ? null : first.data ? (
        <Rows checks={checks} unreadable={unreadable} filtered={Object.keys(filters).length > 0} />
      ) : (
        <Pending {...first} />
      )}
      {more.error && <ProblemNote error={more.error} reload={more.load} action />}
      {more.cursor && (
        <p class="center">
          <button type="button" disabled={more.busy} onClick={more.load}>
            Older checks
          </button>
        </p>
      )}
    </section>
  );
};

/** Names of the filters in the address, with the parameters of the API. In the address, `url` fills the form. */
const filterNames = { page: 'url', label: 'label', state: 'state', assertionsPassed: 'assertionsPassed' } as const;

const filtersOf = (query: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filterNames).flatMap(([name, parameter]) => {
      const value = query.get(name);
      return value ? [[parameter, value]] : [];
    }),
  );

/** Returns the address of the page with these filters. */
const addressOf = (form: FormData): string => {
  const filled = Object.entries(filterNames).flatMap(([name, parameter]) => {
    const value = String(form.get(parameter) ?? '').trim();
    return value ? [[name, value]] : [];
  });
  return filled.length > 0 ? `/?${new URLSearchParams(filled)}` : '/';
};

const isOpen = ({ state }: CheckSummary) => state === 'created' || state === 'running';

type Older = { name: string; checks: CheckSummary[]; unreadable: string[]; cursor?: string | null };

/** Loads the pages after the first one, on request. */
const useOlder = (parameters: URLSearchParams, firstCursor: string | null | undefined) => {
  const name = `${parameters}`;
  const none: Older = { name, checks: [], unreadable: [] };
  const [kept, keep] = useState(none);
  const { checks, unreadable, cursor = firstCursor } = kept.name === name ? kept : none; // a new filter starts again
  const { busy, error, run } = useAction(async () => {
    const page = await readBody<CheckList>(`/v1/checks?${parameters}&cursor=${encodeURIComponent(cursor ?? '')}`);
    keep({
      name,
      checks: [...checks, ...page.checks],
      unreadable: [...unreadable, ...(page.unreadable ?? [])],
      cursor: page.nextCursor,
    });
  });
  return { checks, unreadable, cursor, busy, error, load: () => run() };
};

type FiltersProps = {
  filters: Record<string, string>;
  wrong: (path: string) => string | undefined;
};

const Filters = ({ filters, wrong }: FiltersProps) => {
  const form = useRef<HTMLFormElement>(null);
  const address = JSON.stringify(filters);
  useEffect(() => {
    // The address may change by Back. An input that the user edits keeps its text until then.
    for (const input of form.current?.querySelectorAll<HTMLInputElement>('[name]') ?? [])
      input.value = filters[input.name] ?? '';
  }, [address]);
  const apply = (event: TargetedEvent<HTMLFormElement>) => {
    event.preventDefault();
    navigate(addressOf(new FormData(event.currentTarget)), { scroll: false });
  };
  return (
    <form ref={form} class="row filters" aria-label="Filter" onSubmit={apply} onChange={apply}>
      <Field name="filter-url" label="URL" message={wrong('url')} class="first">
        {(input) => <input type="text" inputmode="url" name="url" placeholder="whole URL" {...input} />}
      </Field>
      <Field name="filter-label" label="Label" message={wrong('label')}>
        {(input) => <input type="text" name="label" placeholder="branch:main" {...input} />}
      </Field>
      <Field name="filter-state" label="State" message={wrong('state')}>
        {(input) => (
          <select name="state" {...input}>
            <option value="">all</option>
            {states.map((state) => (
              <option key={state}>{state}</option>
            ))}
          </select>
        )}
      </Field>
      <Field name="filter-assertions" label="Assertions" message={wrong('assertionsPassed')}>
        {(input) => (
          <select name="assertionsPassed" {...input}>
            <option value="">all</option>
            <option value="true">passed</option>
            <option value="false">failed</option>
          </select>
        )}
      </Field>
    </form>
  );
};

type RowsProps = { checks: readonly CheckSummary[]; unreadable: readonly string[]; filtered: boolean };

const Rows = ({ checks, unreadable, filtered }: RowsProps) => {
  const now = useNow(30_000);
  const note = unreadable.length > 0 && <p class="muted">{unreadableNote(unreadable)}</p>;
  if (checks.length === 0) {
    if (note) return note;
    return (
      <p class="empty">
        {filtered ? (
          <>
            No check matches the filter. <a href="/">Show all checks</a>
          </>
        ) : (
          'No checks yet. Enter a URL above and press Audit.'
        )}
      </p>
    );
  }
  return (
    <>
      <Scroll labelledBy="recent">
        <table class="list" aria-labelledby="recent">
          <thead>
            <tr>
              <th scope="col">Page</th>
              <th scope="col">Performance by region</th>
              <th scope="col">Created</th>
            </tr>
          </thead>
          <tbody>
            {checks.map((check) => (
              <Row key={check.id} check={check} now={now} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {note}
    </>
  );
};

const Row = ({ check, now }: { check: CheckSummary; now: number }) => {
  return (
    <tr>
      <td class="page">
        <TwoLines>
          <a href={`/checks/${check.id}`}>
            <bdi>{check.url}</bdi>
          </a>
        </TwoLines>{' '}
        <span class="muted">
          <Facts facts={[...labelTexts(check), check.device ?? 'mobile']} />
        </span>
      </td>
      <td>
        <Outcome check={check} />
      </td>
      <td class="when">
        <time datetime={check.createdAt} title={localTime(check.createdAt)}>
          {ago(check.createdAt, now)}
        </time>
      </td>
    </tr>
  );
};

const Outcome = ({ check }: { check: CheckSummary }) => {
  const finished = check.runs.filter((run) => run.state === 'succeeded' || run.state === 'failed');
  return (
    <ul class="outcome">
      {isOpen(check) && (
        <li>◐ {check.state === 'created' ? 'waiting' : `running, ${finished.length} of ${check.runs.length} done`}</li>
      )}
      {typeof check.assertionsPassed === 'boolean' && (
        <li>
          <Gate passed={check.assertionsPassed} />
        </li>
      )}
      {finished.map(({ id, region, state, performance }) => (
        <li key={id}>
          {state === 'failed' ? (
            <span class="poor">✗ failed</span>
          ) : (
            <Graded grade={gradeOf('performance', performance, 'mobile')} text={performance ?? '–'} />
          )}{' '}
          <span class="muted">{region}</span>
        </li>
      ))}
    </ul>
  );
};
