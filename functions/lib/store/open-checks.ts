import { partitions } from '../../../shared/service/partitions.ts';
import { type Db, deleteItem, getItem, type Key, putItem } from './dynamodb.ts';
import { anyOf, ifExists } from './expressions.ts';
import { ifCreateId, isExpired } from './items.ts';
import { allIn } from './query.ts';

/*
 * Each open check that counts towards its owner's plan is an item of its own. Its create writes the item after the runs and
 * before the check. Its end deletes the item before the check is closed, and before the mark of an erased check is deleted. So
 * the sweeper repeats a deletion that fails. The sweeper deletes the item of a create that has died, together with the runs of
 * that create. The item expires with its check.
 */
const keyOf = (owner: string, checkId: string): Key => ({ pk: `${partitions.openCheck}${owner}`, sk: checkId });

type OpenCheck = { owner: string; id: string; createId: string; expiresAt: number };

/** Counts a check as open. Safe to repeat. */
export const putOpenCheck = async (db: Db, { owner, id, createId, expiresAt }: OpenCheck): Promise<void> => {
  const isOthers = anyOf(['pk', 'absent'], ['createId', '<>', createId]);
  await putItem(db, { ...keyOf(owner, id), createId, expiresAt }, isOthers);
};

/** Removes a check from the open checks of its owner. Safe to repeat. */
export const removeOpenCheck = (db: Db, owner: string, checkId: string): Promise<boolean> =>
  deleteItem(db, keyOf(owner, checkId), ifExists);

/** Returns the create that has counted a check as open, or undefined if the check does not count. */
export const openCheckCreate = async (db: Db, owner: string, checkId: string): Promise<unknown> =>
  (await getItem(db, keyOf(owner, checkId)))?.createId;

/** Removes a check that one create has counted, unless another create has counted it since. */
export const removeOpenCheckOf = (
  db: Db,
  { owner, id, createId }: Pick<OpenCheck, 'owner' | 'id'> & { createId: unknown },
): Promise<boolean> => deleteItem(db, keyOf(owner, id), ifCreateId(createId));

/** Returns the ids of an owner's open checks. Reads one unit for about 35 of them. */
export const openCheckIds = async (db: Db, owner: string, now: Date): Promise<string[]> => {
  const items = await allIn(db, { partition: `${partitions.openCheck}${owner}` });
  return items.filter((item) => !isExpired(item as { expiresAt?: number }, now)).map(({ sk }) => sk);
};
