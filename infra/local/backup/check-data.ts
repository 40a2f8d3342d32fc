import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../data-folder.ts';
import { requireFormat } from '../data-format.ts';
import { etagOf } from '../objects.ts';
import { itemIn } from '../table/item-text.ts';
import { entryOf, type Index, indexes, placeIn } from '../table/schema.ts';
import type { Item, Value } from '../table/values.ts';
import { inFolder } from '../unusable.ts';
import { faultOf } from './item-schemas.ts';
import { ObjectOwners } from './object-owners.ts';

const BUSY_MS = 5000;

/** Number of things that a check of a data folder has looked at, and the faults. */
export type Checked = { items: number; entries: number; objects: number; faults: string[] };

/** Looks for damage in a data folder, also while a service uses the folder. */
export const checkData = (dataDir: string, now: Date): Checked => {
  const path = databaseFile(dataDir);
  if (!existsSync(path)) throw new Error(`${dataDir} has no data.db. Start the service once, or restore a backup.`);
  const db = inFolder(path, () => new DatabaseSync(path, { timeout: BUSY_MS }));
  try {
    return inFolder(path, () => {
      requireFormat(db, path);
      return checkDatabase(db, now);
    });
  } finally {
    db.close();
  }
};

const checkDatabase = (db: DatabaseSync, now: Date): Checked => {
  const pages = (db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[])
    .filter(({ integrity_check: text }) => text !== 'ok')
    .map(({ integrity_check: text }) => `data.db: ${text.replaceAll('\n', ', ')}`);
  db.exec('BEGIN'); // the reads until COMMIT see one moment
  const owners = new ObjectOwners(now);
  const read = checkItems(db, (pk, sk, item) => owners.add(pk, sk, item));
  const objects: { key: string; modified: number }[] = [];
  const changed: string[] = [];
  const rows = db.prepare('SELECT key, modified, etag, body FROM objects').iterate() as Iterable<StoredRow>;
  for (const { key, modified, etag, body } of rows) {
    objects.push({ key, modified });
    if (etagOf(body) !== etag) changed.push(`object ${key}: it is not as it was written`);
  }
  db.exec('COMMIT');
  return {
    items: read.items,
    entries: read.entries,
    objects: objects.length,
    faults: [...pages, ...read.faults, ...changed, ...owners.faultsOf(objects)],
  };
};

type StoredRow = { key: string; modified: number; etag: string; body: Uint8Array };

/** Compares each item with its schema, and with its entries in the indexes. Calls `visit` with each item. */
const checkItems = (db: DatabaseSync, visit: (pk: string, sk: string, item: Record<string, unknown>) => void) => {
  const faults: string[] = [];
  const entriesOf = indexes.map((index) => checkedIndex(db, index));
  let items = 0;
  const rows = db.prepare('SELECT pk, sk, item FROM items').iterate() as Iterable<Record<'pk' | 'sk' | 'item', string>>;
  for (const { pk, sk, item: text } of rows) {
    items++;
    const item = itemIn(pk, sk, text);
    const plain = plainOf(item);
    const fault = item.damaged ? 'it is not JSON, or not as it was written' : faultOf(pk, sk, plain);
    if (fault) faults.push(`item ${pk} ${sk}: ${fault}`);
    visit(pk, sk, plain);
    for (const index of entriesOf) faults.push(...index.faultsOf(pk, sk, item));
  }
  return {
    items,
    entries: entriesOf.reduce((sum, index) => sum + index.count, 0),
    faults: [...faults, ...entriesOf.flatMap((index) => index.strays())],
  };
};

const plainOf = (item: Item): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plainValue(value)]));

const plainValue = (value: Value | null): unknown => {
  if (value === null) return value; // in a damaged item
  if (value.M) return plainOf(value.M);
  if (value.L) return value.L.map(plainValue);
  if (value.N !== undefined) return Number(value.N);
  if (value.B !== undefined) return Buffer.from(value.B, 'base64');
  return value.NULL ? null : Object.values(value)[0];
};

/** Compares the entries of an index with the items that they come from. */
const checkedIndex = (db: DatabaseSync, index: Index) => {
  const table = `index_${index.name}`;
  const find = db.prepare(`SELECT entry FROM ${table} WHERE partition = ? AND sort = ? AND pk = ? AND sk = ?`);
  const { count } = db.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number };
  let found = 0;
  return {
    count,
    faultsOf: (pk: string, sk: string, item: Item): string[] => {
      const place = placeIn(index, item);
      const row = place && (find.get(...place, pk, sk) as { entry: string } | undefined);
      if (row) found++;
      if (!place || (row && row.entry === JSON.stringify(entryOf(index, item)))) return [];
      return [`index ${index.name}: its entry of ${pk} ${sk} is ${row ? 'not as the item' : 'missing'}`];
    },
    /** Call it after all items. */
    strays: () => (count > found ? [`index ${index.name}: ${count - found} entries have no item`] : []),
  };
};
