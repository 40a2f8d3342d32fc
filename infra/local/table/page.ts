import { invalid } from './errors.ts';
import { holds } from './evaluate.ts';
import type { expressionsOf, Request } from './requests.ts';
import type { Path } from './resolved.ts';
import * as schema from './schema.ts';
import { partsOf } from './update.ts';
import { type Item, sizeOfItem } from './values.ts';

const MAX_PAGE_BYTES = 2 ** 20;
const UNIT_BYTES = { write: 1024, read: 4096 };

/** Returns one page of an answer: up to `Limit` items, or about a mebibyte. */
export const pageOf = (
  rows: Iterable<Item>,
  { Limit = Number.POSITIVE_INFINITY, Select, ...request }: Request,
  index: schema.Index | undefined,
  { filter, projection }: ReturnType<typeof expressionsOf>,
): object => {
  schema.checkNestedPaths(projection ?? []);
  const items: Item[] = [];
  let scanned = 0;
  let bytes = 0;
  let last: Item | undefined;
  const isFull = () => scanned >= Limit || bytes >= MAX_PAGE_BYTES;
  for (const item of rows) {
    scanned++;
    bytes += sizeOfItem(item);
    last = item;
    if (!filter || holds(filter, item)) items.push(item);
    if (isFull()) break;
  }
  return {
    Count: items.length,
    ScannedCount: scanned,
    ...(Select !== 'COUNT' && { Items: projection ? items.map((item) => partsOf(item, projection)) : items }),
    ...(last && isFull() && { LastEvaluatedKey: keysOf(last, index) }),
    ...capacityOf(request, 'read', bytes),
  };
};

const keysOf = (item: Item, index: schema.Index | undefined): Item => {
  const names = [schema.partitionKey, schema.sortKey, ...(index ? [index.partitionKey, index.sortKey] : [])];
  return Object.fromEntries(names.map((name) => [name, item[name]])) as Item;
};

/** Returns the texts of the key after which a page begins, or undefined if it is the first one. */
export const startOf = (
  { ExclusiveStartKey: start, ConsistentRead, Select }: Request,
  index: schema.Index | undefined,
  partition?: string,
) => {
  if (index && ConsistentRead) throw invalid('Consistent reads are not supported on global secondary indexes');
  if (index && Select === 'ALL_ATTRIBUTES')
    throw invalid(
      `One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index ${index.name} because its projection type is not ALL`,
    );
  if (!start) return undefined;
  const { [index?.partitionKey ?? '']: _, [index?.sortKey ?? '']: __, ...rest } = start;
  const place = index && schema.placeIn(index, start);
  if (index && !place) throw invalid('The provided starting key is invalid');
  const key = schema.keyOf(rest);
  if (partition !== undefined && (place ?? key)[0] !== partition)
    throw invalid('The provided starting key is outside query boundaries based on provided conditions');
  return { place, key };
};

type Node = { kind?: string; path?: Path; args?: Node[] };

/** Returns the attributes that a condition reads. */
export const attributesIn = (node: Node | undefined): Set<unknown> =>
  new Set(node?.path ? [node.path[0]] : (node?.args ?? []).flatMap((each) => [...attributesIn(each)]));

/** Returns the units that DynamoDB would bill, if the request asks for them. */
export const capacityOf = (
  { ReturnConsumedCapacity: asked = 'NONE', TableName, ConsistentRead }: Request,
  kind: 'read' | 'write',
  bytes: number,
) => {
  if (asked === 'NONE') return {};
  const units = Math.ceil(bytes / UNIT_BYTES[kind]);
  return { ConsumedCapacity: { TableName, CapacityUnits: kind === 'read' && !ConsistentRead ? units / 2 : units } };
};
