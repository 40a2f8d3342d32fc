import type { History } from '../../../shared/comparison/comparison.ts';
import type { StoredCheck } from '../store/find-check.ts';
import { type ListStore, seriesPoint } from '../store/lists.ts';

/** Entries of a series that are read. Each region and device of the URL needs some twenty. */
const ENTRIES = 200;

type Deps = { lists: Pick<ListStore, 'runs'>; now: Date };

/** Returns the checks of a check's page before a time, by region, the oldest first. They take one read. */
export const pageHistory = async (
  { lists, now }: Deps,
  { owner, url, device = 'mobile' }: StoredCheck['item'],
  before: string,
): Promise<History> => {
  const { entries } = await lists.runs(owner, url, { before }, ENTRIES, now);
  const known = entries.flatMap((entry) => ('unreadable' in entry || entry.device !== device ? [] : [entry]));
  const byRegion = Map.groupBy(known.reverse(), ({ region }) => region);
  return Object.fromEntries([...byRegion].map(([region, each]) => [region, each.map(seriesPoint)]));
};
