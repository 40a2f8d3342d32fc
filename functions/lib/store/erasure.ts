import { ERASED_RECHECK_MS } from '../../../shared/service/due-times.ts';
import { settleAll } from '../settle-all.ts';
import { announceChange } from './changes.ts';
import { type Db, deleteItem, getItem, type Item, putOnce } from './dynamodb.ts';
import { allOf, ifExists } from './expressions.ts';
import {
  checkKey,
  type Erasable,
  type ErasedItem,
  ifCreateId,
  ifDueAt,
  ifEqual,
  ifNoMark,
  ofAnyOwner,
  openPartitionOf,
  pointerKey,
  readItems,
  shareKey,
  toIso,
} from './items.ts';
import { removeResult } from './latest.ts';
import { removeOpenCheck } from './open-checks.ts';
import { removeSecrets, secretKeysOf } from './remove-secrets.ts';
import type { Reports } from './reports.ts';

const AT_ONCE = 4; // deletions; a sweep erases several checks at the same time

export type ErasureStore = ReturnType<typeof erasureStore>;

/** Erases checks with all their runs and reports, for `delete-check` and the sweeper. */
export const erasureStore = (db: Db, reports: Pick<Reports, 'keysOf' | 'delete'>) => ({
  /**
   * Replaces a check by a mark, after which no API function shows the check. Returns false if the check is gone, is
   * marked, or was created again since it was read. The mark does not expire. It stays until the sweeper deletes it.
   */
  markErased: (check: Erasable, now: Date) => markErased(db, check, now),

  /**
   * Deletes the runs, entries, reports, links and secrets of a marked check, and its place among its owner's open checks. Returns true if nothing
   * was left. Safe to repeat and to run concurrently.
   */
  eraseRemains: async (checkId: string): Promise<boolean> => {
    const days = (await getItem(db, checkKey(checkId)))?.retentionDays;
    // List the objects before reading the mark again. While the mark exists, no later check of this id can own them.
    const [listed, secrets] = await Promise.allSettled([
      typeof days === 'number' ? reports.keysOf(checkId, days) : [], // a damaged check has none
      secretKeysOf(db, checkId),
    ]);
    const items = await eraseItems(db, checkId); // also if S3 fails, so that the check is in no list
    if (items === undefined) return true;
    if (secrets.status === 'rejected') throw secrets.reason;
    await removeSecrets(db, secrets.value);
    if (listed.status === 'rejected') throw listed.reason;
    await deleteAll(listed.value, reports.delete);
    return items + listed.value.length === 0;
  },

  /** Deletes the entries and the newest results of a check that has expired. Returns false if its owner has none. */
  eraseTrends: async (checkId: string, owner: string, now: Date): Promise<boolean> => {
    const { check, trends } = await readItems(db, checkId, { owner, trends: true });
    const filled = trends.filter(({ list }) => list !== undefined);
    if (check?.erasedAt || filled.length === 0) return false;
    await deleteAll(filled, (entry) => deleteTrend(db, entry, [], now));
    return true;
  },

  /** Deletes the mark of an erased check, unless the mark has changed since it was read. */
  removeErasedMark: ({ id, dueAt }: ErasedItem) => deleteItem(db, checkKey(id), ifDueAt(dueAt)),
});

const markErased = (db: Db, { id, owner, createdAt, retentionDays }: Erasable, now: Date): Promise<boolean> => {
  const item: ErasedItem = { id, owner, erasedAt: now.toISOString(), dueAt: toIso(now.getTime() + ERASED_RECHECK_MS) };
  return putOnce(
    db,
    { ...checkKey(id), retentionDays, open: openPartitionOf(db, 'checks', id), ...item },
    allOf(ifExists, ifNoMark, ifEqual('createdAt', createdAt)),
  ).finally(() => announceChange(id));
};

/**
 * Deletes the runs of an erased check, their pointers, their entries in the series, and the secret of its links. The workers of these runs then
 * lose their leases. Keeps a run that another create has written since. Returns the number of items found, or
 * undefined if there is no mark.
 */
const eraseItems = async (db: Db, checkId: string): Promise<number | undefined> => {
  const { check, runs, trends } = await readItems(db, checkId, { ...ofAnyOwner, trends: true });
  if (!check?.erasedAt) return undefined;
  if (typeof check.owner === 'string') await removeOpenCheck(db, check.owner, checkId);
  const erasedAt = new Date(String(check.erasedAt));
  await deleteAll(trends, (entry) => deleteTrend(db, entry, runs, erasedAt)); // first, so that the check leaves the lists at once
  const share = await getItem(db, shareKey(checkId)); // the mark exists, so that it is of the erased check
  if (share) await deleteEntry(db, share);
  await deleteAll(runs, async (run) => {
    await deleteItem(db, pointerKey(String(run.sk).replace('RUN#', '')), ifEqual('checkId', checkId));
    await deleteEntry(db, run);
  });
  return runs.length + trends.length + (share ? 1 : 0);
};

/** Removes a run from the newest results of its page, and then deletes its entry, which says where the result is. */
const deleteTrend = async (db: Db, entry: Item, runs: readonly Item[], erasedAt: Date): Promise<void> => {
  await removeResult(db, entry, runs, erasedAt);
  await deleteEntry(db, entry);
};

/** Deletes a run, an entry or a secret, unless another create has written it since it was read. */
const deleteEntry = (db: Db, { pk, sk, createId }: Item) =>
  deleteItem(db, { pk: String(pk), sk: String(sk) }, ifCreateId(createId));

/** Tries to delete everything, and throws the first failure at the end, so that no deletion goes on after the call. */
const deleteAll = async <T>(all: readonly T[], deletion: (each: T) => Promise<unknown>): Promise<void> => {
  const deleted = await settleAll(all, AT_ONCE, deletion);
  for (const each of deleted) if (each.status === 'rejected') throw each.reason;
};
