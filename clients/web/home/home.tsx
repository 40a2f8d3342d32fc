import { NewCheck } from '../new-check/new-check.tsx';
import { useTitle } from '../ui/title.ts';
import { RecentChecks } from './recent-checks.tsx';

/** The form of a new check, filled with `?url=`, and the recent checks with the filters of the address. */
export const HomePage = ({ query }: { query: URLSearchParams }) => {
  useTitle('New check');
  return (
    <>
      <h1>Audit a page</h1>
      <NewCheck url={query.get('url') ?? ''} />
      <RecentChecks query={query} />
    </>
  );
};
