import { paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Db, Item, Key } from './dynamodb.ts';
import { allOf, anyOf, type Condition, expressionOf } from './expressions.ts';

/** Items of a partition of the table or of an index, in the order of their sort keys. */
export type Query = {
  /** An index. Its partition's attribute has its name. The table itself is read consistently. */
  index?: 'open' | 'list';
  partition: string;
  /** Start of the sort keys. */
  begin?: string;
  /** First and last sort key. */
  from?: string | undefined;
  until?: string | undefined;
  filter?: Condition | undefined;
  newestFirst?: boolean;
  /** Most items of a page. */
  limit?: number;
};

/** The attributes of the keys of the table and of each index. */
const keyNames = { table: ['pk', 'sk'], open: ['open', 'dueAt'], list: ['list', 'listKey'] } as const;

const ifInRange = (name: string, { begin, from, until }: Query): Condition => {
  if (begin !== undefined) return anyOf([name, 'begins with', begin]);
  if (from !== undefined && until !== undefined) return anyOf([name, 'between', from, until]);
  if (from !== undefined) return anyOf([name, '>=', from]);
  return until === undefined ? allOf() : anyOf([name, '<=', until]);
};

export const queryOf = (query: Query) => {
  const { index, partition, filter, newestFirst = false, limit } = query;
  const [partitionName, sortName] = keyNames[index ?? 'table'];
  const keys = expressionOf(allOf(anyOf([partitionName, '=', partition]), ifInRange(sortName, query)), 'key');
  const filtered = filter && expressionOf(filter, 'filter');
  return {
    ...(index ? { IndexName: index } : { ConsistentRead: true }),
    KeyConditionExpression: keys.text,
    ...(filtered && { FilterExpression: filtered.text }),
    ExpressionAttributeNames: { ...keys.names, ...filtered?.names },
    ExpressionAttributeValues: { ...keys.values, ...filtered?.values },
    ScanIndexForward: !newestFirst,
    ...(limit !== undefined && { Limit: limit }),
  };
};

/** Yields the items of a query, page by page. */
export async function* pagesIn(db: Db, query: Query): AsyncGenerator<(Key & Item)[]> {
  for await (const { Items = [] } of paginateQuery({ client: db.client }, { TableName: db.table, ...queryOf(query) }))
    yield Items as (Key & Item)[];
}

/** Returns all items of a query. */
export const allIn = async (db: Db, query: Query): Promise<(Key & Item)[]> => {
  const items: (Key & Item)[] = [];
  for await (const page of pagesIn(db, query)) items.push(...page);
  return items;
};

/** Returns the first items of a query: at most `limit`, and at most what one request reads. `more` is true if others follow. */
export const firstIn = async (db: Db, query: Query): Promise<{ items: (Key & Item)[]; more: boolean }> => {
  const { Items = [], LastEvaluatedKey } = await db.client.send(
    new QueryCommand({ TableName: db.table, ...queryOf(query) }),
  );
  return { items: Items as (Key & Item)[], more: LastEvaluatedKey !== undefined };
};
