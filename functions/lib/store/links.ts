import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Db, deleteItem, getItem, parse, putItem } from './dynamodb.ts';
import { anyOf } from './expressions.ts';
import { type CheckItem, ifCreateId, shareKey } from './items.ts';

/** Key of a check's share links, stored as an item of its own, which no auditor's role can read. */
export const ShareItem = z.object({
  secret: z.string(), // 32 random bytes in base64url
  createId: z.string(), // of the check. A later check with the same id must not open with these links
  expiresAt: z.number().optional(), // in seconds, with the check
});
export type ShareItem = z.infer<typeof ShareItem>;

export type LinkStore = ReturnType<typeof linkStore>;

/** Stores the secret of each check that has share links. The links themselves are not stored. */
export const linkStore = (db: Db) => ({
  /** Returns the secret of a check's links. The first link makes it. */
  secretOf: (check: CheckItem): Promise<string> => secretOf(db, check),

  /** Deletes the secret, so that no link of the check works. Safe to repeat. */
  revoke: ({ id, createId }: CheckItem): Promise<boolean> => deleteItem(db, shareKey(id), ifCreateId(createId)),
});

const secretOf = async (db: Db, check: CheckItem): Promise<string> => {
  const { id, createId, expiresAt } = check;
  const item: ShareItem = { secret: newSecret(), createId, expiresAt };
  const ifNoneOfCheck = anyOf(['pk', 'absent'], ['createId', '<>', createId]);
  if (await putItem(db, { ...shareKey(id), ...item }, ifNoneOfCheck)) return item.secret;
  const found = await findShare(db, id);
  return found?.createId === createId ? found.secret : secretOf(db, check); // another request has revoked the links
};

/** Returns the key of a check's links. */
export const findShare = async (db: Db, checkId: string): Promise<ShareItem | undefined> => {
  const item = await getItem(db, shareKey(checkId));
  return item && parse(ShareItem, item);
};

/** Returns a secret that no link has. */
export const newSecret = (): string => randomBytes(32).toString('base64url');
