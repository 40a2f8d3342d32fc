// @ts-expect-error dynalite has no types
import dynaliteDb from 'dynalite/db/index.js';
import { type Done, isCheck, type Store, type StoredItem } from './dynalite-store.ts';

type Table = { TableName: string; GlobalSecondaryIndexes?: unknown[] };

let patched = false;

/** Fixes faults of dynalite in this process. Importing this file changes nothing. */
export const patchDynalite = (): void => {
  if (patched) return;
  patched = true;
  dynaliteDb.updateIndexes = updateIndexes;
  dynaliteDb.create = showingStore(closingIterators(dynaliteDb.create));
};

/**
 * Writes an item and its index entries in one batch. dynalite writes them one after the other, so a kill between the
 * writes would hide an open run from the sweeper for ever. dynalite's later write of the item then changes nothing.
 */
const updateIndexes = (store: Store, table: Table, before: StoredItem, after: StoredItem, done: Done) => {
  if (!before && !after) return done(null);
  const { puts, deletes } = dynaliteDb.getIndexActions(table.GlobalSecondaryIndexes ?? [], before, after, table);
  const entry = (type: string) => (action: { index: string; key: string; item?: unknown }) => ({
    type,
    key: `index-global~${table.TableName}~${action.index}~${action.key}`,
    value: action.item,
  });
  const key = `item-${table.TableName}~${dynaliteDb.createKey(after ?? before, table)}`;
  const item = { type: after ? 'put' : 'del', key, value: after };
  const operations = [...deletes.map(entry('del')), ...puts.map(entry('put')), item];
  const change = Number(isCheck(after)) - Number(isCheck(before));
  const isErasure = before?.sk?.S === 'CHECK' && !after; // its mark goes when nothing else is left
  const written: Done = (error) => {
    if (isErasure && !error) store.onErased?.(); // a compaction before the write would keep the text
    done(error);
  };
  if (change !== 0 && store.writeCounted) store.writeCounted(change, operations, written);
  else store.db.batch(operations, written);
};

/**
 * Adds `return` to the iterators of a store. dynalite calls it to end a query, but LevelDB's iterators lack it. Without
 * it each query leaked 7 to 43 KB.
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

/** Passes each new store to the option `onStore` of its server, because the server hides it. */
const showingStore =
  (create: (options: unknown) => Store) =>
  (options: { onStore?: (store: Store) => void }): Store => {
    const store = create(options);
    options.onStore?.(store);
    return store;
  };
