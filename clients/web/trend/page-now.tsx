import type { PageList } from '../../../shared/pages/pages.ts';
import { sinceText, USUAL_SINCE } from '../../words/pages.ts';
import { PageChange, PageScore } from '../pages/page-result.tsx';
import { useLoaded } from '../requests/loading.ts';
import { DataTable } from '../ui/data-table.tsx';
import { nameOfPlace, usePlaces, withPlace } from '../ui/places.ts';

/** The newest result of a page in each region, with its change. Shows nothing until it is read, because the chart says more. */
export const PageNow = ({ filter, since = USUAL_SINCE }: { filter: string; since?: string | undefined }) => {
  const { data } = useLoaded<PageList>(`/v1/pages?${filter}&since=${since}`);
  const places = usePlaces();
  const results = data?.pages[0]?.results ?? [];
  if (results.length === 0) return null;
  return (
    <>
      <h2 id="now">Now</h2>
      <DataTable labelled="now" columns={['Region', 'Performance', `Change ${sinceText(since)}`]}>
        {results.map((result) => (
          <tr key={result.region}>
            <th scope="row">
              {results.length > 1 ? withPlace(places, result.region) : nameOfPlace(places, result.region)}
            </th>
            <td>
              <PageScore result={result} />
            </td>
            <td>
              <PageChange result={result} />
            </td>
          </tr>
        ))}
      </DataTable>
    </>
  );
};
