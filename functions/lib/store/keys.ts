import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { ApiKey, KEYS, keyText } from '../../../shared/keys.ts';
import { type Db, getItem, type Item, ifAbsent, ifExists, parse, putOnce, updateItem } from './dynamodb.ts';
import { apiKeyKey } from './items.ts';

export type KeyStore = ReturnType<typeof keyStore>;

/** The valid fields of a key whose stored item does not match its schema. The service accepts no such key. */
export type UnreadableKey = Partial<ApiKey> & { prefix: string; isUnreadable: true };

/** Stores API keys. */
export const keyStore = (db: Db) => {
  // The API functions may write `lastUsedAt` only, and may not read the item back (infra/aws/check-table.ts).
  const setTime = (prefix: string, name: 'lastUsedAt' | 'revokedAt', now: Date) =>
    updateItem(db, apiKeyKey(prefix), { set: { [name]: now.toISOString() }, returns: 'NONE', ...ifExists });

  return {
    find: async (prefix: string): Promise<ApiKey | undefined> => {
      const item = await getItem(db, apiKeyKey(prefix));
      return item && parse(ApiKey, item);
    },

    /** Creates a key. Only this call returns its `text`, the key itself, which is not stored. */
    create: async (fields: Pick<ApiKey, 'owner' | 'name' | 'scopes' | 'plan' | 'expiresAt'>, now: Date) => {
      const prefix = randomBytes(6).toString('hex');
      const secret = randomBytes(32).toString('hex');
      const times = { createdAt: now.toISOString(), revokedAt: null, lastUsedAt: null };
      const key: ApiKey = { ...fields, prefix, hash: hashOf(secret).toString('hex'), ...times };
      if (!(await putOnce(db, { ...apiKeyKey(prefix), ...key }, ifAbsent)))
        throw new Error(`a key with the random prefix ${prefix} exists. Run the command again.`);
      return { key, text: keyText(prefix, secret) };
    },

    /** Returns all keys, oldest first, and those whose stored items can't be read. */
    list: async (): Promise<{ keys: ApiKey[]; unreadable: UnreadableKey[] }> => {
      const keys: ApiKey[] = [];
      const unreadable: UnreadableKey[] = [];
      const query = {
        TableName: db.table,
        KeyConditionExpression: 'pk = :keys',
        ExpressionAttributeValues: { ':keys': KEYS },
      };
      for await (const page of paginateQuery({ client: db.client }, query)) {
        for (const item of page.Items ?? []) {
          const key = ApiKey.safeParse(item).data;
          if (key) keys.push(key);
          else unreadable.push(unreadableKey(item));
        }
      }
      return { keys: keys.sort((a, b) => a.createdAt.localeCompare(b.createdAt)), unreadable };
    },

    /** Revokes a key. Returns false if there is no such key. */
    revoke: async (prefix: string, now: Date): Promise<boolean> => Boolean(await setTime(prefix, 'revokedAt', now)),

    /** Records the last use of a key. */
    touch: (prefix: string, now: Date) => setTime(prefix, 'lastUsedAt', now),
  };
};

const unreadableKey = (item: Item): UnreadableKey => {
  const valid = Object.entries(ApiKey.shape).filter(([name, schema]) => schema.safeParse(item[name]).success);
  const fields: Partial<ApiKey> = Object.fromEntries(valid.map(([name]) => [name, item[name]]));
  return { ...fields, prefix: String(item.sk).replace(/^KEY#/, ''), isUnreadable: true };
};

/** Compares a secret with a key's in constant time. */
export const isSecretOf = (key: Pick<ApiKey, 'hash'>, secret: string): boolean =>
  timingSafeEqual(hashOf(secret), Buffer.from(key.hash, 'hex'));

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
