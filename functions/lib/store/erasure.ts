import { ERASED_RECHECK_MS } from '../../../shared/due-times.ts';
import { settleAll } from '../settle-all.ts';
import { announceChange } from './changes.ts';
import { type Db, deleteItem, parse, putOnce } from './dynamodb.ts';
import {
  type CheckItem,
  checkKey,
  ErasedItem,
  ifCreateId,
  ifDueAt,
  openPartition,
  pointerKey,
  readItems,
  toIso,
} from './items.ts';
import type { Reports } from './reports.ts';
import { removeOpenCheck } from './usage.ts';

const AT_ONCE = 4; // deletions; a sweep erases several checks at the same time

export type ErasureStore = ReturnType<typeof erasureStore>;

/** Erases checks with all their runs and reports, for `delete-check` and the sweeper. */
export const erasureStore = (db: Db, reports: Pick<Reports, 'keysOf' | 'delete'>) => ({
  /**
   * Replaces a check by a mark, after which no API function shows the check. Returns false if the check is gone, is
   * marked, or was created again since it was read. The mark does not expire. It stays until the sweeper deletes it.
   */
  markErased: (check: CheckItem, now: Date) => markErased(db, check, now),

  /**
   * Deletes the runs and reports of a marked check, and its entry in its owner's usage. Returns true if no run and no
   * report was left. Safe to repeat and to run concurrently.
   */
  eraseRemains: async (checkId: string): Promise<boolean> => {
    // List the reports before reading the mark. While the mark exists, no later check of this id can own these reports.
    const keys = await reports.keysOf(checkId);
    const runs = await eraseRuns(db, checkId);
    if (runs === undefined) return true;
    const deleted = await settleAll(keys, AT_ONCE, reports.delete); // no deletion may go on after this call
    for (const each of deleted) if (each.status === 'rejected') throw each.reason;
    return runs + keys.length === 0;
  },

  /** Deletes the mark of an erased check, unless the mark has changed since it was read. */
  removeErasedMark: ({ id, dueAt }: ErasedItem) => deleteItem(db, checkKey(id), ifDueAt(dueAt)),
});

const markErased = (db: Db, { id, owner, createdAt }: CheckItem, now: Date): Promise<boolean> => {
  const item: ErasedItem = { id, owner, erasedAt: now.toISOString(), dueAt: toIso(now.getTime() + ERASED_RECHECK_MS) };
  return putOnce(
    db,
    { ...checkKey(id), open: openPartition('checks'), ...item },
    { condition: '#createdAt = :createdAt', values: { ':createdAt': createdAt } },
  ).finally(() => announceChange(id));
};

/**
 * Deletes the runs of an erased check and their pointers. The workers of these runs then lose their leases. Keeps a run
 * that another create has written since. Returns the number of runs found, or undefined if there is no mark.
 */
const eraseRuns = async (db: Db, checkId: string): Promise<number | undefined> => {
  const { check, runs } = await readItems(db, checkId);
  if (!check?.erasedAt) return undefined;
  await removeOpenCheck(db, parse(ErasedItem, check).owner, checkId);
  const deleted = await settleAll(runs, AT_ONCE, async ({ pk, sk, createId }) => {
    const ifOfCheck = { condition: '#checkId = :checkId', values: { ':checkId': checkId } };
    await deleteItem(db, pointerKey(String(sk).replace('RUN#', '')), ifOfCheck);
    await deleteItem(db, { pk: String(pk), sk: String(sk) }, ifCreateId(String(createId)));
  });
  for (const each of deleted) if (each.status === 'rejected') throw each.reason;
  return runs.length;
};
