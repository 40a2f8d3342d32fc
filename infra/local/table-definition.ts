import { isDeepStrictEqual } from 'node:util';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
// @ts-expect-error dynalite has no types
import dynaliteDb from 'dynalite/db/index.js';
import { tableSettings } from '../settings.ts';
import type { Store } from './dynalite-store.ts';

type Definition = Pick<CreateTableCommandInput, 'AttributeDefinitions' | 'KeySchema' | 'GlobalSecondaryIndexes'>;

/** Returns the request that creates the table. */
export const tableDefinition = (TableName: string) => {
  const { partitionKey, sortKey, indexes } = tableSettings;
  const strings = [partitionKey, sortKey, ...indexes.flatMap((index) => [index.partitionKey, index.sortKey])];
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: strings.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keys(partitionKey, sortKey),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keys(index.partitionKey, index.sortKey),
      Projection:
        index.projects.length > 0
          ? { ProjectionType: 'INCLUDE', NonKeyAttributes: [...index.projects] }
          : { ProjectionType: 'KEYS_ONLY' },
    })),
  } satisfies CreateTableCommandInput;
};

const keys = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' as const },
  { AttributeName: sort, KeyType: 'RANGE' as const },
];

/**
 * Rebuilds the indexes of a stored table that is damaged or whose definition differs from the present one. Then the table
 * must be created again, which keeps its items. Returns the number of items of a rebuilt table. Throws if the table has
 * other keys.
 */
export const rebuildIndexes = async (
  { db }: Store,
  definition: ReturnType<typeof tableDefinition>,
  { path, damaged }: { path: string; damaged: boolean },
): Promise<number | undefined> => {
  const name = definition.TableName;
  const stored = (await db.get(`table~${name}`)) as Definition | undefined;
  if (stored && !damaged && isDeepStrictEqual(shapeOf(stored), shapeOf(definition))) return undefined;
  if (stored && !isDeepStrictEqual(stored.KeySchema, definition.KeySchema)) {
    throw new Error(
      `The table in ${path} has other keys than this version of the service uses. Start the version that created the table, or set DATA_DIR to another folder.`,
    );
  }
  await db.batch([{ type: 'del', key: `table~${name}` }]); // first: if this is killed, the next start rebuilds
  await inBatches(db, db.keys(allUnder(`index-global~${name}~`)), (key) => [{ type: 'del', key }]);
  return await inBatches(db, db.values(allUnder(`item-${name}~`)) as AsyncIterable<object>, (item) => {
    const { puts } = dynaliteDb.getIndexActions(definition.GlobalSecondaryIndexes, null, item, definition) as Actions;
    return puts.map((entry) => ({
      type: 'put',
      key: `index-global~${name}~${entry.index}~${entry.key}`,
      value: entry.item,
    }));
  });
};

type Actions = { puts: { index: string; key: string; item: object }[] };

const allUnder = (prefix: string) => ({ gte: prefix, lt: `${prefix}\xff` });

/** Writes the operations for each value in batches. Returns the number of values. */
const inBatches = async <T>(db: Store['db'], values: AsyncIterable<T>, operationsOf: (value: T) => object[]) => {
  const batch: object[] = [];
  let count = 0;
  for await (const value of values) {
    count++;
    batch.push(...operationsOf(value));
    if (batch.length >= 1000) await db.batch(batch.splice(0));
  }
  await db.batch(batch);
  return count;
};

/** Returns what makes two definitions differ: attributes, keys and indexes, in any order. */
const shapeOf = ({ AttributeDefinitions = [], KeySchema, GlobalSecondaryIndexes = [] }: Definition) => ({
  types: Object.fromEntries(AttributeDefinitions.map((each) => [each.AttributeName, each.AttributeType])),
  KeySchema,
  indexes: Object.fromEntries(
    GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => [IndexName, { KeySchema, Projection }]),
  ),
});
