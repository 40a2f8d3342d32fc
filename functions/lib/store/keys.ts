import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { GetCommand, PutCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ApiKey, KEYS, keyText } from '../../../shared/keys.ts';
import { type Db, onlyIf, parse } from './dynamodb.ts';

/*
 * pk    sk            what it holds
 * KEYS  KEY#<prefix>  an API key: its owner, the hash of its secret, what it may do, and when it was last used
 *
 * One partition, so that they can be listed without an index: it is read once a minute by each instance for each key.
 */
const keyKey = (prefix: string) => ({ pk: KEYS, sk: `KEY#${prefix}` });

export type KeyStore = ReturnType<typeof keyStore>;

/** Where API keys are kept, in the table of the checks. */
export const keyStore = ({ client, table: TableName }: Db) => {
  const change = (prefix: string, name: 'lastUsedAt' | 'revokedAt', now: Date) =>
    onlyIf(
      client.send(
        new UpdateCommand({
          TableName,
          Key: keyKey(prefix),
          UpdateExpression: `SET ${name} = :now`,
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeValues: { ':now': now.toISOString() },
        }),
      ),
    );

  return {
    find: async (prefix: string): Promise<ApiKey | undefined> => {
      const { Item } = await client.send(new GetCommand({ TableName, Key: keyKey(prefix), ConsistentRead: true }));
      return Item && parse(ApiKey, Item);
    },

    /** Makes a key. `text` is the key itself: it is given here, once, and kept nowhere. */
    create: async (asked: Pick<ApiKey, 'owner' | 'name' | 'scopes' | 'plan' | 'expiresAt'>, now: Date) => {
      const prefix = randomBytes(6).toString('hex');
      const secret = randomBytes(32).toString('hex');
      const times = { createdAt: now.toISOString(), revokedAt: null, lastUsedAt: null };
      const key: ApiKey = { ...asked, prefix, hash: hashOf(secret).toString('hex'), ...times };
      const Item = { ...keyKey(prefix), ...key };
      await client.send(new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' }));
      return { key, text: keyText(prefix, secret) };
    },

    /** Every key, the oldest first. */
    list: async (): Promise<ApiKey[]> => {
      const keys: ApiKey[] = [];
      const query = { TableName, KeyConditionExpression: 'pk = :keys', ExpressionAttributeValues: { ':keys': KEYS } };
      for await (const page of paginateQuery({ client }, query)) {
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
