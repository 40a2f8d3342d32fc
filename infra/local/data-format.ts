import { type Db, updateItem } from '../../functions/lib/store/dynamodb.ts';
import { anyOf } from '../../functions/lib/store/expressions.ts';
import { formatKey, formats, knownFormat } from '../../functions/lib/store/format.ts';
import { UnusableError } from './unusable.ts';

type Reader = { prepare: (sql: string) => { get: (...values: string[]) => unknown } };

/** Returns the format of the data in a file. Throws with `advice` if this release does not know the format. */
export const requireFormat = (database: Reader, file: string, advice = WAY_OUT): number => {
  const row = database.prepare('SELECT item FROM items WHERE pk = ? AND sk = ?').get(formatKey.pk, formatKey.sk);
  const item = row as { item: string } | undefined;
  try {
    return knownFormat(item && JSON.parse(item.item));
  } catch (error) {
    throw new UnusableError(`${file} can't be used. ${(error as Error).message} ${advice}`);
  }
};

const WAY_OUT =
  'Start the release that wrote the data: git checkout <its commit> && npm ci && npm start. To stay at this release, move the folder away, or start with an empty one: DATA_DIR=<folder> npm start.';

/** Lets all functions write the newest format of this release. Afterwards, a release that does not know it refuses the data. */
export const raiseFormat = async (db: Db, now: Date): Promise<void> => {
  await updateItem(db, formatKey, {
    set: { format: formats.newest, raisedAt: now.toISOString() },
    ...anyOf(['format', 'absent'], ['format', '<', formats.newest]),
    returns: 'NONE',
  });
};
