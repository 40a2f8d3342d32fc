import { paginateQuery, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { type Condition, conditionOf, type Db, type Item, type Key } from './dynamodb.ts';

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

const queryOf = ({ table: TableName }: Db, query: Query): QueryCommandInput => {
  const { index, partition, begin, from, until, filter, newestFirst = false, limit } = query;
  const [partitionName, sortName] = keyNames[index ?? 'table'];
  const sort =
    begin !== undefined
      ? ['begins_with(#sort, :begin)']
      : from !== undefined && until !== undefined
        ? ['#sort BETWEEN :from AND :until']
        : [...(from === undefined ? [] : ['#sort >= :from']), ...(until === undefined ? [] : ['#sort <= :until'])];
  const filtered = filter && conditionOf(filter);
  return {
    TableName,
    ...(index ? { IndexName: index } : { ConsistentRead: true }),
    KeyConditionExpression: ['#partition = :partition', ...sort].join(' AND '),
    ...(filtered && { FilterExpression: filtered.ConditionExpression }),
    ExpressionAttributeNames: {
      '#partition': partitionName,
      ...(sort.length > 0 && { '#sort': sortName }),
      ...filtered?.ExpressionAttributeNames,
    },
    ExpressionAttributeValues: {
      ':partition': partition,
      ...Object.fromEntries(
        Object.entries({ begin, from, until }).flatMap(([name, value]) =>
          value === undefined ? [] : [[`:${name}`, value]],
        ),
      ),
      ...filtered?.ExpressionAttributeValues,
    },
    ScanIndexForward: !newestFirst,
    ...(limit !== undefined && { Limit: limit }),
  };
};

/** Yields the items of a query, page by page. */
export async function* pagesIn(db: Db, query: Query): AsyncGenerator<(Key & Item)[]> {
  for await (const { Items = [] } of paginateQuery({ client: db.client }, queryOf(db, query)))
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
  const { Items = [], LastEvaluatedKey } = await db.client.send(new QueryCommand(queryOf(db, query)));
  return { items: Items as (Key & Item)[], more: LastEvaluatedKey !== undefined };
};
