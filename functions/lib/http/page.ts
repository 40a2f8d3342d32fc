import { listKeyOf, type Position, type UnreadableEntry } from '../store/lists.ts';
import { cursorOf } from './list-query.ts';

/** Most entries that a page reads if a filter may drop most of them. */
const FILTERED_READ = 1000;
/** Number of them that one query reads, so that other requests are answered between. */
const READ_AT_ONCE = 200;

/** How a list sorts its entries: the sort key of an entry, and the cursor of a sort key. */
type Order<Entry> = { keyOf: (entry: Entry) => string; cursorOfKey: (key: string) => string };

/** Reads entries after a sort key, or from the beginning of the list on. */
export type Read<Entry> = (
  limit: number,
  from: string | undefined,
) => Promise<{ entries: Entry[]; last: string | undefined; more: boolean }>;

/**
 * Returns one page of a list. `keep` returns an entry as the client sees it, or undefined to drop it.
 * With a filter a page may be shorter than its limit. Only a next cursor of null is the end.
 */
export const pageOf = <Entry extends Position, Shown>(
  read: Read<Entry>,
  options: Options,
  keep: Keep<Entry, Shown>,
): Promise<Page<Shown>> => orderedPageOf(read, { ...options, keyOf: listKeyOf, cursorOfKey }, keep);

type Options = { limit: number; isFiltered: boolean };
type Keep<Entry, Shown> = (entries: readonly Entry[]) => Promise<(Shown | undefined)[]>;
type Page<Shown> = { shown: Shown[]; nextCursor: string | null };

/** Does the same for a list with an order of its own. */
export const orderedPageOf = async <Entry, Shown>(
  read: Read<Entry>,
  { limit, isFiltered, keyOf, cursorOfKey }: Options & Order<Entry>,
  keep: Keep<Entry, Shown>,
): Promise<Page<Shown>> => {
  const [atOnce, most] = isFiltered ? [READ_AT_ONCE, FILTERED_READ] : [limit + 1, limit + 1];
  const shown: Shown[] = [];
  let lastKey: string | undefined;
  for (let count = 0; count < most; count += atOnce) {
    const { entries, last, more } = await read(atOnce, lastKey);
    for (let from = 0; from < entries.length; from += limit) {
      const batch = entries.slice(from, from + limit);
      for (const [i, each] of (await keep(batch)).entries()) {
        if (each === undefined) continue;
        shown.push(each);
        const key = keyOf(batch[i] as Entry);
        const isLast = !more && key === last;
        if (shown.length === limit) return { shown, nextCursor: isLast ? null : cursorOfKey(key) };
      }
    }
    if (!more || last === undefined) return { shown, nextCursor: null };
    lastKey = last;
  }
  return { shown, nextCursor: lastKey === undefined ? null : cursorOfKey(lastKey) };
};

/** Returns the entries of a page that can be read, and the ids of the others if there are any. */
export const splitPage = <Shown extends object>(shown: readonly (Shown | UnreadableEntry)[]) => {
  const ids = shown.filter(isUnreadable).map(({ id }) => id);
  const readable = shown.filter((each): each is Shown => !isUnreadable(each));
  return { readable, unreadable: ids.length > 0 && { unreadable: ids } };
};

export const isUnreadable = (entry: object): entry is UnreadableEntry => 'unreadable' in entry;

export const cursorOfKey = (listKey: string): string => {
  const [createdAt = '', id = ''] = listKey.split('#');
  return cursorOf({ createdAt, id });
};
