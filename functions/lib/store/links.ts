import { randomBytes } from 'node:crypto';
import { type Db, updateItem } from './dynamodb.ts';
import { type CheckItem, checkKey, ifCreateId } from './items.ts';

export type LinkStore = ReturnType<typeof linkStore>;

/** Stores the secret of each check that has share links. The links themselves are not stored. */
export const linkStore = (db: Db) => ({
  /** Returns the secret of a check's links. The first link makes it. Returns undefined if the check was erased meanwhile. */
  secretOf: async ({ id, createId }: CheckItem): Promise<string | undefined> => {
    const written = await updateItem(db, checkKey(id), {
      setIfAbsent: { shareSecret: randomBytes(32).toString('base64url') },
      returns: 'UPDATED_NEW',
      ...ifCreateId(createId),
    });
    return written && String(written.shareSecret);
  },

  /** Removes the secret, so that no link of the check works. Returns false if the check was erased meanwhile. */
  revoke: async ({ id, createId }: CheckItem): Promise<boolean> => {
    const change = { remove: ['shareSecret'], returns: 'NONE', ...ifCreateId(createId) } as const;
    return Boolean(await updateItem(db, checkKey(id), change));
  },
});
