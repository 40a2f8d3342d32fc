import { tableSettings } from '../../settings.ts';
import { invalid, invalidValue } from './errors.ts';
import type { Action } from './expressions.ts';
import { type Item, type Type, typeOf, type Value } from './values.ts';

/* The keys of the table and of its indexes. All are texts. */

export const { partitionKey, sortKey, indexes } = tableSettings;
export type Index = (typeof indexes)[number];
type Keys = { partitionKey: string; sortKey: string };

const MAX_BYTES = { partition: 2048, sort: 1024 };
const NOT_VALID = 'One or more parameter values are not valid.';
const EMPTY = 'The AttributeValue for a key attribute cannot contain an empty string value.';

export const indexNamed = (name: string): Index => {
  const index = indexes.find((each) => each.name === name);
  if (!index) throw invalid(`The table does not have the specified index: ${name}`);
  return index;
};

const indexKeys = indexes.flatMap((index) =>
  [index.partitionKey, index.sortKey].map((name) => ({ name, indexName: index.name })),
);

/** Returns the texts of a key. Throws if it has other attributes or types, or is empty or too long. */
export const keyOf = (key: Item = {}): [string, string] => {
  if (Object.keys(key).length !== 2) throw mismatch();
  return [pieceOf(key, partitionKey, 'partition'), pieceOf(key, sortKey, 'sort')];
};

export const mismatch = () => invalid('The provided key element does not match the schema');

const pieceOf = (key: Item, name: string, kind: keyof typeof MAX_BYTES): string => {
  const text = key[name]?.S;
  if (text === undefined) throw mismatch();
  if (text === '') throw invalidValue(`${EMPTY} Key: ${name}`);
  return inSize(text, kind);
};

const inSize = (text: string, kind: keyof typeof MAX_BYTES): string => {
  if (Buffer.byteLength(text) <= MAX_BYTES[kind]) return text;
  throw invalidValue(
    kind === 'partition'
      ? 'Size of hashkey has exceeded the maximum size limit of2048 bytes'
      : 'Aggregated size of all range keys has exceeded the size limit of 1024 bytes',
  );
};

/** Returns the key of an item. Throws if the item can't be put. */
export const keyOfItem = (item: Item): [string, string] => {
  const keys = (
    [
      [partitionKey, 'partition'],
      [sortKey, 'sort'],
    ] as const
  ).map(([name, kind]) => {
    const value = item[name];
    if (!value) throw invalidValue(`Missing the key ${name} in the item`);
    if (value.S === undefined) throw invalidValue(`Type mismatch for key ${name} expected: S actual: ${typeOf(value)}`);
    if (value.S === '') throw invalid(`${NOT_VALID} ${EMPTY} Key: ${name}`);
    return inSize(value.S, kind);
  });
  for (const { name, indexName } of indexKeys) {
    const value = item[name];
    if (value && value.S === undefined) throw wrongIndexType(name, indexName, typeOf(value));
    if (value?.S === '')
      throw invalid(
        `${NOT_VALID} A value specified for a secondary index key is not supported. ${EMPTY} IndexName: ${indexName}, IndexKey: ${name}`,
      );
  }
  return keys as [string, string];
};

const wrongIndexType = (name: string, indexName: string, type: Type) =>
  invalidValue(`Type mismatch for Index Key ${name} Expected: S Actual: ${type} IndexName: ${indexName}`);

/** Throws if an update changes the key or a part of an index's key, or gives an index's key a wrong type. */
export const checkUpdate = (actions: readonly Action[]): void => {
  for (const name of [partitionKey, sortKey]) {
    if (actions.some(({ path }) => path[0] === name))
      throw invalidValue(`Cannot update attribute ${name}. This attribute is part of the key`);
  }
  for (const { name, indexName } of indexKeys) {
    const action = actions.find(({ path }) => path.length === 1 && path[0] === name);
    const [value] = action?.values ?? [];
    if (value && value.S === undefined) throw wrongIndexType(name, indexName, typeOf(value));
    if (actions.some(({ path }) => path.length > 1 && path[0] === name))
      throw invalid(`Key attributes must be scalars; map lookup '.' is not allowed: IndexKey: ${name}`);
  }
};

/** Throws if an updated item has a key of an index that is no key. */
export const checkUpdated = (item: Item): void => {
  for (const { name } of indexKeys) {
    const value = item[name];
    if (value && value.S === undefined)
      throw invalid('The update expression attempted to update the secondary index key to unsupported type');
    if (value?.S === '')
      throw invalid(
        `${NOT_VALID} The update expression attempted to update a secondary index key to a value that is not supported. ${EMPTY}`,
      );
  }
};

/** Returns the place of an item in an index, or undefined if the item is not in it. */
export const placeIn = ({ partitionKey, sortKey }: Keys, item: Item | undefined): [string, string] | undefined => {
  const [partition, sort] = [item?.[partitionKey]?.S, item?.[sortKey]?.S];
  return partition !== undefined && sort !== undefined ? [partition, sort] : undefined;
};

/** Returns what an index has of an item. */
export const entryOf = (index: Index, item: Item): Item => {
  const entry: Item = {};
  for (const name of [index.partitionKey, index.sortKey, partitionKey, sortKey, ...index.projects]) {
    const value = item[name];
    if (value) entry[name] = value;
  }
  return entry;
};

export const refuseEmptyBound = (name: string, value: Value): void => {
  if (value.S === '') throw invalid(`${NOT_VALID} ${EMPTY} Key: ${name}`);
};
