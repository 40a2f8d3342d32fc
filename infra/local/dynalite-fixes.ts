// @ts-expect-error it has no types
import dynaliteDb from 'dynalite/db/index.js';

type Store = { db: { batch(operations: unknown[], done: () => void): void; values(range: object): Values } };
type Values = { close(): Promise<void>; return?: () => Promise<void> };
type Table = { TableName: string; GlobalSecondaryIndexes?: unknown[] };

let patched = false;

/** Mends dynalite for this process. */
export const patchDynalite = (): void => {
  if (patched) return;
  patched = true;
  dynaliteDb.updateIndexes = updateIndexes;
  dynaliteDb.create = closingIterators(dynaliteDb.create);
};

/**
 * dynalite writes an item's index entries and then the item, one after the other: a kill between them hid open runs from
 * the sweeper for ever. All go in one batch here, and dynalite's own write of the item then changes nothing.
 */
const updateIndexes = (store: Store, table: Table, before: unknown, after: unknown, done: () => void) => {
  if (!before && !after) return done();
  const { puts, deletes } = dynaliteDb.getIndexActions(table.GlobalSecondaryIndexes ?? [], before, after, table);
  const entry = (type: string) => (action: { index: string; key: string; item?: unknown }) => ({
    type,
    key: `index-global~${table.TableName}~${action.index}~${action.key}`,
    value: action.item,
  });
  const key = `item-${table.TableName}~${dynaliteDb.createKey(after ?? before, table)}`;
  const item = { type: after ? 'put' : 'del', key, value: after };
  store.db.batch([...deletes.map(entry('del')), ...puts.map(entry('put')), item], done);
};

/**
 * dynalite ends the iterator of a query by its `return`, and those of its LevelDB have none: each query kept 7 to 43 KB
 * for good.
 */
const closingIterators =
  (create: (options: unknown) => Store) =>
  (options: unknown): Store => {
    const store = create(options);
    const values = store.db.values.bind(store.db);
    store.db.values = (range) => {
      const iterator = values(range);
      iterator.return = () => iterator.close();
      return iterator;
    };
    return store;
  };
