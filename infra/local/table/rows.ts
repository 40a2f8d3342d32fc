import type { SQLInputValue } from 'node:sqlite';
import type { Database } from '../database.ts';
import { itemIn, textOf } from './item-text.ts';
import type { Bound, Range } from './key-condition.ts';
import { entryOf, type Index, indexes, placeIn } from './schema.ts';
import type { Item } from './values.ts';

/* The rows of the table and its indexes. Items are DynamoDB's JSON. */

type Place = [string, string] | undefined;
type Start = { place: Place; key: [string, string] } | undefined;
type Query = { index: Index | undefined; range: Range; start: Start; isReversed: boolean };
export type Rows = ReturnType<typeof rowsOf>;

const tableOf = (index: Index | undefined) =>
  index
    ? {
        from: `entry AS item FROM index_${index.name}`,
        partition: 'partition',
        sort: 'sort',
        order: ['sort', 'pk', 'sk'],
      }
    : { from: 'pk, sk, item FROM items', partition: 'pk', sort: 'sk', order: ['sk'] };

/** The greatest text that begins with a text is below the text with this at its end. */
const LAST_LETTER = '\u{10ffff}';

const rangeSql = ({ kind, values }: Bound, column: string) => {
  if (kind === 'between') return { sql: `${column} BETWEEN ? AND ?`, values };
  if (kind === 'begins with')
    return { sql: `${column} >= ? AND ${column} < ?`, values: [...values, values[0] + LAST_LETTER] };
  return { sql: `${column} ${kind} ?`, values };
};

export const rowsOf = (database: Database) => {
  function* select(sql: string, values: SQLInputValue[]): Generator<Item> {
    for (const { pk, sk, item } of database.prepare(sql).iterate(...values) as Iterable<Record<string, string>>)
      yield pk === undefined ? JSON.parse(item as string) : itemIn(pk, sk as string, item as string);
  }

  /** Yields the rows that meet the conditions, from the start on, in the order of these columns. */
  const selectFrom = (
    from: string,
    conditions: { sql: string; values: string[] }[],
    order: readonly string[],
    isReversed = false,
  ) => {
    const where = conditions.length > 0 ? `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}` : '';
    const sorted = order.map((column) => (isReversed ? `${column} DESC` : column)).join(', ');
    return select(
      `SELECT ${from} ${where} ORDER BY ${sorted}`,
      conditions.flatMap(({ values }) => values),
    );
  };

  const after = (order: readonly string[], values: string[], isReversed: boolean) => ({
    sql: `(${order.join(', ')}) ${isReversed ? '<' : '>'} (${order.map(() => '?').join(', ')})`,
    values,
  });

  return {
    get: (pk: string, sk: string): Item | undefined => {
      const row = database.prepare('SELECT item FROM items WHERE pk = ? AND sk = ?').get(pk, sk);
      return row && itemIn(pk, sk, row.item as string);
    },

    /** Returns where the indexes have an item. */
    placesOf: (item: Item | undefined): Place[] => indexes.map((index) => placeIn(index, item)),

    write: (key: [string, string], item: Item | undefined, placesBefore: Place[]): string[] =>
      writeItem(database, key, item, placesBefore),

    /** Yields the items of a range of a partition. */
    inRange: ({ index, range, start, isReversed }: Query): Iterable<Item> => {
      const { from, partition, sort, order } = tableOf(index);
      const conditions = [{ sql: `${partition} = ?`, values: [range.partition] }];
      if (range.sort) conditions.push(rangeSql(range.sort, sort));
      if (start)
        conditions.push(after(order, start.place ? [start.place[1], ...start.key] : [start.key[1]], isReversed));
      return selectFrom(from, conditions, order, isReversed);
    },

    /** Yields all items. */
    all: (start: Start): Iterable<Item> => {
      const order = ['pk', 'sk'];
      return selectFrom('pk, sk, item FROM items', start ? [after(order, start.key, false)] : [], order);
    },
  };
};

/** Writes an item, or deletes it, with its entries in the indexes. Returns the partitions of the indexes that changed. */
const writeItem = (
  database: Database,
  [pk, sk]: [string, string],
  item: Item | undefined,
  placesBefore: Place[],
): string[] => {
  if (item) {
    const sql = 'INSERT INTO items VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET item = excluded.item';
    database.prepare(sql).run(pk, sk, textOf(pk, sk, item));
  } else database.prepare('DELETE FROM items WHERE pk = ? AND sk = ?').run(pk, sk);
  return indexes.flatMap((index, i) => {
    const [before, now] = [placesBefore[i], placeIn(index, item)];
    const from = `index_${index.name}`;
    if (before && String(before) !== String(now))
      database
        .prepare(`DELETE FROM ${from} WHERE partition = ? AND sort = ? AND pk = ? AND sk = ?`)
        .run(...before, pk, sk);
    if (now) {
      const sql = `INSERT INTO ${from} VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET entry = excluded.entry`;
      database.prepare(sql).run(...now, pk, sk, JSON.stringify(entryOf(index, item as Item)));
    }
    return [before, now].flatMap((place) => (place ? `${index.name} ${place[0]}` : []));
  });
};
