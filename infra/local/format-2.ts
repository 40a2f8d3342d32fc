import { paginateScan } from '@aws-sdk/lib-dynamodb';
import {
  type Db,
  deleteItem,
  getItem,
  type Item,
  ifAbsent,
  ifExists,
  type Key,
  putItem,
  updateItem,
} from '../../functions/lib/store/dynamodb.ts';
import { apiKeyKey, checkKey } from '../../functions/lib/store/items.ts';
import { listedKey } from '../../functions/lib/store/keys.ts';
import { putOpenCheck } from '../../functions/lib/store/open-checks.ts';

type Stored = Key & Item;

/**
 * Brings the items of a table from format 1 to format 2. Each API key leaves the common partition `KEYS` for its own, and
 * is revoked, because its text has no checksum. Each open check of an owner becomes an item. Safe to repeat.
 */
export const migrateToFormat2 = async (db: Db, now: Date): Promise<{ changed: number; notes: string[] }> => {
  const keys: Stored[] = [];
  const usages: Stored[] = [];
  const pages = paginateScan({ client: db.client }, { TableName: db.table, ConsistentRead: true });
  for await (const { Items = [] } of pages) {
    keys.push(...(Items.filter(({ pk }) => pk === 'KEYS') as Stored[]));
    usages.push(...(Items.filter(({ sk, openChecks }) => sk === 'USAGE' && openChecks) as Stored[]));
  }
  for (const key of keys) await moveKey(db, key, now);
  for (const usage of usages) await moveOpenChecks(db, usage);
  return { changed: keys.length + usages.length, notes: keys.length > 0 ? [noteOf(keys.length)] : [] };
};

const moveKey = async (db: Db, { pk, sk, ...key }: Stored, now: Date): Promise<void> => {
  const prefix = sk.slice('KEY#'.length);
  const revokedAt = key.revokedAt ?? now.toISOString();
  const listed = listedKey({ prefix, createdAt: String(key.createdAt) });
  await putItem(db, { ...apiKeyKey(prefix), ...key, ...listed, revokedAt }, ifAbsent);
  await deleteItem(db, { pk, sk }, ifExists);
};

const moveOpenChecks = async (db: Db, { pk, sk, openChecks }: Stored): Promise<void> => {
  for (const id of Object.keys(openChecks as object)) {
    const check = await getItem(db, checkKey(id));
    if (check?.completedAt !== null) continue; // it is closed, erased, or was never stored
    const { owner, createId, expiresAt } = check as { owner: string; createId: string; expiresAt: number };
    await putOpenCheck(db, { owner, id, createId, expiresAt });
  }
  await updateItem(db, { pk, sk }, { remove: ['openChecks'], returns: 'NONE', ...ifExists });
};

const noteOf = (keys: number): string =>
  `The API keys of earlier versions no longer work, because a key now ends with a checksum: ${keys} of them are revoked. To make a new one: npm run keys -- create --owner OWNER --name NAME. To see the old ones: npm run keys -- list`;
