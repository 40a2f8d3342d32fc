import { NewCheck } from '../parts/new-check.tsx';
import { RecentChecks } from '../parts/recent-checks.tsx';
import { useTitle } from '../title.ts';

export const HomePage = () => {
  useTitle('New check');
  return (
    <>
      <h1>Audit a page</h1>
      <NewCheck />
      <p>
        <a href="/pages">Your pages, the worst first</a>
      </p>
      <RecentChecks />
    </>
  );
};
