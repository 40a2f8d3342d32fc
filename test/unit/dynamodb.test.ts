import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { expect, test, vi } from 'vitest';
import { allOf, type Db, deleteItem, ifExists, putItem, updateItem } from '../../functions/lib/store/dynamodb.ts';

const key = { pk: 'CHECK#1', sk: 'CHECK' };
const fakeDb = (respond: () => unknown = () => ({})) => {
  const send = vi.fn(async (_command: { input: unknown }) => respond());
  const db = { client: { send }, table: 'table' } as unknown as Db;
  return { db, sent: () => send.mock.calls[0]?.[0].input };
};

test('an update names every attribute by a placeholder, in the condition too', async () => {
  const { db, sent } = fakeDb();
  await updateItem(db, key, {
    set: { state: 'running', skipped: undefined },
    add: { 'tokens-small.minute': -2 },
    remove: ['open'],
    condition: '#lease.#id = :id AND #open-2031-01-01 <= :max',
    values: { ':id': 'l', ':max': 3 },
  });
  expect(sent()).toEqual({
    TableName: 'table',
    Key: key,
    UpdateExpression:
      'SET #state = :set0, #tokens_small.#minute = if_not_exists(#tokens_small.#minute, :zero) + :add0 REMOVE #open',
    ConditionExpression: '#lease.#id = :id AND #open_2031_01_01 <= :max',
    ExpressionAttributeNames: {
      '#state': 'state',
      '#tokens_small': 'tokens-small',
      '#minute': 'minute',
      '#open': 'open',
      '#lease': 'lease',
      '#id': 'id',
      '#open_2031_01_01': 'open-2031-01-01',
    },
    ExpressionAttributeValues: { ':id': 'l', ':max': 3, ':set0': 'running', ':add0': -2, ':zero': 0 },
    ReturnValues: 'ALL_NEW',
  });
});

test('combined conditions have parentheses only around alternatives, as DynamoDB rejects redundant ones', () => {
  const [a, b] = [
    { condition: '#a = :a', values: { ':a': 1 } },
    { condition: '#b = :b OR #c = :b', values: { ':b': 2 } },
  ];
  expect(allOf(a)).toEqual(a);
  expect(allOf(b).condition).toBe('#b = :b OR #c = :b');
  expect(allOf(a, b)).toEqual({ condition: '#a = :a AND (#b = :b OR #c = :b)', values: { ':a': 1, ':b': 2 } });
  expect(allOf(allOf(b), a).condition).toBe('(#b = :b OR #c = :b) AND #a = :a');
});

test('a condition without values sends none', async () => {
  const { db, sent } = fakeDb();
  await deleteItem(db, key, ifExists);
  expect(sent()).toEqual({
    TableName: 'table',
    Key: key,
    ConditionExpression: 'attribute_exists(#pk)',
    ExpressionAttributeNames: { '#pk': 'pk' },
  });
});

test('a write whose condition failed returns undefined or false, and any other failure is thrown', async () => {
  const failed = new ConditionalCheckFailedException({ message: 'failed', $metadata: {} });
  const { db } = fakeDb(() => Promise.reject(failed));
  expect(await putItem(db, key, ifExists)).toBe(false);
  expect(await updateItem(db, key, { set: { a: 1 }, ...ifExists })).toBeUndefined();
  expect(await deleteItem(db, key, ifExists)).toBe(false);
  const broken = fakeDb(() => Promise.reject(new Error('connection lost')));
  await expect(putItem(broken.db, key, ifExists)).rejects.toThrow('connection lost');
});

test('a successful update returns the new item', async () => {
  expect(await putItem(fakeDb().db, key, ifExists)).toBe(true);
  const { db } = fakeDb(() => ({ Attributes: { a: 1 } }));
  expect(await updateItem(db, key, { set: { a: 1 }, ...ifExists })).toEqual({ a: 1 });
});
