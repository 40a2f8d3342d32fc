import { dayOf } from '../../../shared/runs-of-day.ts';
import { listKeyOf, type Position } from '../store/lists.ts';
import { cursorOfKey, type Read } from './page.ts';

/** Number of entries that one query reads, so that other requests are answered between. */
const READ_AT_ONCE = 500;
/** Number of entries after which a page ends with the last complete day. A day with more of them is on several pages. */
const MOST = 10_000;

/** Returns the wanted entries of so many days, newest first. A day is complete, unless it has more than 10,000 entries. */
export const pageOfDays = async <Entry extends Position>(
  read: Read<Entry>,
  limit: number,
  isWanted: (entry: Entry) => boolean,
): Promise<{ shown: Entry[]; nextCursor: string | null }> => {
  const found: Entry[] = [];
  const days = new Set<string>();
  let lastKey: string | undefined;
  for (let count = 0; count < MOST; count += READ_AT_ONCE) {
    const { entries, last, more } = await read(READ_AT_ONCE, lastKey);
    for (const entry of entries) {
      const wanted = isWanted(entry);
      const previous = found.at(-1);
      if (wanted && previous && days.size === limit && !days.has(dayOf(entry)))
        return { shown: found, nextCursor: cursorOfKey(listKeyOf(previous)) };
      if (!wanted) continue;
      days.add(dayOf(entry));
      found.push(entry);
    }
    if (!more || last === undefined) return { shown: found, nextCursor: null };
    lastKey = last;
  }
  const open = [...days].at(-1);
  const complete = days.size > 1 ? found.filter((entry) => dayOf(entry) !== open) : found;
  const end = days.size > 1 ? listKeyOf(complete.at(-1) as Entry) : lastKey;
  return { shown: complete, nextCursor: end === undefined ? null : cursorOfKey(end) };
};
