import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { ListedPage } from '../../../shared/pages.ts';
import { log } from '../log.ts';
import type { Db } from './dynamodb.ts';
import { listOfPages } from './latest.ts';
import { unpack } from './packed.ts';

export type PageStore = ReturnType<typeof pageStore>;

/** Reads the newest results of pages from the index `list`. */
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
    const entries = Items.flatMap(({ listed, listKey }) => {
      const page = ListedPage.safeParse(unpack(listed)).data;
      if (!page) log.warn('A page in a list can not be read. The next check of the page replaces it.', { listKey });
      return page ? [{ page, listKey: String(listKey) }] : [];
    });
    return {
      entries: entries.filter(({ page }) => isCurrent(page.newest, now)),
      last: Items.at(-1)?.listKey as string | undefined,
      more: LastEvaluatedKey !== undefined,
    };
  },
});

const isCurrent = ({ expiresAt = Number.POSITIVE_INFINITY }: ListedPage['newest'], now: Date): boolean =>
  expiresAt * 1000 > now.getTime();
