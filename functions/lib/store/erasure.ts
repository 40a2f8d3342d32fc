import type { CheckStore } from './checks.ts';
import type { Reports } from './reports.ts';

type Deps = { store: Pick<CheckStore, 'eraseRuns'>; reports: Pick<Reports, 'keysOf' | 'delete'> };

/**
 * Deletes what is left of a check whose mark says that it is erased: its runs, then its reports. Whether there was nothing.
 * May be done again and again, and by several at once.
 */
export const erase = async ({ store, reports }: Deps, checkId: string): Promise<boolean> => {
  // Listed before the mark is read: while it stands there is no later check of this id whose reports these could be.
  const keys = await reports.keysOf(checkId);
  const runs = await store.eraseRuns(checkId);
  if (runs === undefined) return true;
  const deleted = await Promise.allSettled(keys.map(reports.delete)); // not one of them is under way after the answer
  for (const each of deleted) if (each.status === 'rejected') throw each.reason;
  return runs + keys.length === 0;
};
