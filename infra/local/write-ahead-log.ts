import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { openedFiles } from './opened-files.ts';
import { pagesIn, zeroGap } from './page-gaps.ts';

const MOST_BYTES = 4 * 2 ** 20;
const sync = promisify(fdatasync);

/** SQLite's log of a database file. Another thread syncs it. */
export class WriteAheadLog {
  readonly #db: DatabaseSync;
  readonly #fd: number;
  readonly #file: number;
  /** Throws if the files were moved or removed. */
  readonly requireFiles: () => void;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #syncFailed = false;
  /** Pages that were moved into the file, and may have text of deleted rows in their gaps. */
  readonly #moved = new Set<number>();
  #pageSize = 0;

  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.requireFiles = openedFiles([path, `${path}-wal`]);
    this.#fd = openSync(`${path}-wal`, 'r');
    this.#file = openSync(path, 'r+'); // open as long as the database, because its end takes SQLite's locks away
    db.exec('PRAGMA wal_autocheckpoint = 0'); // SQLite would not say which pages it moves
  }

  /** Resolves after a sync that began after this call. One sync serves all that was committed before it began. */
  sync(): Promise<void> {
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#running = this.#next as Promise<void>;
        this.#next = undefined;
        // A failed sync may have dropped parts of later commits too, and the next sync would not report that.
        if (this.#syncFailed) throw new Error('an earlier sync of its log has failed');
        return sync(this.#fd);
      })
      .then(this.requireFiles)
      .catch((error) => {
        this.#syncFailed = true;
        throw error;
      });
    return this.#next;
  }

  /** Moves a long log into the file, unless another process uses the log. Returns true if it has moved the log. */
  shorten(): boolean {
    if (fstatSync(this.#fd).size < MOST_BYTES) return false;
    try {
      this.move();
      return true;
    } catch {
      return false; // the next commit retries
    }
  }

  /** Makes the log usable after a failed sync. Returns true if it has moved the log. */
  mend(): boolean {
    this.requireFiles();
    if (!this.#syncFailed) return false;
    this.move();
    return true;
  }

  /** Moves the log into the file, and empties the log. */
  move(): void {
    const { size, numbers } = pagesIn(this.#fd);
    const { busy } = this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
    if (busy) throw new Error('its log is in use by another process');
    this.#syncFailed = false;
    if (size > 0) this.#pageSize = size;
    for (const number of numbers) this.#moved.add(number);
  }

  /** Moves the log into the file, and overwrites what deleted rows have left in both. */
  erase(): void {
    this.move();
    if (this.#moved.size === 0) return;
    this.#db.exec('BEGIN IMMEDIATE'); // now no process writes the log, and so none moves it into the file
    try {
      if (fstatSync(this.#fd).size > 0) throw new Error('another process has written its log');
      const zeroed = [...this.#moved].filter((number) => zeroGap(this.#file, number, this.#pageSize));
      this.#moved.clear();
      if (zeroed.length === 0) return;
    } finally {
      this.#db.exec('ROLLBACK');
    }
    this.#db.exec('PRAGMA shrink_memory'); // the cached pages still have the text
  }

  close(): void {
    closeSync(this.#fd);
    closeSync(this.#file);
  }
}
