import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { ApiKey, KEYS, keyText } from '../../../shared/keys.ts';
import { type Db, getItem, ifAbsent, ifExists, parse, putItem, updateItem } from './dynamodb.ts';
import { apiKeyKey } from './items.ts';

export type KeyStore = ReturnType<typeof keyStore>;

/** Where API keys are kept, in the table of the checks. */
export const keyStore = (db: Db) => {
  // Nothing is read back: the right of the API functions is to write `lastUsedAt` alone (infra/aws/check-table.ts).
  const change = (prefix: string, name: 'lastUsedAt' | 'revokedAt', now: Date) =>
    updateItem(db, apiKeyKey(prefix), { set: { [name]: now.toISOString() }, returns: 'NONE', ...ifExists });

  return {
    find: async (prefix: string): Promise<ApiKey | undefined> => {
      const item = await getItem(db, apiKeyKey(prefix));
      return item && parse(ApiKey, item);
    },

    /** Makes a key. `text` is the key itself: it is given here, once, and kept nowhere. */
    create: async (asked: Pick<ApiKey, 'owner' | 'name' | 'scopes' | 'plan' | 'expiresAt'>, now: Date) => {
      const prefix = randomBytes(6).toString('hex');
      const secret = randomBytes(32).toString('hex');
      const times = { createdAt: now.toISOString(), revokedAt: null, lastUsedAt: null };
      const key: ApiKey = { ...asked, prefix, hash: hashOf(secret).toString('hex'), ...times };
      if (!(await putItem(db, { ...apiKeyKey(prefix), ...key }, ifAbsent)))
        throw new Error(`key ${prefix} stands already`);
      return { key, text: keyText(prefix, secret) };
    },

    /** Every key, the oldest first. */
    list: async (): Promise<ApiKey[]> => {
      const keys: ApiKey[] = [];
      const query = {
        TableName: db.table,
        KeyConditionExpression: 'pk = :keys',
        ExpressionAttributeValues: { ':keys': KEYS },
      };
      for await (const page of paginateQuery({ client: db.client }, query)) {
        keys.push(...(page.Items ?? []).map((item) => parse(ApiKey, item)));
      }
      return keys.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    },

    /** Ends a key. False where there is none. */
    revoke: async (prefix: string, now: Date): Promise<boolean> => Boolean(await change(prefix, 'revokedAt', now)),

    /** Notes that a key was used. */
    touch: (prefix: string, now: Date) => change(prefix, 'lastUsedAt', now),
  };
};

/** Whether a secret is a key's, in a time that tells nothing of how far they agree. */
export const isSecretOf = (key: Pick<ApiKey, 'hash'>, secret: string): boolean =>
  timingSafeEqual(hashOf(secret), Buffer.from(key.hash, 'hex'));

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
