import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import type { StoreEnv } from '../../../shared/service/env.ts';
import { clientSettings, endingAtDeadline } from '../aws-client.ts';
import { type Change, type Condition, conditionOf, updateOf } from './expressions.ts';
import { formatKey, formatReader } from './format.ts';
import type { SecretStore } from './secrets.ts';

/** The service's table, the client that its stores share, and the number of shards of new open items. */
export type Db = {
  client: DynamoDBDocumentClient;
  table: string;
  openShards: number;
  /** Returns the format of items and messages to write, if this release reads more than one (format.ts). */
  format: () => Promise<number>;
  /** Finds and deletes the secrets of a check that ends. Functions that end checks have it. */
  secrets?: Pick<SecretStore, 'keysOf' | 'delete'> | undefined;
  /** Announces a closed check whose owner has webhooks. Every function that closes checks has it. */
  announceClosed?: (closed: { owner: string; checkId: string }) => Promise<void>;
};
export type Key = { pk: string; sk: string };
export type Item = Record<string, unknown>;

/** Opens the table. Each request fails if the table has a format that this release does not know. */
export const openDb = (
  { TABLE_NAME: table, HOME_REGION: region, OPEN_SHARDS: openShards }: StoreEnv,
  secrets?: Db['secrets'],
): Db => {
  const client = new DynamoDBClient({ region, ...clientSettings(2500) });
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const ofFormat = {
    TableName: table,
    Key: { pk: { S: formatKey.pk }, sk: { S: formatKey.sk } },
    ConsistentRead: true,
  };
  const format = formatReader(async () => (await client.send(new GetItemCommand(ofFormat))).Item);
  documents.middlewareStack.add(
    (next) => async (request) => {
      if (request.input !== ofFormat) await format();
      return next(request);
    },
    { step: 'initialize', name: 'knownFormat' },
  );
  return { table, openShards, format, client: endingAtDeadline(documents), secrets };
};

/** Reads an item consistently. */
export const getItem = async ({ client, table: TableName }: Db, Key: Key): Promise<Item | undefined> =>
  (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;

/** Puts an item. Returns false if the condition failed. */
export const putItem = async (db: Db, Item: Key & Item, condition: Condition): Promise<boolean> => {
  const put = new PutCommand({ TableName: db.table, Item, ...conditionOf(condition) });
  return Boolean(await ifConditionHolds(db.client.send(put)));
};

/** Updates an item. Returns the new item or what `returns` says, or undefined if the condition failed. */
export const updateItem = async (db: Db, Key: Key, change: Change): Promise<Item | undefined> => {
  const update = new UpdateCommand({ TableName: db.table, Key, ...updateOf(change) });
  const written = await ifConditionHolds(db.client.send(update));
  return written && (written.Attributes ?? {});
};

/*
 * The SDK retries a write whose response was lost. If the first try succeeded, the condition of the retry fails. `putOnce`
 * and `updateOnce` recognise that by an id that each write leaves in the item. A delete needs no such id: nobody needs to
 * know which call deleted an item.
 */

/** Puts an item. Returns true if this call has put it. */
export const putOnce = async (db: Db, { pk, sk, ...item }: Key & Item, condition: Condition): Promise<boolean> => {
  const writeId = randomUUID();
  if (await putItem(db, { pk, sk, ...item, writeId }, condition)) return true;
  return (await getItem(db, { pk, sk }))?.writeId === writeId;
};

/**
 * Updates an item. Returns the new item if this call has updated it, or undefined if the condition failed. A caller that
 * repeats the call passes the same `writeId`, so that a repetition recognises an earlier call.
 */
export const updateOnce = async (db: Db, key: Key, change: Change, writeId = randomUUID() as string) => {
  const written = await updateItem(db, key, { ...change, set: { ...change.set, writeId } });
  if (written) return written;
  const found = await getItem(db, key);
  return found?.writeId === writeId ? found : undefined;
};

/** Deletes an item. Returns false if the condition failed. */
export const deleteItem = async (db: Db, Key: Key, condition: Condition): Promise<boolean> => {
  const deletion = new DeleteCommand({ TableName: db.table, Key, ...conditionOf(condition) });
  return Boolean(await ifConditionHolds(db.client.send(deletion)));
};

/** A stored item is damaged, or another release has written it in a form that this one doesn't know. */
export class UnreadableItemError extends Error {
  constructor({ pk, sk }: { pk?: unknown; sk?: unknown }, why: string) {
    super(`the stored item ${pk} ${sk} can not be read: ${why}`);
  }
}

/** Other writes came between each time. A later try may succeed. */
export class WriteConflictError extends Error {
  constructor(what: string, tries: number) {
    super(`other writes of ${what} came between ${tries} times`);
  }
}

/** Returns undefined for an item that can't be read. Throws any other error. */
export const ifReadable = (error: unknown): undefined => {
  if (!(error instanceof UnreadableItemError)) throw error;
};

/** Parses a stored item. Throws an UnreadableItemError if it does not match its schema. */
export const parse = <T>(schema: z.ZodType<T>, item: Item): T => {
  if (item.damaged) throw new UnreadableItemError(item, 'it is not as it was written');
  const parsed = schema.safeParse(item);
  if (parsed.success) return parsed.data;
  throw new UnreadableItemError(item, z.prettifyError(parsed.error));
};

/** Returns undefined if the condition of a write failed. */
const ifConditionHolds = async <T>(write: Promise<T>): Promise<T | undefined> => {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
};
