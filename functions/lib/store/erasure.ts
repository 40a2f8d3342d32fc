import { ERASED_RECHECK_MS } from '../../../shared/due-times.ts';
import { type Db, deleteItem, parse, putItem } from './dynamodb.ts';
import {
  CheckItem,
  checkKey,
  type ErasedItem,
  ifCreateId,
  ifDueAt,
  openPartition,
  pointerKey,
  readItems,
  toIso,
} from './items.ts';
import type { Reports } from './reports.ts';
import { uncountOpenCheck } from './usage.ts';

export type ErasureStore = ReturnType<typeof erasureStore>;

/** What deletes a check with all that belongs to it. */
export const erasureStore = (db: Db, reports: Pick<Reports, 'keysOf' | 'delete'>) => ({
  /**
   * Puts a mark in the place of a check: from now on nobody reads it. False where it is gone or marked already, or is
   * another check than the one that was read. The mark has no `expiresAt`: it stands until all is erased. A check that was
   * open till then counts as open no more: what the mark took the place of tells it, as it may have closed since it was read.
   */
  markErased: (check: CheckItem, now: Date) => markErased(db, check, now),

  /**
   * Deletes what is left of a check whose mark says that it is erased: its runs, then its reports. Whether there was nothing.
   * May be done again and again, and by several at once.
   */
  eraseRemains: async (checkId: string): Promise<boolean> => {
    // Listed before the mark is read: while it stands there is no later check of this id whose reports these could be.
    const keys = await reports.keysOf(checkId);
    const runs = await eraseRuns(db, checkId);
    if (runs === undefined) return true;
    const deleted = await Promise.allSettled(keys.map(reports.delete)); // not one of them is under way after the answer
    for (const each of deleted) if (each.status === 'rejected') throw each.reason;
    return runs + keys.length === 0;
  },

  /** Deletes the mark of an erased check, unless somebody acted on it since it was read. */
  removeErasedMark: ({ id, dueAt }: ErasedItem) => deleteItem(db, checkKey(id), ifDueAt(dueAt)),
});

const markErased = async (db: Db, { id, owner, createdAt }: CheckItem, now: Date): Promise<boolean> => {
  const item: ErasedItem = { id, owner, erasedAt: now.toISOString(), dueAt: toIso(now.getTime() + ERASED_RECHECK_MS) };
  const replaced = await putItem(
    db,
    { ...checkKey(id), open: openPartition('checks'), ...item },
    { condition: '#createdAt = :seen', values: { ':seen': createdAt } },
  );
  if (!replaced) return false;
  const { openCheckDay, completedAt } = parse(CheckItem, replaced);
  if (openCheckDay && !completedAt) await uncountOpenCheck(db, owner, openCheckDay);
  return true;
};

/**
 * Deletes every run of an erased check, whatever its state, and its pointer: whoever is at work on it is refused from
 * then on. Gives how many it found; undefined where no mark stands, and nothing is deleted. A run that a create wrote
 * since it was read stays, for the next try.
 */
const eraseRuns = async (db: Db, checkId: string): Promise<number | undefined> => {
  const { check, runs } = await readItems(db, checkId);
  if (!check?.erasedAt) return undefined;
  const deleted = await Promise.allSettled(
    runs.map(async ({ pk, sk, createId }) => {
      const ofCheck = { condition: '#checkId = :checkId', values: { ':checkId': checkId } };
      await deleteItem(db, pointerKey(String(sk).replace('RUN#', '')), ofCheck);
      await deleteItem(db, { pk: String(pk), sk: String(sk) }, ifCreateId(String(createId)));
    }),
  );
  for (const each of deleted) if (each.status === 'rejected') throw each.reason;
  return runs.length;
};
