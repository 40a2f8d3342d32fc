import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/*
 * A backup is one SQLite file: the tables of the data folder with their contents, and two more. The queues are left out,
 * because every start fills them again. `files` has the files of the folder `objects`.
 */
export const BACKUP_SCHEMA = `
  CREATE TABLE backup (format INTEGER NOT NULL, at TEXT NOT NULL, service TEXT NOT NULL, digest TEXT NOT NULL) STRICT;
  CREATE TABLE files (name TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;
`;

/** Tables of the data folder that a backup has, with the columns that sort them. */
export const backedUp = {
  items: 'pk, sk',
  index_open: 'partition, sort, pk, sk',
  index_list: 'partition, sort, pk, sk',
  objects: 'key',
} as const;
export const tables = Object.keys(backedUp) as (keyof typeof backedUp)[];

/** Copies the tables from one schema of a connection to another. */
export const copyTables = (db: DatabaseSync, from: string, to: string): void => {
  for (const table of tables) db.exec(`INSERT INTO ${to}.${table} SELECT * FROM ${from}.${table}`);
};

/** Returns a hash of all rows, which SQLite's own check of its pages does not cover. Files have a hash in `objects`. */
export const digestOf = (db: DatabaseSync): string => {
  const hash = createHash('sha256');
  for (const table of tables) {
    hash.update(table);
    for (const row of db.prepare(`SELECT * FROM ${table} ORDER BY ${backedUp[table]}`).iterate()) {
      const values = Object.values(row).map((value) => (value instanceof Uint8Array ? etagOf(value) : value));
      hash.update(JSON.stringify(values));
    }
  }
  return hash.digest('hex');
};

/** Returns the entity tag of an object with this content. */
export const etagOf = (body: Uint8Array): string => `"${createHash('md5').update(body).digest('hex')}"`;

/** Rows of `objects` whose content is a file. */
export type FileRow = { key: string; file: string; etag: string };
export const FILE_ROWS = 'SELECT key, file, etag FROM objects WHERE file IS NOT NULL';

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
