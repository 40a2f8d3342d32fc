import type { Mark } from '../../../shared/marks.ts';
import { partitions } from '../../../shared/service/partitions.ts';
import { type Db, deleteItem, getItem, type Key, putItem } from './dynamodb.ts';
import { ifExists } from './expressions.ts';
import { ifAbsentOrExpired } from './items.ts';
import { hashOfUrl } from './lists.ts';
import { pack, unpack } from './packed.ts';
import { allIn, firstIn } from './query.ts';

/** A stored mark. Its id is known. */
export type StoredMark = Mark & { id: string };

const keyOf = (owner: string, id: string): Key => ({ pk: `${partitions.mark}${owner}`, sk: id });
/** Returns the list of the marks of a page, or of all pages. */
const listOf = (owner: string, url: string | null): string => `MARKS#${owner}#${url === null ? '' : hashOfUrl(url)}`;

/** Marks of one list that are read, the newest first. */
const MAX_READ = 500;

export type MarkStore = ReturnType<typeof markStore>;

/** Stores the marks that people make. */
export const markStore = (db: Db) => ({
  /** Stores a mark. Returns false if it exists. */
  create: (owner: string, mark: StoredMark, expiresAt: Date, now: Date): Promise<boolean> =>
    putItem(
      db,
      {
        ...keyOf(owner, mark.id),
        list: listOf(owner, mark.url),
        listKey: `${mark.at}#${mark.id}`,
        listed: pack(mark),
        expiresAt: Math.floor(expiresAt.getTime() / 1000),
      },
      ifAbsentOrExpired(now),
    ),

  find: async (owner: string, id: string): Promise<StoredMark | undefined> =>
    unpack((await getItem(db, keyOf(owner, id)))?.listed) as StoredMark | undefined,

  /** Deletes a mark. Returns false if there is none. */
  erase: (owner: string, id: string): Promise<boolean> => deleteItem(db, keyOf(owner, id), ifExists),

  /** Returns the number of marks of an owner. */
  count: async (owner: string): Promise<number> => (await allIn(db, { partition: keyOf(owner, '').pk })).length,

  /** Returns the newest marks of a page and of all pages, the newest first. Without a URL, those of all pages only. */
  list: async (owner: string, url: string | undefined): Promise<StoredMark[]> => {
    const lists = [null, ...(url === undefined ? [] : [url])].map((each) => listOf(owner, each));
    const found = await Promise.all(
      lists.map((partition) => firstIn(db, { index: 'list', partition, newestFirst: true, limit: MAX_READ })),
    );
    return found
      .flatMap(({ items }) => items.map(({ listed }) => unpack(listed) as StoredMark | undefined))
      .filter((mark) => mark !== undefined)
      .sort((a, b) => b.at.localeCompare(a.at));
  },
});
