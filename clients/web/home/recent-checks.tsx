import { listParameter, parametersOf } from '../../../shared/list-parameters.ts';
import { isFinished } from '../../../shared/states.ts';
import type { CheckSummary } from '../../../shared/summaries.ts';
import type { CheckList } from '../../api/lists.ts';
import { labelTexts } from '../../words/facts.ts';
import { gradeOf } from '../../words/numbers.ts';
import { localTime } from '../../words/times.ts';
import { unreadableNote } from '../../words/words.ts';
import { useLoaded, useNow } from '../requests/loading.ts';
import { messageOf } from '../requests/requests.ts';
import { useRest } from '../requests/rest.ts';
import { navigate } from '../router.ts';
import { isDeleted, useErasure } from '../session/erasures.ts';
import { Gate } from '../ui/assertions.tsx';
import { ChooseBox, ChosenBar, type ChosenChecks, useChosenChecks } from '../ui/chosen-checks.tsx';
import { Facts } from '../ui/facts.tsx';
import { FilterForm, ParameterField } from '../ui/filter-form.tsx';
import { More } from '../ui/more.tsx';
import { hasOnePlace, usePlaces } from '../ui/places.ts';
import { Pending, ProblemNote } from '../ui/problem.tsx';
import { Scroll } from '../ui/scroll.tsx';
import { isolated } from '../ui/title.ts';
import { TwoLines } from '../ui/two-lines.tsx';
import { Graded } from '../ui/value.tsx';
import { Ago } from './ago.tsx';

const REFRESH_SECONDS = 5;

/** The checks of the caller, newest first, with filters. */
export const RecentChecks = ({ query }: { query: URLSearchParams }) => {
  const filters = filtersOf(query);
  const parameters = new URLSearchParams({ limit: '20', ...filters });
  const path = `/v1/checks?${parameters}`;
  const first = useLoaded<CheckList>(path, {
    isFinished: ({ checks }) => !checks.some(isOpen),
    refreshSeconds: REFRESH_SECONDS,
  });
  usePlaces(); // together with the checks, so that a place moves nothing
  const rest = useRest(path, first.data);
  useErasure(); // an undo shows its check again
  const checks = rest.parts.flatMap((part) => part.checks).filter(({ id }) => !isDeleted(id));
  const unreadable = rest.parts.flatMap((part) => part.unreadable ?? []);
  const wrong = (name: string) => messageOf(first.error?.errors ?? [], name);
  const isShown = filterNames.some(wrong);
  const chosen = useChosenChecks();
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Recent checks</h2>
      <Filters filters={filters} wrong={wrong} />
      {first.error && first.data && !isShown && <ProblemNote error={first.error} reload={first.reload} />}
      {isShown ? null : first.data ? (
        <Rows checks={checks} unreadable={unreadable} filtered={Object.keys(filters).length > 0} chosen={chosen} />
      ) : (
        <Pending {...first} />
      )}
      <More rest={rest} label="Older checks" />
      <ChosenBar chosen={chosen} />
    </section>
  );
};

/** Names of the filters, in the address and in the API. */
const filterNames = parametersOf('checks').filter((name) => listParameter(name).field);

const filtersOf = (query: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = query.get(name);
      return value ? [[name, value]] : [];
    }),
  );

const isOpen = ({ state }: CheckSummary) => !isFinished(state);

type FiltersProps = {
  filters: Record<string, string>;
  wrong: (path: string) => string | undefined;
};

const Filters = ({ filters, wrong }: FiltersProps) => {
  const apply = (values: [string, string][]) => {
    const filled = new URLSearchParams(values.filter(([, value]) => value !== ''));
    navigate(filled.size > 0 ? `/?${filled}` : '/', { scroll: false });
  };
  return (
    <FilterForm label="Filter" values={filters} apply={apply} eager>
      {filterNames.map((name) => (
        <ParameterField key={name} name={name} wrong={wrong} />
      ))}
    </FilterForm>
  );
};

type RowsProps = {
  checks: readonly CheckSummary[];
  unreadable: readonly string[];
  filtered: boolean;
  chosen: ChosenChecks;
};

const Rows = ({ checks, unreadable, filtered, chosen }: RowsProps) => {
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
              <th scope="col">Performance</th>
              <th scope="col">Created</th>
              <th scope="col">Compare</th>
            </tr>
          </thead>
          <tbody>
            {checks.map((check) => (
              <Row key={check.id} check={check} now={now} chosen={chosen} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {note}
    </>
  );
};

type RowProps = { check: CheckSummary; now: number; chosen: ChosenChecks };

const Row = ({ check, now, chosen }: RowProps) => {
  const { id, createdAt, url } = check;
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
        <Ago at={check.createdAt} now={now} />
      </td>
      <td class="action">
        {!isOpen(check) && (
          <ChooseBox check={{ id, createdAt, text: `${isolated(url)}, ${localTime(createdAt)}` }} chosen={chosen} />
        )}
      </td>
    </tr>
  );
};

const Outcome = ({ check }: { check: CheckSummary }) => {
  const hasRegion = !hasOnePlace(usePlaces()) || check.runs.length > 1;
  const finished = check.runs.filter(({ state }) => isFinished(state));
  return (
    <ul class="outcome">
      {isOpen(check) && (
        <li>
          ◐{' '}
          {check.state === 'created'
            ? 'waiting for its turn'
            : `running, ${finished.length} of ${check.runs.length} done`}
        </li>
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
          {hasRegion && <span class="muted">{region}</span>}
        </li>
      ))}
    </ul>
  );
};
