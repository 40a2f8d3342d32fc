import { z } from 'zod';
import { BadgeFields } from '../../../shared/badges.ts';
import { partitions } from '../../../shared/service/partitions.ts';
import { type Db, deleteItem, getItem, type Key, parse, putItem } from './dynamodb.ts';
import { ifAbsent } from './expressions.ts';
import { ifEqual } from './items.ts';
import { listKeyOf } from './lists.ts';
import { pack, unpack } from './packed.ts';
import { allIn } from './query.ts';

/** A badge in the table. Its id is its secret. */
export const BadgeItem = z.object({ owner: z.string(), listed: z.unknown().transform(unpack).pipe(BadgeFields) });

export type BadgeStore = ReturnType<typeof badgeStore>;

const keyOf = (id: string): Key => ({ pk: `${partitions.badge}${id}`, sk: 'BADGE' });
const listOf = (owner: string): string => `BADGES#${owner}`;

/** Stores badges, which have no end. */
export const badgeStore = (db: Db) => ({
  create: (owner: string, badge: BadgeFields): Promise<boolean> =>
    putItem(
      db,
      { ...keyOf(badge.id), owner, list: listOf(owner), listKey: listKeyOf(badge), listed: pack(badge) },
      ifAbsent,
    ),

  /** Returns a badge of any owner. */
  find: async (id: string): Promise<{ owner: string; badge: BadgeFields } | undefined> => {
    const item = await getItem(db, keyOf(id));
    if (!item) return undefined;
    const { owner, listed } = parse(BadgeItem, item);
    return { owner, badge: listed };
  },

  /** Returns the badges of an owner, the newest first. */
  list: async (owner: string): Promise<BadgeFields[]> => {
    const items = await allIn(db, { index: 'list', partition: listOf(owner), newestFirst: true });
    return items.flatMap(({ listed }) => BadgeFields.safeParse(unpack(listed)).data ?? []);
  },

  /** Deletes a badge of this owner. Returns false if there is none. */
  revoke: (owner: string, id: string): Promise<boolean> => deleteItem(db, keyOf(id), ifEqual('owner', owner)),
});
