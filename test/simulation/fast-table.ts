import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Db, Item, Key } from '../../functions/lib/store/dynamodb.ts';
import { checkKey, pointerKey } from '../../functions/lib/store/items.ts';
import { conditionOf, updateOf } from './table-expressions.ts';

type Input = {
  Key?: Key;
  Item?: Key & Item;
  IndexName?: string;
  Limit?: number;
  ConditionExpression?: string;
  KeyConditionExpression?: string;
  FilterExpression?: string;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
};
type Command = { input: Input; constructor: { name: string } };

/**
 * A table in memory that evaluates the stores' own expressions, a hundred times faster than the embedded engine. It has the
 * index `open`. One page holds every answer.
 */
export const fastTable = (openShards: number, onWrite: () => void) => {
  const partitions = new Map<string, Map<string, Item>>();
  const open = openIndex();

  const find = ({ pk, sk }: Key): Item | undefined => partitions.get(pk)?.get(sk);
  const holds = (condition: string | undefined, item: Item, input: Input): boolean => {
    const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = input;
    return condition === undefined || conditionOf(condition)(item, names, values);
  };

  const write = (key: Key, input: Input, change: (before: Item) => Item | undefined): object => {
    onWrite();
    const before = find(key);
    if (!holds(input.ConditionExpression, before ?? {}, input))
      throw new ConditionalCheckFailedException({ $metadata: {}, message: 'The conditional request failed' });
    const after = change(before ?? key);
    open.move(before, after);
    const items = partitions.get(key.pk) ?? new Map<string, Item>();
    if (after) partitions.set(key.pk, items.set(key.sk, after));
    else if (items.delete(key.sk) && items.size === 0) partitions.delete(key.pk);
    return { Attributes: after };
  };

  const query = (input: Input): object => {
    const { ':pk': pk, ':open': name, ':from': from, ':until': until } = input.ExpressionAttributeValues as never;
    const listed = input.IndexName === 'open' ? open.between(name, from, until) : (partitions.get(pk)?.values() ?? []);
    const Items: Item[] = [];
    for (const item of listed) {
      if (Items.length === input.Limit) break;
      if (holds(input.KeyConditionExpression, item, input) && holds(input.FilterExpression, item, input))
        Items.push(item);
    }
    return { Items };
  };

  const answer = ({ input, constructor: { name } }: Command): object => {
    if (name === 'QueryCommand') return query(input);
    if (name === 'PutCommand') return write(input.Item as Key, input, () => withoutUndefined(input.Item as Item));
    const key = input.Key as Key;
    if (name === 'GetCommand') return { Item: find(key) };
    if (name === 'DeleteCommand') return write(key, input, () => undefined);
    const {
      UpdateExpression = '',
      ExpressionAttributeNames: names = {},
      ExpressionAttributeValues: values = {},
    } = input;
    return write(key, input, (before) => updateOf(UpdateExpression)(before, names, values));
  };

  const send = async (command: Command) => answer(command);
  const client = Object.create(DynamoDBDocumentClient.prototype, { send: { value: send } }) as DynamoDBDocumentClient;
  const db: Db = { client, table: 'fast', openShards };
  return {
    db,
    /** Returns the number of open items. */
    openItems: open.size,
    /** Deletes a check that is closed, with its runs. Returns false for an open check. */
    forgetIfClosed: (checkId: string): boolean => {
      const { completedAt, runIds = [] } = (find(checkKey(checkId)) ?? {}) as {
        completedAt?: string;
        runIds?: string[];
      };
      if (!completedAt) return false;
      for (const { pk } of [checkKey(checkId), ...runIds.map(pointerKey)]) partitions.delete(pk);
      return true;
    },
  };
};

const withoutUndefined = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));

type OpenItem = { open: string; dueAt: string };

/** The index of open items. Each partition has its items by the minute in which they are due. */
const openIndex = () => {
  const partitions = new Map<string, Map<string, Set<OpenItem>>>();
  const minuteOf = (time: string): string => time.slice(0, 16);
  const isOpen = (item: Item | undefined): item is OpenItem => item?.open !== undefined && item.dueAt !== undefined;

  const remove = (item: OpenItem) => {
    const minutes = partitions.get(item.open);
    const items = minutes?.get(minuteOf(item.dueAt));
    if (items?.delete(item) && items.size === 0) minutes?.delete(minuteOf(item.dueAt));
  };
  const add = (item: OpenItem) => {
    const minutes = partitions.get(item.open) ?? new Map<string, Set<OpenItem>>();
    const items = minutes.get(minuteOf(item.dueAt)) ?? new Set();
    partitions.set(item.open, minutes.set(minuteOf(item.dueAt), items.add(item)));
  };
  return {
    size: (): number =>
      [...partitions.values()].flatMap((minutes) => [...minutes.values()]).reduce((sum, items) => sum + items.size, 0),
    move: (before: Item | undefined, after: Item | undefined): void => {
      if (isOpen(before)) remove(before);
      if (isOpen(after)) add(after);
    },
    /** Yields the items of a partition that are due in these minutes, in the order of their due times. */
    between: function* (name: string, from: string, until: string): Generator<Item> {
      const minutes = partitions.get(name) ?? new Map<string, Set<OpenItem>>();
      const inRange = [...minutes.keys()].filter((each) => each >= minuteOf(from) && each <= minuteOf(until));
      for (const minute of inRange.sort())
        yield* [...(minutes.get(minute) ?? [])].sort((a, b) => (a.dueAt < b.dueAt ? -1 : 1));
    },
  };
};
