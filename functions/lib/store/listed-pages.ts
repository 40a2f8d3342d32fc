import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { ListedPage } from '../../../shared/pages/listed-pages.ts';
import { partitions } from '../../../shared/service/partitions.ts';
import { log } from '../log.ts';
import type { Db, Item } from './dynamodb.ts';
import { listOfPages } from './latest.ts';
import { hashOfUrl } from './lists.ts';
import { unpack } from './packed.ts';

export type PageStore = ReturnType<typeof pageStore>;

/** Most results that a list reads. A result has about 2 KB, and a query reads 1 MB. */
const MAX_RESULTS = 10_000;

/** Reads the newest results of pages. */
export const pageStore = (db: Db) => ({
  /** Returns the results of an owner, in no order that means anything. `cut` is true if there are more than the list reads. */
  list: async (owner: string, now: Date, most = MAX_RESULTS) => {
    const items: Item[] = [];
    let start: Item | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await db.client.send(
        new QueryCommand({
          TableName: db.table,
          IndexName: 'list',
          KeyConditionExpression: '#list = :list',
          ExpressionAttributeNames: { '#list': 'list' },
          ExpressionAttributeValues: { ':list': listOfPages(owner) },
          ...(start && { ExclusiveStartKey: start }),
          Limit: most - items.length,
        }),
      );
      items.push(...Items);
      start = LastEvaluatedKey;
    } while (start && items.length < most);
    return { results: resultsOf(items, now), cut: start !== undefined };
  },

  /** Returns the results of one URL, however many pages the owner has. */
  ofUrl: async (owner: string, url: string, now: Date) => {
    const { Items = [] } = await db.client.send(
      new QueryCommand({
        TableName: db.table,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :url)',
        ExpressionAttributeValues: { ':pk': `${partitions.latest}${owner}`, ':url': `${hashOfUrl(url)}#` },
        ConsistentRead: true,
      }),
    );
    return {
      results: resultsOf(
        Items.filter(({ listKey }) => listKey !== undefined),
        now,
      ),
      cut: false,
    };
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
