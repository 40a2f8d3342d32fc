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

/** Returns the names of the placeholders in an expression. */
const namesIn = (text: string) => {
  const names = text.match(/#\w+/g)?.map((name) => [name, name.slice(1)]);
  return names && { ExpressionAttributeNames: Object.fromEntries(names) };
};
const put = (item: PutItemCommandInput['Item'], more: Partial<PutItemCommandInput> = {}) =>
  new PutItemCommand({ TableName, Item: { ...Key, ...item }, ...more });
const putIf = (ConditionExpression: string) =>
  put({}, { ConditionExpression, ...namesIn(ConditionExpression), ExpressionAttributeValues: { ':a': S('a') } });
const update = (UpdateExpression: string, values?: UpdateItemCommandInput['ExpressionAttributeValues'], more = {}) =>
  new UpdateItemCommand({
    TableName,
    Key,
    UpdateExpression,
    ExpressionAttributeValues: values,
    ...namesIn(UpdateExpression),
    ...more,
  });
const query = (KeyConditionExpression: string, values: Record<string, string>, more: Partial<QueryCommandInput> = {}) =>
  new QueryCommand({
    TableName,
    KeyConditionExpression,
    ExpressionAttributeValues: Object.fromEntries(Object.entries(values).map(([name, text]) => [name, S(text)])),
    ...namesIn(KeyConditionExpression),
    ...more,
  });
const listed = (condition: string, values: Record<string, string>) =>
  query(`#list = :list AND ${condition}`, { ':list': 'L', ...values }, { IndexName: 'list' });
const scan = (FilterExpression: string, more = {}) =>
  new ScanCommand({
    TableName,
    FilterExpression,
    ...namesIn(FilterExpression),
    ExpressionAttributeValues: { ':a': S('a') },
    ...more,
  });
const comparisons = (count: number) => `(${many(count, () => '#a = :a').join(' OR ')})`;
/** Returns an expression of this many bytes, with a long name. */
const padded = (start: string, bytes: number, end = '') =>
  `${start}${'x'.repeat(bytes - start.length - end.length)}${end}`;
/** An item of exactly this size: its key has 2 + 5 + 2 + 4 bytes, and the name of its text has one. */
const itemOf = (bytes: number, unit = 'x') => ({ t: S(unit.repeat((bytes - 14) / Buffer.byteLength(unit))) });

const emptyKey = /AttributeValue for a key attribute cannot contain an empty string value/;
const tooLong = (expression: string) =>
  `Invalid ${expression}: Expression size has exceeded the maximum allowed size; expression size: 4097`;
const isUnknown = /does not know the expression/;

/** Requests that DynamoDB refuses, and its message. */
const refused: Record<string, [() => object, string | RegExp]> = {
  'an empty partition key in an item': [() => put({ pk: S('') }), emptyKey],
  'an empty sort key in an item': [() => put({ sk: S('') }), emptyKey],
  'an empty key of an index in an item': [
    () => put({ open: S('o'), dueAt: S('') }),
    'One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: open, IndexKey: dueAt',
  ],
  'an empty key of an index in an update': [
    () => update('SET #dueAt = :a', { ':a': S('') }),
    'One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value.',
  ],
  'an empty key of an index as a default in an update': [
    () => update('SET #dueAt = if_not_exists(#dueAt, :a)', { ':a': S('') }),
    /update expression attempted to update a secondary index key/,
  ],
  'an empty key to read': [() => new GetItemCommand({ TableName, Key: { ...Key, sk: S('') } }), emptyKey],
  'an empty key to update': [() => update('SET #a = :a', { ':a': S('') }, { Key: { ...Key, sk: S('') } }), emptyKey],
  'an empty key to delete': [() => new DeleteItemCommand({ TableName, Key: { ...Key, pk: S('') } }), emptyKey],
  'an empty partition key in a query': [() => query('#pk = :pk', { ':pk': '' }), emptyKey],
  'an empty sort key in a query': [() => query('#pk = :pk AND #sk = :sk', { ':pk': 'p', ':sk': '' }), emptyKey],
  'an empty key of an index in a query': [
    () => listed('#listKey = :a', { ':a': '' }),
    'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: listKey',
  ],
  'an empty partition of an index in a query': [() => listed('#listKey > :a', { ':list': '', ':a': 'a' }), emptyKey],
  'an empty bound with >': [() => listed('#listKey > :a', { ':a': '' }), emptyKey],
  'an empty bound with <=': [() => listed('#listKey <= :a', { ':a': '' }), emptyKey],
  'an empty bound with BETWEEN': [() => listed('#listKey BETWEEN :a AND :b', { ':a': '', ':b': '~' }), emptyKey],
  'an empty start with begins_with': [() => listed('begins_with(#listKey, :a)', { ':a': '' }), emptyKey],
  'an empty key to start a query after': [
    () => query('#pk = :pk', { ':pk': 'p' }, { ExclusiveStartKey: { pk: S('p'), sk: S('') } }),
    emptyKey,
  ],
  'a range that ends before it begins': [
    () => listed('#listKey BETWEEN :a AND :b', { ':a': 'b', ':b': 'a' }),
    /BETWEEN.*bound/,
  ],
  'a name without a placeholder, which may be reserved, in a condition': [
    () => putIf('attribute_not_exists(state)'),
    isUnknown,
  ],
  'a name without a placeholder in an update': [() => update('SET region = :a', { ':a': S('a') }), isUnknown],
  'a name without a placeholder in a key condition': [
    () => query('#pk = :pk AND list = :a', { ':pk': 'p', ':a': 'a' }),
    isUnknown,
  ],
  'a projection, which the embedded table does not know': [
    () => new GetItemCommand({ TableName, Key, ProjectionExpression: 'owner' }),
    /does not know ProjectionExpression/,
  ],
  'redundant parentheses': [() => putIf('((#a = :a OR #b = :a))'), isUnknown],
  'alternatives without parentheses': [() => putIf('#a = :a OR #b = :a AND #c = :a'), isUnknown],
  'an attribute that is compared with itself': [() => putIf('#a = :a AND #b = #b'), isUnknown],
  'a range that ends before it begins in a condition': [
    () =>
      put(
        {},
        {
          ConditionExpression: 'NOT #a BETWEEN :a AND :b',
          ...namesIn('#a'),
          ExpressionAttributeValues: { ':a': S('b'), ':b': S('a') },
        },
      ),
    /BETWEEN.*bound/,
  ],
  'a missing value': [() => putIf('#a = :a AND #b = :b'), /:b of an expression is not defined/],
  'an item of 400 KB and one byte': [
    () => put(itemOf(400 * 1024 + 1)),
    'Item size has exceeded the maximum allowed size',
  ],
  'an item over 400 KB in letters of two bytes': [
    () => put(itemOf(400 * 1024 + 2, 'é')),
    'Item size has exceeded the maximum allowed size',
  ],
  'an update to over 400 KB in letters of two bytes': [
    () => update('SET #t = :t', { ':t': itemOf(400 * 1024 + 2, 'é').t }),
    'Item size to update has exceeded the maximum allowed size',
  ],
  'a condition of over 4 KB': [() => putIf(padded('attribute_exists(#', 4097, ')')), tooLong('ConditionExpression')],
  'an update of over 4 KB': [() => update(padded('REMOVE #', 4097)), tooLong('UpdateExpression')],
  'a key condition of over 4 KB': [
    () => query(padded('#', 4097, ' = :pk'), { ':pk': 'p' }),
    tooLong('KeyConditionExpression'),
  ],
  'a filter of over 4 KB': [() => scan(padded('#', 4097, ' = :a')), tooLong('FilterExpression')],
  'a condition of over 300 operators': [() => putIf(comparisons(151)), /too many operators/],
  'a filter of over 300 operators': [() => scan(comparisons(151)), /too many operators/],
  'an empty set in an item': [() => put({ set: { SS: [] } }), /does not know values of the type SS/],
  'an empty set in an update': [
    () => update('SET #a = :a', { ':a': { NS: [] } }),
    /does not know values of the type NS/,
  ],
  'an unused name': [
    () => update('REMOVE #a', undefined, { ExpressionAttributeNames: { '#a': 'a', '#b': 'b' } }),
    /ExpressionAttributeNames unused in expressions: keys: {#b}/,
  ],
  'an unused value': [
    () => update('REMOVE #a', { ':b': S('b') }),
    /ExpressionAttributeValues unused in expressions: keys: {:b}/,
  ],
  'no expression': [() => update(''), isUnknown],
  'overlapping paths': [() => update('SET #a = :a, #a.#b = :a', { ':a': S('a') }), /Two document paths overlap/],
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
  'an empty text in a map': () => update('SET #m = :m', { ':m': { M: { listKey: S('') } } }),
  'an item of 400 KB': () => put(itemOf(400 * 1024)),
  'an item of 400 KB in letters of two bytes': () => put(itemOf(400 * 1024, 'é')),
  'an update of 4 KB': () => update(`REMOVE ${many(584, (i) => `#a${String(i).padStart(i ? 3 : 6, '0')}`).join(', ')}`),
  'a filter of 299 operators': () => scan(comparisons(150)),
};

test.each(Object.entries(accepted))('the embedded table accepts %s', async (_, request) => {
  await dynamodb.send(request() as never);
});
