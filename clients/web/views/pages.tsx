import { devices } from '../../../shared/audit-options.ts';
import type { PageList, PageResult } from '../../../shared/pages.ts';
import { labelTexts } from '../../words/facts.ts';
import { byPlace } from '../../words/pages.ts';
import { messageOf } from '../field-messages.ts';
import { useLoaded, useNow } from '../loading.ts';
import { Ago } from '../parts/ago.tsx';
import { Choice } from '../parts/choice.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Facts } from '../parts/facts.tsx';
import { FilterForm, LabelFilter, RegionFilter } from '../parts/filter-form.tsx';
import { More } from '../parts/more.tsx';
import { PageChange, PageScore, Sparkline } from '../parts/page-result.tsx';
import { Pending, ProblemNote } from '../parts/problem.tsx';
import { TwoLines } from '../parts/two-lines.tsx';
import { usePlaces, withPlace } from '../places.ts';
import { useRest } from '../rest.ts';
import { navigate } from '../router.ts';
import { useTitle } from '../title.ts';

const filterNames = ['label', 'device', 'region'] as const;
type Wrong = (path: string) => string | undefined;

/** The newest result of each page of the caller, the worst first. Its filters are in the address. */
export const PagesPage = ({ query }: { query: URLSearchParams }) => {
  useTitle('Your pages');
  usePlaces(); // together with the pages, so that a place moves nothing
  const chosen = filterNames.flatMap((name) => query.getAll(name).map((value) => [name, value]));
  const path = `/v1/pages?${new URLSearchParams([['limit', '50'], ...chosen])}`;
  const first = useLoaded<PageList>(path);
  const rest = useRest(path, first.data);
  const wrong: Wrong = (name) => messageOf(first.error?.errors ?? [], name);
  const isShown = filterNames.some(wrong);
  return (
    <>
      <h1 id="pages">Your pages</h1>
      <p>
        The newest result of each page, the worst first. Open a page to see it over time, or{' '}
        <a href="/pages?url=">enter its URL</a>.
      </p>
      <Filters values={Object.fromEntries(chosen)} wrong={wrong} />
      {first.error && first.data && !isShown && <ProblemNote error={first.error} reload={first.reload} />}
      {isShown ? null : first.data ? (
        <Rows
          pages={byPlace(rest.parts.flatMap(({ pages }) => pages))}
          isFiltered={chosen.length > 0}
          isAll={rest.cursor === null}
        />
      ) : (
        <Pending {...first} rows={8} />
      )}
      <More rest={rest} label="More pages" />
    </>
  );
};

type FiltersProps = { values: Record<string, string>; wrong: Wrong };

const Filters = ({ values, wrong }: FiltersProps) => {
  const apply = (sent: [string, string][]) => {
    const filled = new URLSearchParams(sent.filter(([, value]) => value !== ''));
    navigate(`/pages${filled.size > 0 ? `?${filled}` : ''}`, { scroll: false });
  };
  return (
    <FilterForm label="Filter" values={values} apply={apply} eager>
      <LabelFilter wrong={wrong} class="grow" />
      <Choice name="device" label="Device" values={devices} message={wrong('device')} all="all" />
      <RegionFilter wrong={wrong} />
    </FilterForm>
  );
};

type RowsProps = { pages: ReadonlyMap<string, PageResult>; isFiltered: boolean; isAll: boolean };

const Rows = ({ pages, isFiltered, isAll }: RowsProps) => {
  const now = useNow(30_000);
  const places = usePlaces();
  if (pages.size === 0 && !isAll) return <p class="empty">None of the worst pages matches the filter.</p>;
  if (pages.size === 0)
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
      {[...pages].map(([key, page]) => (
        <tr key={key}>
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
            <Ago at={page.createdAt} now={now} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
};
