import { listKeyOf, type Position, type UnreadableEntry } from '../store/lists.ts';
import { cursorOf } from './list-query.ts';

/** Number of entries that one query reads if a filter may drop most of them. */
const FILTERED_READ = 1000;

type Read<Entry> = (limit: number) => Promise<{ entries: Entry[]; last: string | undefined; more: boolean }>;

/**
 * Returns one page of a list, made of one query. `keep` returns an entry as the client sees it, or undefined to drop it.
 * With a filter a page may be shorter than its limit. Only a next cursor of null is the end.
 */
export const pageOf = async <Entry extends Position, Shown>(
  read: Read<Entry>,
  { limit, isFiltered }: { limit: number; isFiltered: boolean },
  keep: (entries: readonly Entry[]) => Promise<(Shown | undefined)[]>,
): Promise<{ shown: Shown[]; nextCursor: string | null }> => {
  const { entries, last, more } = await read(isFiltered ? FILTERED_READ : limit + 1);
  const shown: Shown[] = [];
  for (let from = 0; from < entries.length; from += limit) {
    const batch = entries.slice(from, from + limit);
    for (const [i, each] of (await keep(batch)).entries()) {
      if (each === undefined) continue;
      shown.push(each);
      const position = batch[i] as Entry;
      const isLast = !more && listKeyOf(position) === last;
      if (shown.length === limit) return { shown, nextCursor: isLast ? null : cursorOf(position) };
    }
  }
  return { shown, nextCursor: more && last !== undefined ? cursorOfKey(last) : null };
};

/** Returns the entries of a page that can be read, and the ids of the others if there are any. */
export const splitPage = <Shown extends object>(shown: readonly (Shown | UnreadableEntry)[]) => {
  const ids = shown.filter(isUnreadable).map(({ id }) => id);
  const readable = shown.filter((each): each is Shown => !isUnreadable(each));
  return { readable, unreadable: ids.length > 0 && { unreadable: ids } };
};

export const isUnreadable = (entry: object): entry is UnreadableEntry => 'unreadable' in entry;

const cursorOfKey = (listKey: string): string => {
  const [createdAt = '', id = ''] = listKey.split('#');
  return cursorOf({ createdAt, id });
};
