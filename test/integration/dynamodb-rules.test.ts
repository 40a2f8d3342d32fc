import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientSettings } from '../../functions/lib/aws-client.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let dynamodb: DynamoDBClient;
let TableName: string;
beforeAll(async () => {
  world = await startWorld();
  dynamodb = new DynamoDBClient({ maxAttempts: 1, ...clientSettings() });
  TableName = world.db.table;
});
afterAll(async () => {
  dynamodb.destroy();
  await world.stop();
});

const S = (text: string) => ({ S: text });
const Key = { pk: S('RULES'), sk: S('item') };
const many = <T>(count: number, each: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => each(i));

const put = (item: PutItemCommandInput['Item'], more: Partial<PutItemCommandInput> = {}) =>
  new PutItemCommand({ TableName, Item: { ...Key, ...item }, ...more });
const update = (UpdateExpression: string, values?: UpdateItemCommandInput['ExpressionAttributeValues'], more = {}) =>
  new UpdateItemCommand({ TableName, Key, UpdateExpression, ExpressionAttributeValues: values, ...more });
const query = (KeyConditionExpression: string, values: Record<string, string>, more: Partial<QueryCommandInput> = {}) =>
  new QueryCommand({
    TableName,
    KeyConditionExpression,
    ExpressionAttributeValues: Object.fromEntries(Object.entries(values).map(([name, text]) => [name, S(text)])),
    ...more,
  });
const listed = (condition: string, values: Record<string, string>) =>
  query(
    `#list = :list AND ${condition}`,
    { ':list': 'L', ...values },
    {
      IndexName: 'list',
      ExpressionAttributeNames: { '#list': 'list' },
    },
  );
const scan = (FilterExpression: string, more = {}) =>
  new ScanCommand({ TableName, FilterExpression, ExpressionAttributeValues: { ':a': S('a') }, ...more });
const sums = (operators: number) => `SET ${many(operators, (i) => `a${i}=:n+:n`).join(',')}`;
const comparisons = (operators: number) => many((operators + 1) / 2, () => 'a=:a').join(' OR ');
const padded = (start: string, bytes: number) => `${start}${' '.repeat(bytes - start.length)}`;
/** An item of exactly this size: its key has 2 + 5 + 2 + 4 bytes, and the name of its text has one. */
const itemOf = (bytes: number, unit = 'x') => ({ t: S(unit.repeat((bytes - 14) / Buffer.byteLength(unit))) });

const emptyKey = /AttributeValue for a key attribute cannot contain an empty string value/;
const tooLong = (expression: string) =>
  `Invalid ${expression}: Expression size has exceeded the maximum allowed size; expression size: 4097`;
const tooManyOperators = (expression: string) =>
  `Invalid ${expression}: The expression contains too many operators; operator count: 301`;

