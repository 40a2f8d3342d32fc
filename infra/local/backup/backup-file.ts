import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { etagOf } from '../objects.ts';

/** Tables that a backup has, with the columns that sort them. Every start fills the queues again. */
const backedUp = {
  items: 'pk, sk',
  index_open: 'partition, sort, pk, sk',
  index_list: 'partition, sort, pk, sk',
  objects: 'key',
} as const;

/** Returns a hash of all rows, which SQLite's own check of its pages does not cover. */
export const digestOf = (db: DatabaseSync): string => {
  const hash = createHash('sha256');
  for (const [table, order] of Object.entries(backedUp)) {
    hash.update(table);
    for (const row of db.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).iterate()) {
      const values = Object.values(row).map((value) => (value instanceof Uint8Array ? etagOf(value) : value));
      hash.update(JSON.stringify(values));
    }
  }
  return hash.digest('hex');
};

/** How much a backup or a restore has copied. */
export type Copied = { items: number; objects: number; bytes: number };
export const countsOf = (db: DatabaseSync): Copied =>
  db
    .prepare(
      'SELECT (SELECT count(*) FROM items) AS items, count(*) AS objects, ifnull(sum(bytes), 0) AS bytes FROM objects',
    )
    .get() as Copied;

/** Writes a file, or the names in a folder, to the disk. */
export const syncPath = (path: string): void => {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};
