import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { HOLD_MS } from '../../../shared/service/due-times.ts';
import { keyText } from '../../../shared/service/key-text.ts';
import { ApiKey } from '../../../shared/service/keys.ts';
import { partitions } from '../../../shared/service/partitions.ts';
import { settleAll } from '../settle-all.ts';
import { type Db, getItem, type Item, type Key, parse, putItem, putOnce, updateItem } from './dynamodb.ts';
import { anyOf, ifAbsent, ifExists } from './expressions.ts';
import { apiKeyKey, toIso } from './items.ts';
import { allIn } from './query.ts';

const READS_AT_ONCE = 16;

export type KeyStore = ReturnType<typeof keyStore>;

/** The valid fields of a key whose stored item does not match its schema. The service accepts no such key. */
export type UnreadableKey = Partial<ApiKey> & { prefix: string; isUnreadable: true };

type NewKey = Pick<ApiKey, 'owner' | 'name' | 'scopes' | 'plan' | 'expiresAt'>;

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
    create: async (fields: NewKey, now: Date) => {
      const prefix = randomBytes(6).toString('hex');
      const { key, text } = newKey(prefix, fields, now);
      if (!(await putOnce(db, { ...apiKeyKey(prefix), ...listedKey(key), ...key }, ifAbsent)))
        throw new Error(`a key with the random prefix ${prefix} exists. Run the command again.`);
      return { key, text };
    },

    /**
     * Puts a key in place of the one with this prefix. The service makes such keys for itself, each for one use, so none
     * of them is stored and their number doesn't grow.
     */
    replace: async (prefix: string, fields: NewKey, now: Date): Promise<string> => {
      const { key, text } = newKey(prefix, fields, now);
      const [later, ahead] = [toIso(now.getTime() + 1), toIso(now.getTime() + HOLD_MS)];
      const older = anyOf(['pk', 'absent'], ['createdAt', 'outside', later, ahead]);
      if (!(await putItem(db, { ...apiKeyKey(prefix), ...listedKey(key), ...key }, older)))
        throw new Error(`a newer key with the prefix ${prefix} exists. Correct the clock of this machine.`);
      return text;
    },

    /** Returns all keys, oldest first, and those whose stored items can't be read. */
    list: async (): Promise<{ keys: ApiKey[]; unreadable: UnreadableKey[] }> => {
      const listed = (await Promise.all(shards.map((shard) => listedIn(db, shard)))).flat();
      const items = await settleAll(listed, READS_AT_ONCE, ({ pk, sk }) => getItem(db, { pk, sk }));
      const keys: ApiKey[] = [];
      const unreadable: UnreadableKey[] = [];
      for (const item of items) {
        if (item.status === 'rejected') throw item.reason;
        if (!item.value) continue;
        const key = ApiKey.safeParse(item.value).data;
        if (key) keys.push(key);
        else unreadable.push(unreadableKey(item.value));
      }
      return { keys: keys.sort((a, b) => a.createdAt.localeCompare(b.createdAt)), unreadable };
    },

    /** Revokes a key. Returns false if there is no such key. */
    revoke: async (prefix: string, now: Date): Promise<boolean> => Boolean(await setTime(prefix, 'revokedAt', now)),

    /** Records the last use of a key. */
    touch: (prefix: string, now: Date) => setTime(prefix, 'lastUsedAt', now),
  };
};

const newKey = (prefix: string, fields: NewKey, now: Date): { key: ApiKey; text: string } => {
  const secret = randomBytes(32).toString('hex');
  const times = { createdAt: now.toISOString(), revokedAt: null, lastUsedAt: null };
  return { key: { ...fields, prefix, hash: hashOf(secret).toString('hex'), ...times }, text: keyText(prefix, secret) };
};

/** The list of all keys has a partition for each first digit of a prefix, so that no partition holds all keys. */
const shards = [...'0123456789abcdef'];

/** Returns the attributes that put a key into the list of all keys. */
export const listedKey = ({ prefix, createdAt }: Pick<ApiKey, 'prefix' | 'createdAt'>) => ({
  list: `KEYS#${prefix[0]}`,
  listKey: `${createdAt}#${prefix}`,
});

/** Returns the table's keys of a partition of the list. */
const listedIn = (db: Db, shard: string): Promise<Key[]> => allIn(db, { index: 'list', partition: `KEYS#${shard}` });

const unreadableKey = (item: Item): UnreadableKey => {
  const valid = Object.entries(ApiKey.shape).filter(([name, schema]) => schema.safeParse(item[name]).success);
  const fields: Partial<ApiKey> = Object.fromEntries(valid.map(([name]) => [name, item[name]]));
  return { ...fields, prefix: String(item.pk).slice(partitions.key.length), isUnreadable: true };
};

/** Compares a secret with a key's in constant time. */
export const isSecretOf = (key: Pick<ApiKey, 'hash'>, secret: string): boolean =>
  timingSafeEqual(hashOf(secret), Buffer.from(key.hash, 'hex'));

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
