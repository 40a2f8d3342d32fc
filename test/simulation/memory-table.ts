import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Db, Item } from '../../functions/lib/store/dynamodb.ts';
import { formats } from '../../functions/lib/store/format.ts';
import { checkKey } from '../../functions/lib/store/items.ts';
import { Database } from '../../infra/local/database.ts';
import { ServiceError } from '../../infra/local/table/errors.ts';
import { Table } from '../../infra/local/table/table.ts';
import type { Item as TypedItem, Value } from '../../infra/local/table/values.ts';

type Input = {
  Item?: Item;
  Key?: Item;
  ExclusiveStartKey?: Item;
  ExpressionAttributeValues?: Item;
  ConditionExpression?: string;
};
type Command = { input: Input; constructor: { name: string } };
type Answer = { Item?: TypedItem; Attributes?: TypedItem; LastEvaluatedKey?: TypedItem; Items?: TypedItem[] };

const TABLE = 'table';
const operations: Record<string, string> = {
  GetCommand: 'GetItem',
  PutCommand: 'PutItem',
  UpdateCommand: 'UpdateItem',
  DeleteCommand: 'DeleteItem',
  QueryCommand: 'Query',
};

/** Opens the table of the local service in memory. Its client does what the SDK's does, without requests of HTTP. */
export const memoryTable = (openShards: number, onWrite: () => void = () => {}) => {
  const database = new Database({});
  const table = new Table(database, TABLE);
  const write = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

  const answer = ({ input, constructor: { name } }: Command): object => {
    const operation = operations[name];
    if (!operation) throw new Error(`the table in memory knows no ${name}`);
    if (write.has(operation)) onWrite();
    try {
      return plainAnswer(table.answer({ operation, input: typed(input) as never }));
    } catch (error) {
      if (error instanceof ServiceError && error.type === 'ConditionalCheckFailedException')
        throw new ConditionalCheckFailedException({ $metadata: {}, message: error.message });
      throw error;
    }
  };
  const send = async (command: Command) => answer(command);
  const client = Object.create(DynamoDBDocumentClient.prototype, { send: { value: send } }) as DynamoDBDocumentClient;
  const db: Db = { client, table: TABLE, openShards, format: async () => formats.newest };

  const rowsOf = (pk: string) => database.prepare('SELECT sk FROM items WHERE pk = ?').all(pk) as { sk: string }[];
  return {
    db,
    /** Returns the number of open items. */
    openItems: (): number =>
      (database.prepare('SELECT count(*) AS count FROM index_open').get() as { count: number }).count,
    /** Deletes a check that is closed, with its runs. Returns false for an open check. */
    forgetIfClosed: (checkId: string): boolean => {
      const key = checkKey(checkId);
      const { Item } = table.answer({
        operation: 'GetItem',
        input: { TableName: TABLE, Key: typedItem(key) },
      }) as Answer;
      if (!Item?.completedAt?.S) return false;
      const pointers = Item.runIds?.L?.map(({ S }) => `RUN#${S}`) ?? [];
      for (const pk of [key.pk, ...pointers])
        for (const { sk } of rowsOf(pk))
          table.answer({ operation: 'DeleteItem', input: { TableName: TABLE, Key: typedItem({ pk, sk }) } });
      return true;
    },
  };
};

const typed = ({ Item, Key, ExclusiveStartKey, ExpressionAttributeValues, ...rest }: Input): object => ({
  ...definedOf(rest),
  ...(Item && { Item: typedItem(Item) }),
  ...(Key && { Key: typedItem(Key) }),
  ...(ExclusiveStartKey && { ExclusiveStartKey: typedItem(ExclusiveStartKey) }),
  ...(ExpressionAttributeValues && { ExpressionAttributeValues: typedItem(ExpressionAttributeValues) }),
});
const definedOf = (map: Item): Item =>
  Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined));

const typedItem = (item: Item): TypedItem => {
  const all: TypedItem = {};
  for (const name in item) if (item[name] !== undefined) all[name] = typedValue(item[name]);
  return all;
};
const typedValue = (value: unknown): Value => {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') };
  return Array.isArray(value) ? { L: value.map(typedValue) } : { M: typedItem(value as Item) };
};

const plainAnswer = ({ Item, Attributes, LastEvaluatedKey, Items, ...rest }: Answer): object => ({
  ...rest,
  ...(Item && { Item: plainItem(Item) }),
  ...(Attributes && { Attributes: plainItem(Attributes) }),
  ...(LastEvaluatedKey && { LastEvaluatedKey: plainItem(LastEvaluatedKey) }),
  ...(Items && { Items: Items.map(plainItem) }),
});
const plainItem = (item: TypedItem): Item => {
  const all: Item = {};
  for (const name in item) all[name] = plainValue(item[name] as Value);
  return all;
};
const plainValue = ({ S, N, BOOL, B, L, M }: Value): unknown => {
  if (S !== undefined) return S;
  if (N !== undefined) return Number(N);
  if (BOOL !== undefined) return BOOL;
  if (B !== undefined) return Buffer.from(B as string, 'base64');
  return L ? L.map(plainValue) : M ? plainItem(M) : null;
};
