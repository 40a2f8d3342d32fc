import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { etagOf } from '../objects.ts';
import { itemIn } from '../table/item-text.ts';

/** Tables that a backup has, with the columns that sort them. Every start fills the queues again. */
const backedUp = {
  items: 'pk, sk',
  index_open: 'partition, sort, pk, sk',
  index_list: 'partition, sort, pk, sk',
  objects: 'key',
} as const;

/**
 * Returns a hash of all rows, and the names of items and objects that are not as the service wrote them. SQLite's own check
 * looks at pages only, and not at rows.
 */
export const digestOf = (db: DatabaseSync): { digest: string; damaged: string[] } => {
  const hash = createHash('sha256');
  const damaged: string[] = [];
  for (const [table, order] of Object.entries(backedUp)) {
    hash.update(table);
    for (const row of db.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).iterate() as Iterable<Row>) {
      const etag = row.body && etagOf(row.body);
      hash.update(JSON.stringify(Object.values({ ...row, ...(row.body && { body: etag }) })));
      if (etag !== row.etag) damaged.push(`object ${row.key}`);
      if (table === 'items' && itemIn(row.pk, row.sk, row.item).damaged) damaged.push(`item ${row.pk} ${row.sk}`);
    }
  }
  return { digest: hash.digest('hex'), damaged };
};
type Row = Record<'pk' | 'sk' | 'item' | 'key', string> & { etag?: string; body?: Uint8Array };

/** How much a backup or a restore has copied, and which of it was damaged before. */
export type Copied = { items: number; objects: number; bytes: number; damaged: string[] };
export const countsOf = (db: DatabaseSync): Omit<Copied, 'damaged'> =>
  db
    .prepare(
      'SELECT (SELECT count(*) FROM items) AS items, count(*) AS objects, ifnull(sum(bytes), 0) AS bytes FROM objects',
    )
    .get() as Omit<Copied, 'damaged'>;

/** Throws if what was copied is damaged. `what` says what was copied, and is true. */
export const requireUndamaged = (what: string, { damaged }: Copied): void => {
  if (damaged.length > 0)
    throw new Error(
      `${what} ${damaged.length} of them were damaged before, and are unreadable: ${damaged.slice(0, 10).join(', ')}. Keep an earlier backup, and erase their checks.`,
    );
};

/** Writes a file, or the names in a folder, to the disk. */
export const syncPath = (path: string): void => {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};
