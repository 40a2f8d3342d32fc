import { closeSync, fdatasync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { openedFiles } from './opened-files.ts';

const sync = promisify(fdatasync);

/** SQLite's log of a database file. Another thread syncs it. */
export class WriteAheadLog {
  readonly #db: DatabaseSync;
  readonly #fd: number;
  /** Throws if the files were moved or removed. */
  readonly requireFiles: () => void;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #syncFailed = false;

  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.requireFiles = openedFiles([path, `${path}-wal`]);
    this.#fd = openSync(`${path}-wal`, 'r');
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

  /** Makes the log usable after a failed sync. Returns true if it has moved the log. */
  mend(): boolean {
    this.requireFiles();
    if (!this.#syncFailed) return false;
    this.move();
    return true;
  }

  /** Moves the log into the file, and empties the log. */
  move(): void {
    const { busy } = this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
    if (busy) throw new Error('its log is in use by another process');
    this.#syncFailed = false;
  }

  close(): void {
    closeSync(this.#fd);
  }
}
