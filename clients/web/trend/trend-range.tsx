import { navigate } from '../router.ts';
import { daysAddress } from './trend-query.ts';

const ranges = { '7 days': 7, '30 days': 30, '90 days': 90, '1 year': 365, All: undefined };

/** Returns the day that a range begins with. Today is its last one. */
const firstDay = (days: number): Date => {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days + 1);
};

/** The switch between the last days of a trend. */
export const TrendRange = ({ query }: { query: URLSearchParams }) => (
  <div class="tabs" role="group" aria-label="Time">
    {Object.entries(ranges).map(([name, days]) => {
      const from = days === undefined ? undefined : firstDay(days);
      return (
        <button
          type="button"
          key={name}
          aria-pressed={daysAddress(query, from) === `/pages?${query}`}
          onClick={() => navigate(daysAddress(location.search, from), { scroll: false })}
        >
          {name}
        </button>
      );
    })}
  </div>
);
