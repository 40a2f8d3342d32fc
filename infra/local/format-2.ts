import { paginateScan } from '@aws-sdk/lib-dynamodb';
import {
  type Db,
  deleteItem,
  type Item,
  ifAbsent,
  ifExists,
  type Key,
  putItem,
} from '../../functions/lib/store/dynamodb.ts';
import { apiKeyKey } from '../../functions/lib/store/items.ts';
import { listedKey } from '../../functions/lib/store/keys.ts';

/**
 * Brings the items of a table from format 1 to format 2. Each API key leaves the common partition `KEYS` for its own, and
 * is revoked, because its text has no checksum. Safe to repeat.
 */
export const migrateToFormat2 = async (db: Db, now: Date): Promise<{ changed: number; notes: string[] }> => {
  const found: (Key & Item)[] = [];
  const pages = paginateScan({ client: db.client }, { TableName: db.table, ConsistentRead: true });
  for await (const { Items = [] } of pages) found.push(...(Items.filter(({ pk }) => pk === 'KEYS') as (Key & Item)[]));
  for (const { pk, sk, ...key } of found) {
    const prefix = sk.slice('KEY#'.length);
    const revokedAt = key.revokedAt ?? now.toISOString();
    const listed = listedKey({ prefix, createdAt: String(key.createdAt) });
    await putItem(db, { ...apiKeyKey(prefix), ...key, ...listed, revokedAt }, ifAbsent);
    await deleteItem(db, { pk, sk }, ifExists);
  }
  return { changed: found.length, notes: found.length > 0 ? [noteOf(found.length)] : [] };
};

const noteOf = (keys: number): string =>
  `The API keys of earlier versions no longer work, because a key now ends with a checksum: ${keys} of them are revoked. To make a new one: npm run keys -- create --owner OWNER --name NAME. To see the old ones: npm run keys -- list`;
