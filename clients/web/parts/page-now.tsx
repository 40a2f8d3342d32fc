import type { PageResult } from '../../../shared/pages.ts';
import { useLoaded } from '../loading.ts';
import { usePlaces, withPlace } from '../places.ts';
import { DataTable } from './data-table.tsx';
import { PageChange, PageScore } from './page-result.tsx';

/** The newest result of a page in each region, with its change. Shows nothing until it is read, because the chart says more. */
export const PageNow = ({ filter }: { filter: string }) => {
  const { data } = useLoaded<{ pages: PageResult[] }>(`/v1/pages?${filter}&limit=100`);
  const places = usePlaces();
  if (!data || data.pages.length === 0) return null;
  return (
    <>
      <h2 id="now">Now</h2>
      <DataTable labelled="now" columns={['Region', 'Performance', 'Change since the result before']}>
        {data.pages.map((page) => (
          <tr key={page.region}>
            <th scope="row">{withPlace(places, page.region)}</th>
            <td>
              <PageScore page={page} />
            </td>
            <td>
              <PageChange page={page} />
            </td>
          </tr>
        ))}
      </DataTable>
    </>
  );
};
