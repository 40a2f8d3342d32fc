import { ListedPage } from '../../../shared/pages/listed-pages.ts';
import { partitions } from '../../../shared/service/partitions.ts';
import { log } from '../log.ts';
import type { Db, Item } from './dynamodb.ts';
import { listOfPages } from './latest.ts';
import { hashOfUrl } from './lists.ts';
import { unpack } from './packed.ts';
import { allIn, pagesIn } from './query.ts';

export type PageStore = ReturnType<typeof pageStore>;

/** Most results that a list reads. A result has about 2 KB, and a query reads 1 MB. */
const MAX_RESULTS = 10_000;

/** Reads the newest results of pages. */
export const pageStore = (db: Db) => ({
  /** Returns the results of an owner, unordered. `cut` is true if there are more than the list reads. */
  list: async (owner: string, now: Date, most = MAX_RESULTS) => {
    const items: Item[] = [];
    for await (const page of pagesIn(db, { index: 'list', partition: listOfPages(owner), limit: most + 1 })) {
      items.push(...page);
      if (items.length > most) break;
    }
    return { results: resultsOf(items.slice(0, most), now), cut: items.length > most };
  },

  /** Returns the results of one URL, however many pages the owner has. */
  ofUrl: async (owner: string, url: string, now: Date) => {
    const items = await allIn(db, { partition: `${partitions.latest}${owner}`, begin: `${hashOfUrl(url)}#` });
    const listed = items.filter(({ listKey }) => listKey !== undefined);
    return { results: resultsOf(listed, now), cut: false };
  },
});

/** A page on a device in a region. `pageKey` is equal for the results of one URL. */
export type ListedResult = { page: ListedPage; pageKey: string };

const resultsOf = (items: readonly Item[], now: Date): ListedResult[] =>
  items.flatMap(({ listed, listKey }) => {
    const page = readPage(listed);
    if (!page) log.warn('A page in a list can not be read. The next check of the page replaces it.', { listKey });
    if (!page || page.newest.expiresAt * 1000 <= now.getTime()) return [];
    return [{ page, pageKey: String(listKey).split('#')[0] ?? '' }];
  });

/** Pages that were read before, by their bytes. A list reads each page of its owner, and few of them change in between. */
const known = new Map<string, ListedPage>();
const MAX_KNOWN = 2000;

/** Returns the page of compressed JSON, or undefined if it can't be read. */
const readPage = (listed: unknown): ListedPage | undefined => {
  const bytes = listed instanceof Uint8Array ? Buffer.from(listed).toString('latin1') : '';
  const found = known.get(bytes);
  if (found) return found;
  const page = ListedPage.safeParse(unpack(listed)).data;
  if (known.size >= MAX_KNOWN) known.clear();
  if (page) known.set(bytes, page);
  return page;
};
