import type { CheckView } from '../../../shared/check.ts';
import { NewCheck } from '../new-check/new-check.tsx';
import { useLoaded } from '../requests/loading.ts';
import { Pending } from '../ui/problem.tsx';
import { useTitle } from '../ui/title.ts';
import { RecentChecks } from './recent-checks.tsx';

const missing = 'The check to repeat does not exist. It was erased or has expired, or it belongs to another API key.';

/**
 * The form of a new check, and the recent checks with the filters of the address. The form has the URL of `?url=`, or all
 * inputs of the check of `?again=`.
 */
export const HomePage = ({ query }: { query: URLSearchParams }) => {
  useTitle('New check');
  const again = query.get('again');
  const repeated = useLoaded<CheckView>(again ? `/v1/checks/${encodeURIComponent(again)}` : null);
  return (
    <>
      <h1>{again ? 'Audit again with a change' : 'Audit a page'}</h1>
      {again && !repeated.data && <Pending {...repeated} missing={missing} />}
      {(!again || repeated.data) && <NewCheck key={again} url={query.get('url') ?? ''} again={repeated.data} />}
      {(!again || repeated.data || repeated.error) && <RecentChecks query={query} />}
    </>
  );
};