/** Requests that DynamoDB refuses, and its message. */
const refused: Record<string, [() => object, string | RegExp]> = {
  'an empty partition key in an item': [() => put({ pk: S('') }), emptyKey],
  'an empty sort key in an item': [() => put({ sk: S('') }), emptyKey],
  'an empty key of an index in an item': [
    () => put({ open: S('o'), dueAt: S('') }),
    'One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: open, IndexKey: dueAt',
  ],
  'an empty key of an index in an update': [
    () => update('SET dueAt = :a', { ':a': S('') }),
    'One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value.',
  ],
  'an empty key of an index as a default in an update': [
    () => update('SET dueAt = if_not_exists(dueAt, :a)', { ':a': S('') }),
    /update expression attempted to update a secondary index key/,
  ],
  'an empty key to read': [() => new GetItemCommand({ TableName, Key: { ...Key, sk: S('') } }), emptyKey],
  'an empty key to update': [() => update('SET a = :a', { ':a': S('') }, { Key: { ...Key, sk: S('') } }), emptyKey],
  'an empty key to delete': [() => new DeleteItemCommand({ TableName, Key: { ...Key, pk: S('') } }), emptyKey],
  'an empty partition key in a query': [() => query('pk = :pk', { ':pk': '' }), emptyKey],
  'an empty sort key in a query': [() => query('pk = :pk AND sk = :sk', { ':pk': 'p', ':sk': '' }), emptyKey],
  'an empty key of an index in a query': [
    () => listed('listKey = :a', { ':a': '' }),
    'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: listKey',
  ],
  'an empty partition of an index in a query': [() => listed('listKey > :a', { ':list': '', ':a': 'a' }), emptyKey],
  'an empty bound with >': [() => listed('listKey > :a', { ':a': '' }), emptyKey],
  'an empty bound with <=': [() => listed('listKey <= :a', { ':a': '' }), emptyKey],
  'an empty bound with BETWEEN': [() => listed('listKey BETWEEN :a AND :b', { ':a': '', ':b': '~' }), emptyKey],
  'an empty start with begins_with': [() => listed('begins_with(listKey, :a)', { ':a': '' }), emptyKey],
  'an empty key to start a query after': [
    () => query('pk = :pk', { ':pk': 'p' }, { ExclusiveStartKey: { pk: S('p'), sk: S('') } }),
    emptyKey,
  ],
  'a range that ends before it begins': [
    () => listed('listKey BETWEEN :a AND :b', { ':a': 'b', ':b': 'a' }),
    /BETWEEN.*bound/,
  ],
  'a reserved word in a condition': [
    () => put({}, { ConditionExpression: 'attribute_not_exists(state)' }),
    /reserved keyword: state/,
  ],
  'a reserved word in an update': [() => update('SET region = :a', { ':a': S('a') }), /reserved keyword: region/],
  'a reserved word in a key condition': [
    () => query('pk = :pk AND list = :a', { ':pk': 'p', ':a': 'a' }),
    /reserved keyword: list/,
  ],
  'a reserved word in a projection': [
    () => new GetItemCommand({ TableName, Key, ProjectionExpression: 'owner' }),
    /reserved keyword: owner/,
  ],
  'an item of 400 KB and one byte': [
    () => put(itemOf(400 * 1024 + 1)),
    'Item size has exceeded the maximum allowed size',
  ],
  'an item over 400 KB in letters of two bytes': [
    () => put(itemOf(400 * 1024 + 2, 'é')),
    'Item size has exceeded the maximum allowed size',
  ],
  'an update to over 400 KB in letters of two bytes': [
    () => update('SET t = :t', { ':t': itemOf(400 * 1024 + 2, 'é').t }),
    'Item size to update has exceeded the maximum allowed size',
  ],
  'a condition of over 4 KB': [
    () => put({}, { ConditionExpression: padded('attribute_exists(a)', 4097) }),
    tooLong('ConditionExpression'),
  ],
  'an update of over 4 KB': [() => update(padded('REMOVE a', 4097)), tooLong('UpdateExpression')],
  'a key condition of over 4 KB': [
    () => query(padded('pk = :pk', 4097), { ':pk': 'p' }),
    tooLong('KeyConditionExpression'),
  ],
  'a filter of over 4 KB': [() => scan(padded('a = :a', 4097)), tooLong('FilterExpression')],
  'a projection of over 4 KB': [
    () => new GetItemCommand({ TableName, Key, ProjectionExpression: padded('a', 4097) }),
    tooLong('ProjectionExpression'),
  ],
  'an update of over 300 operators': [
    () => update(sums(301), { ':n': { N: '1' } }),
    tooManyOperators('UpdateExpression'),
  ],
  'a condition of over 300 operators': [
    () => put({}, { ConditionExpression: comparisons(301), ExpressionAttributeValues: { ':a': S('a') } }),
    tooManyOperators('ConditionExpression'),
  ],
  'a filter of over 300 operators': [() => scan(comparisons(301)), tooManyOperators('FilterExpression')],
  'a list of over 100 values': [
    () => scan(`a IN (${many(101, () => ':a').join(', ')})`),
    'Invalid FilterExpression: The IN operator is provided with too many operands; number of operands: 101',
  ],
  'an empty set in an item': [() => put({ set: { SS: [] } }), /does not know values of the type SS/],
  'an empty set in an update': [
    () => update('SET a = :a', { ':a': { NS: [] } }),
    /does not know values of the type NS/,
  ],
  'an unused name': [
    () => update('REMOVE a', undefined, { ExpressionAttributeNames: { '#b': 'b' } }),
    /ExpressionAttributeNames unused in expressions: keys: {#b}/,
  ],
  'an unused value': [
    () => update('REMOVE a', { ':b': S('b') }),
    /ExpressionAttributeValues unused in expressions: keys: {:b}/,
  ],
  'no expression': [() => update(''), /The expression can not be empty/],
  'overlapping paths': [() => update('SET a = :a, a.b = :a', { ':a': S('a') }), /Two document paths overlap/],
  'a batch, which the embedded table does not know': [
    () => new BatchWriteItemCommand({ RequestItems: { [TableName]: [{ DeleteRequest: { Key } }] } }),
    /Unknown/,
  ],
  'a transaction, which the embedded table does not know': [
    () => new TransactWriteItemsCommand({ TransactItems: [{ Delete: { TableName, Key } }] }),
    /Unknown/,
  ],
};

test.each(Object.entries(refused))('the embedded table refuses %s', async (_, [request, message]) => {
  const sent = dynamodb.send(request() as never);
  await expect(sent).rejects.toThrow(message);
});

/** Requests at a limit, which DynamoDB accepts. */
const accepted: Record<string, () => object> = {
  'an empty text in another attribute': () => put({ label: S('') }),
  'an empty text in a map': () => update('SET m = :m', { ':m': { M: { listKey: S('') } } }),
  'an item of 400 KB': () => put(itemOf(400 * 1024)),
  'an item of 400 KB in letters of two bytes': () => put(itemOf(400 * 1024, 'é')),
  'an update of 4 KB': () => update(padded('REMOVE a', 4096)),
  'an update of 300 operators': () => update(sums(300), { ':n': { N: '1' } }, { Key: { ...Key, sk: S('sums') } }),
  'a filter of 299 operators': () => scan(comparisons(299)),
  'a list of 100 values': () => scan(`a IN (${many(100, () => ':a').join(', ')})`),
};

test.each(Object.entries(accepted))('the embedded table accepts %s', async (_, request) => {
  await dynamodb.send(request() as never);
});
