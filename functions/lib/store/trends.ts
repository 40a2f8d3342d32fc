import { type Db, getItem, type Item, putItem, updateItem } from './dynamodb.ts';
import { anyOf } from './expressions.ts';
import { ifCreateId, type RunItem, trendKey } from './items.ts';
import { listedRun } from './lists.ts';

/*
 * A run's entry in the series of its URL outlives the check. The create puts an empty entry, and closing the check fills
 * the entry. Closing never creates an entry, so a late call can't bring an erased check back into a list.
 */

/** Puts the empty entry of a new run, unless a filled one exists. */
export const putEmptyTrend = (
  db: Db,
  { checkId, id, owner, createId, trendExpiresAt }: RunItem,
  now: Date,
): Promise<boolean> =>
  putItem(
    db,
    { ...trendKey(checkId, id), owner, createId, expiresAt: trendExpiresAt },
    anyOf(['list', 'absent'], ['expiresAt', '<', Math.floor(now.getTime() / 1000)]),
  );

/**
 * Fills the entries of a check's finished runs, which are in the order of its regions. `entries` are the check's entries, read together with the runs. Returns
 * false if a repeated create has replaced one meanwhile, so that the caller must read them again. Safe to repeat.
 */
export const fillTrends = async (db: Db, runs: readonly RunItem[], entries: readonly Item[]): Promise<boolean> => {
  const filled = await Promise.all(
    runs.map(async (run, position) => {
      const key = trendKey(run.checkId, run.id);
      const entry = entries.find(({ sk }) => sk === key.sk);
      if (!entry) return true; // an erasure has deleted it
      const set = listedRun(run, position);
      const written = await updateItem(db, key, { set, returns: 'NONE', ...ifCreateId(String(entry.createId)) });
      return Boolean(written) || !(await getItem(db, key)); // gone: the check was erased
    }),
  );
  return filled.every(Boolean);
};
