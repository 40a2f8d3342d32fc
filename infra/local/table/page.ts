import { invalid } from './errors.ts';
import { holds } from './evaluate.ts';
import type { Condition } from './expressions.ts';
import type { Request } from './requests.ts';
import * as schema from './schema.ts';
import { type Item, sizeOfItem } from './values.ts';

const MAX_PAGE_BYTES = 2 ** 20;

/** Returns one page of an answer: up to `Limit` items, or about a mebibyte. */
export const pageOf = (
  rows: Iterable<Item>,
  { Limit = Number.POSITIVE_INFINITY }: Request,
  index: schema.Index | undefined,
  filter: Condition | undefined,
): object => {
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
    Items: items,
    ...(last && isFull() && { LastEvaluatedKey: keysOf(last, index) }),
  };
};

const keysOf = (item: Item, index: schema.Index | undefined): Item => {
  const names = [schema.partitionKey, schema.sortKey, ...(index ? [index.partitionKey, index.sortKey] : [])];
  return Object.fromEntries(names.map((name) => [name, item[name]])) as Item;
};

/** Returns the texts of the key after which a page begins, or undefined if it is the first one. */
export const startOf = (
  { ExclusiveStartKey: start, ConsistentRead }: Request,
  index?: schema.Index,
  partition?: string,
) => {
  if (index && ConsistentRead) throw invalid('Consistent reads are not supported on global secondary indexes');
  if (!start) return undefined;
  const { [index?.partitionKey ?? '']: _, [index?.sortKey ?? '']: __, ...rest } = start;
  const place = index && schema.placeIn(index, start);
  if (index && !place) throw invalid('The provided starting key is invalid');
  const key = schema.keyOf(rest);
  if (partition !== undefined && (place ?? key)[0] !== partition)
    throw invalid('The provided starting key is outside query boundaries based on provided conditions');
  return { place, key };
};
