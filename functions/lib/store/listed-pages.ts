import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { ListedPage } from '../../../shared/pages.ts';
import { partitions } from '../../../shared/partitions.ts';
import { log } from '../log.ts';
import type { Db, Item } from './dynamodb.ts';
import { listOfPages } from './latest.ts';
import { hashOfUrl } from './lists.ts';
import { unpack } from './packed.ts';

export type PageStore = ReturnType<typeof pageStore>;

/** Reads the newest results of pages. */
export const pageStore = (db: Db) => ({
  /** Returns pages of an owner after a place of the list, the worst first. `more` is true if the list goes on. */
  list: async (owner: string, after: string | undefined, limit: number, now: Date) => {
    const { Items = [], LastEvaluatedKey } = await db.client.send(
      new QueryCommand({
        TableName: db.table,
        IndexName: 'list',
        KeyConditionExpression: after === undefined ? '#list = :list' : '#list = :list AND listKey > :after',
        ExpressionAttributeNames: { '#list': 'list' },
        ExpressionAttributeValues: { ':list': listOfPages(owner), ...(after !== undefined && { ':after': after }) },
        Limit: limit,
      }),
    );
    return entriesOf(Items, LastEvaluatedKey !== undefined, now);
  },

  /** Returns the same for one URL, however many pages the owner has: all its devices and regions. */
  ofUrl: async (owner: string, url: string, after = '', now: Date) => {
    const { Items = [] } = await db.client.send(
      new QueryCommand({
        TableName: db.table,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :url)',
        ExpressionAttributeValues: { ':pk': `${partitions.latest}${owner}`, ':url': `${hashOfUrl(url)}#` },
        ConsistentRead: true,
      }),
    );
    const listed = Items.filter(({ listKey }) => listKey !== undefined && listKey > after);
    return entriesOf(
      listed.sort((a, b) => (a.listKey < b.listKey ? -1 : 1)),
      false,
      now,
    );
  },
});

const entriesOf = (items: readonly Item[], more: boolean, now: Date) => {
  const entries = items.flatMap(({ listed, listKey }) => {
    const page = ListedPage.safeParse(unpack(listed)).data;
    if (!page) log.warn('A page in a list can not be read. The next check of the page replaces it.', { listKey });
    return page ? [{ page, listKey: String(listKey) }] : [];
  });
  return {
    entries: entries.filter(({ page }) => isCurrent(page.newest, now)),
    last: items.at(-1)?.listKey as string | undefined,
    more,
  };
};

const isCurrent = ({ expiresAt = Number.POSITIVE_INFINITY }: ListedPage['newest'], now: Date): boolean =>
  expiresAt * 1000 > now.getTime();
