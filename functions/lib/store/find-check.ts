import { type Db, type Item, parse, UnreadableItemError } from './dynamodb.ts';
import { CheckItem, checkKey, isExpired, RunItem, readItems, type Scope } from './items.ts';

/** A stored check and its runs, in the order of its regions. */
export type StoredCheck = { item: CheckItem; runs: RunItem[] };

/** Finds a check, but no mark of an erased one. */
export const findCheck = async (db: Db, checkId: string, scope: Scope, now?: Date) => {
  const found = await findOrErased(db, checkId, scope, now);
  return found === 'erased' ? undefined : found;
};

/** Finds a check. With `now`, ignores a check that has expired by then. */
export const findOrErased = async (
  db: Db,
  checkId: string,
  scope: Scope,
  now?: Date,
  again = false,
): Promise<(StoredCheck & { trends: Item[] }) | 'erased' | undefined> => {
  const { check, runs, trends } = await readItems(db, checkId, scope);
  if (!check) return undefined; // runs without a check belong to a create that has not ended or has failed
  if (check.erasedAt) return 'erased';
  const item = parse(CheckItem, check);
  if (now && isExpired(item, now)) return undefined;
  const found = item.runIds.map((id) => runs.find(({ sk }) => sk === `RUN#${id}`));
  const missing = found.findIndex((run) => !run);
  if (missing < 0) return { item, runs: found.map((run) => parse(RunItem, run as Item)), trends };
  if (again)
    throw new UnreadableItemError(checkKey(checkId), `it lists the run ${item.runIds[missing]}, which is missing`);
  // A query is no snapshot. It can read the check before its erasure and the runs after it. So read again, once.
  return findOrErased(db, checkId, scope, now, true);
};
