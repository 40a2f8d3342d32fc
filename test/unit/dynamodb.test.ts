import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { expect, test, vi } from 'vitest';
import { type Db, deleteItem, putItem, updateItem } from '../../functions/lib/store/dynamodb.ts';
import { allOf, anyOf, type Condition, expressionOf, ifExists } from '../../functions/lib/store/expressions.ts';

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
    ...allOf(anyOf(['lease.id', '=', 'l']), anyOf(['open-2031-01-01', '<=', 3])),
  });
  expect(sent()).toEqual({
    TableName: 'table',
    Key: key,
    UpdateExpression:
      'SET #state = :set0, #tokens_small.#minute = if_not_exists(#tokens_small.#minute, :zero) + :add0 REMOVE #open',
    ConditionExpression: '#lease.#id = :if0 AND #open_2031_01_01 <= :if1',
    ExpressionAttributeNames: {
      '#state': 'state',
      '#tokens_small': 'tokens-small',
      '#minute': 'minute',
      '#open': 'open',
      '#lease': 'lease',
      '#id': 'id',
      '#open_2031_01_01': 'open-2031-01-01',
    },
    ExpressionAttributeValues: { ':if0': 'l', ':if1': 3, ':set0': 'running', ':add0': -2, ':zero': 0 },
    ReturnValues: 'ALL_NEW',
  });
});

test('combined conditions have parentheses only around alternatives, as DynamoDB rejects redundant ones', () => {
  const [a, b] = [anyOf(['a', '=', 1]), anyOf(['b', 'contains', 2], ['c', 'outside', 3, 4])];
  const textOf = (...conditions: Condition[]) => expressionOf(allOf(...conditions)).text;
  expect(textOf(a)).toBe('#a = :if0');
  expect(textOf(b)).toBe('(contains(#b, :if0) OR NOT #c BETWEEN :if1 AND :if2)');
  expect(textOf(a, b, a)).toBe('#a = :if0 AND (contains(#b, :if1) OR NOT #c BETWEEN :if2 AND :if3) AND #a = :if4');
  expect(expressionOf(b)).toMatchObject({
    names: { '#b': 'b', '#c': 'c' },
    values: { ':if0': 2, ':if1': 3, ':if2': 4 },
  });
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
