import { devices } from '../../../shared/options/audit-options.ts';
import { pageOrders, standings } from '../../../shared/pages/page-list.ts';
import type { PageList } from '../../../shared/pages/pages.ts';
import { pagesHeadline, sinceText, USUAL_SINCE, uniquePages } from '../../words/pages.ts';
import { useLoaded } from '../requests/loading.ts';
import { messageOf } from '../requests/requests.ts';
import { useRest } from '../requests/rest.ts';
import { navigate } from '../router.ts';
import { Choice } from '../ui/choice.tsx';
import { Field } from '../ui/field.tsx';
import { FilterForm, LabelFilter, RegionFilter } from '../ui/filter-form.tsx';
import { More } from '../ui/more.tsx';
import { usePlaces } from '../ui/places.ts';
import { Pending, ProblemNote } from '../ui/problem.tsx';
import { useTitle } from '../ui/title.ts';
import { groupings, PageTable } from './page-table.tsx';

const filterNames = ['q', 'changed', 'label', 'device', 'region'] as const;
/** Parameters of the list that always have a value, with the usual ones. */
const usual = { since: USUAL_SINCE, sort: 'change' } as const;
type Wrong = (path: string) => string | undefined;

/** The pages of the caller with their newest results, and which got worse. Its filters are in the address. */
export const PagesPage = ({ query }: { query: URLSearchParams }) => {
  useTitle('Your pages');
  usePlaces(); // together with the pages, so that a place moves nothing
  const chosen = filterNames.flatMap((name) => query.getAll(name).map((value) => [name, value]));
  const since = query.get('since') ?? usual.since;
  const sort = query.get('sort') ?? usual.sort;
  const group = query.get('group');
  const path = `/v1/pages?${new URLSearchParams([['limit', '1000'], ['since', since], ['sort', sort], ...chosen])}`;
  const first = useLoaded<PageList>(path);
  const rest = useRest(path, first.data);
  const wrong: Wrong = (name) => messageOf(first.error?.errors ?? [], name);
  const isShown = [...filterNames, 'since', 'sort'].some(wrong);
  const pages = uniquePages(rest.parts.flatMap((part) => part.pages));
  return (
    <>
      <h1 id="pages">Your pages</h1>
      <p class="answer">{first.data && first.data.counts.total > 0 && pagesHeadline(first.data, since)}</p>
      <Filters values={{ ...Object.fromEntries(query), since, sort }} wrong={wrong} />
      {first.error && first.data && !isShown && <ProblemNote error={first.error} reload={first.reload} />}
      {isShown ? null : !first.data ? (
        <Pending {...first} rows={8} />
      ) : pages.length === 0 ? (
        <NoPages isFiltered={chosen.length > 0} />
      ) : (
        <PageTable key={`${path} ${group}`} pages={pages} since={since} group={group} />
      )}
      <More rest={rest} label="More pages" />
      <p class="muted">
        A page got worse if the series of its checks has a lasting step. <a href="/pages?url=">Enter a URL</a> to see a
        page over time. <a href="/docs">The API</a> exports all runs as NDJSON.
      </p>
    </>
  );
};

type FiltersProps = { values: Record<string, string>; wrong: Wrong };

const changedNames = {
  worse: 'got worse',
  failed: 'failed',
  better: 'got better',
  unchanged: 'no sign of a change',
  untold: 'too few checks',
};
const orderNames = { change: 'change', score: 'worst score', url: 'URL' };
const spans = ['previous', '1d', '7d', '30d', '365d'];

const Filters = ({ values, wrong }: FiltersProps) => {
  const apply = (sent: [string, string][]) => {
    const isUsual = ([name, value]: [string, string]) =>
      value === '' || (usual as Record<string, string>)[name] === value;
    const filled = new URLSearchParams(sent.filter((each) => !isUsual(each)));
    navigate(`/pages${filled.size > 0 ? `?${filled}` : ''}`, { scroll: false });
  };
  const { since = '' } = values;
  const times = spans.includes(since) ? spans : [...spans, since];
  return (
    <FilterForm label="Filter" values={values} apply={apply} eager>
      <Field name="filter-q" label="Search" message={wrong('q')} class="grow">
        {(input) => <input type="search" name="q" placeholder="part of a URL" {...input} />}
      </Field>
      <Choice
        name="changed"
        label="Show"
        values={standings}
        names={changedNames}
        message={wrong('changed')}
        all="all"
      />
      <Choice
        name="since"
        label="Change"
        values={times}
        names={Object.fromEntries(times.map((time) => [time, sinceText(time)]))}
        chosen={since}
        message={wrong('since')}
      />
      <Choice name="sort" label="First" values={pageOrders} names={orderNames} message={wrong('sort')} />
      <Choice name="group" label="Groups" values={groupings} message={undefined} all="none" />
      <LabelFilter wrong={wrong} />
      <Choice name="device" label="Device" values={devices} message={wrong('device')} all="all" />
      <RegionFilter wrong={wrong} />
    </FilterForm>
  );
};

const NoPages = ({ isFiltered }: { isFiltered: boolean }) => (
  <p class="empty">
    {isFiltered ? (
      <>
        No page matches the filter. <a href="/pages">Show all pages</a>
      </>
    ) : (
      <>
        No page has a result yet. <a href="/">Audit a page</a>
      </>
    )}
  </p>
);
