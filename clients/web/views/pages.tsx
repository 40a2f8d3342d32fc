import type { TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';
import { devices } from '../../../shared/audit-options.ts';
import type { PageList, PageResult } from '../../../shared/pages.ts';
import { allRegions } from '../../../shared/regions.ts';
import { labelTexts } from '../../words/facts.ts';
import { ago, localTime } from '../../words/times.ts';
import { messageOf } from '../field-messages.ts';
import { useAction, useLoaded, useNow } from '../loading.ts';
import { Choice } from '../parts/choice.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Facts } from '../parts/facts.tsx';
import { Field } from '../parts/field.tsx';
import { PageChange, PageScore, Sparkline } from '../parts/page-result.tsx';
import { Pending, ProblemNote } from '../parts/problem.tsx';
import { TwoLines } from '../parts/two-lines.tsx';
import { usePlaces, withPlace } from '../places.ts';
import { readBody } from '../requests.ts';
import { navigate } from '../router.ts';
import { useTitle } from '../title.ts';

const filterNames = ['label', 'device', 'region'] as const;
type Wrong = (path: string) => string | undefined;

/** The newest result of each page of the caller, the worst first. Its filters are in the address. */
export const PagesPage = ({ query }: { query: URLSearchParams }) => {
  useTitle('Your pages');
  usePlaces(); // together with the pages, so that a place moves nothing
  const chosen = filterNames.flatMap((name) => query.getAll(name).map((value) => [name, value]));
  const filters = new URLSearchParams(chosen);
  const path = `/v1/pages?${new URLSearchParams([['limit', '50'], ...chosen])}`;
  const first = useLoaded<PageList>(path);
  const more = useMore(path, first.data);
  const wrong: Wrong = (name) => messageOf(first.error?.errors ?? [], name);
  const isShown = filterNames.some(wrong);
  return (
    <>
      <h1 id="pages">Your pages</h1>
      <p>
        The newest result of each page, the worst first. Open a page to see it over time, or{' '}
        <a href="/pages?url=">enter its URL</a>.
      </p>
      <Filters key={`${filters}`} query={filters} wrong={wrong} />
      {first.error && first.data && !isShown && <ProblemNote error={first.error} reload={first.reload} />}
      {isShown ? null : first.data ? (
        <Rows
          pages={[...first.data.pages, ...more.pages]}
          isFiltered={chosen.length > 0}
          isAll={more.cursor === null}
        />
      ) : (
        <Pending {...first} rows={8} />
      )}
      {more.error && <ProblemNote error={more.error} reload={more.load} action />}
      {more.cursor && (
        <p class="center">
          <button type="button" disabled={more.busy} onClick={more.load}>
            More pages
          </button>
        </p>
      )}
    </>
  );
};

/** Loads the rest of the list on request. */
const useMore = (path: string, first: PageList | undefined) => {
  const none = { path, pages: [] as PageResult[], cursor: first?.nextCursor };
  const [kept, keep] = useState(none);
  const isOfList = kept.path === path && kept.pages.length > 0; // a new filter starts again
  const { pages, cursor } = isOfList ? kept : none;
  const { busy, error, run } = useAction(async () => {
    const next = await readBody<PageList>(`${path}&cursor=${encodeURIComponent(cursor ?? '')}`);
    keep({ path, pages: [...pages, ...next.pages], cursor: next.nextCursor });
  });
  return { pages, cursor, busy, error, load: () => run() };
};

const Filters = ({ query, wrong }: { query: URLSearchParams; wrong: Wrong }) => {
  const apply = (event: TargetedEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()]);
    const filled = new URLSearchParams(form.filter(([, value]) => value !== ''));
    navigate(`/pages${filled.size > 0 ? `?${filled}` : ''}`);
  };
  return (
    <form class="row filters" aria-label="Filter" onSubmit={apply} onChange={apply}>
      <Field name="filter-label" label="Label" message={wrong('label')} class="grow">
        {(input) => (
          <input
            type="text"
            name="label"
            placeholder="branch:main"
            defaultValue={query.get('label') ?? ''}
            {...input}
          />
        )}
      </Field>
      <Choice
        name="device"
        label="Device"
        values={devices}
        chosen={query.get('device')}
        message={wrong('device')}
        all="all"
      />
      <Choice
        name="region"
        label="Region"
        values={allRegions}
        chosen={query.get('region')}
        message={wrong('region')}
        all="all"
      />
    </form>
  );
};

type RowsProps = { pages: readonly PageResult[]; isFiltered: boolean; isAll: boolean };

const Rows = ({ pages, isFiltered, isAll }: RowsProps) => {
  const now = useNow(30_000);
  const places = usePlaces();
  if (pages.length === 0 && !isAll) return null; // a filter may leave nothing of the first part of the list
  if (pages.length === 0)
    return (
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
  return (
    <DataTable labelled="pages" class="list" columns={['Page', 'Performance', 'Change', 'Last results', 'Measured']}>
      {pages.map((page) => (
        <tr key={`${page.url} ${page.device} ${page.region}`}>
          <td class="page">
            <TwoLines>
              <a href={page.links.page}>
                <bdi>{page.url}</bdi>
              </a>
            </TwoLines>{' '}
            <span class="muted">
              <Facts facts={[withPlace(places, page.region), page.device, ...labelTexts(page)]} />
            </span>
          </td>
          <td>
            <PageScore page={page} />
          </td>
          <td class="change">
            <PageChange page={page} />
          </td>
          <td>
            <Sparkline page={page} />
          </td>
          <td class="when">
            <time datetime={page.createdAt} title={localTime(page.createdAt)}>
              {ago(page.createdAt, now)}
            </time>
          </td>
        </tr>
      ))}
    </DataTable>
  );
};
