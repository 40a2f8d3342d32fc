import type { Db } from './dynamodb.ts';

/**
 * Deletes all secrets of a check that ends, if its items name some. A create that died, and a repeated one, may have left
 * objects that no item names. Safe to repeat.
 */
export const removeSecretsOf = async (
  db: Db,
  checkId: string,
  items: readonly { secretsKey?: unknown }[],
): Promise<void> => {
  if (items.some(({ secretsKey }) => secretsKey !== undefined))
    await removeSecrets(db, await secretKeysOf(db, checkId));
};

/** Returns the keys of all secrets of a check. */
export const secretKeysOf = async (db: Db, checkId: string): Promise<string[]> => secretsIn(db).keysOf(checkId);

/** Deletes objects with secrets by their keys. Safe to repeat. */
export const removeSecrets = async (db: Db, keys: readonly (string | undefined)[]): Promise<void> => {
  const named = [...new Set(keys)].filter((key) => key !== undefined);
  if (named.length > 0) await Promise.all(named.map(secretsIn(db).delete));
};

const secretsIn = ({ secrets }: Db): NonNullable<Db['secrets']> => {
  if (!secrets) throw new Error('this function ends a check or a schedule with secrets, but can not delete them');
  return secrets;
};
