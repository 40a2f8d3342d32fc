import type { Db } from './dynamodb.ts';

/**
 * Deletes the secrets that items of an ended check name. A repeated create has taken over runs of an earlier one, so that
 * the items of a check may name two objects. Safe to repeat.
 */
export const removeSecrets = async ({ secrets }: Db, items: readonly { secretsKey?: unknown }[]): Promise<void> => {
  const keys = new Set(items.flatMap(({ secretsKey }) => (typeof secretsKey === 'string' ? [secretsKey] : [])));
  if (keys.size === 0) return;
  if (!secrets) throw new Error('this function ends a check with secrets, but can not delete them');
  await Promise.all([...keys].map((key) => secrets.delete(key)));
};
