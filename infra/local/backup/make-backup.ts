import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SERVICE_VERSION } from '../../../shared/service/version.ts';
import { databaseFile } from '../data-folder.ts';
import { requireFormat } from '../data-format.ts';
import { type Copied, countsOf, digestOf, syncPath } from './backup-file.ts';

const BUSY_MS = 5000;

/**
 * Writes a backup of a data folder into a new file, also while a service uses the folder. The file has its name only when
 * it is complete and on the disk.
 */
export const makeBackup = (dataDir: string, file: string): Copied => {
  if (existsSync(file)) throw new Error(`${file} exists. Name a new file, so that no backup is overwritten.`);
  const part = `${file}.part`;
  try {
    closeSync(openSync(part, 'wx', 0o600));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST'
      ? new Error(
          `${part} exists. Another backup writes it, or an interrupted one has left it. Delete it in that case.`,
        )
      : unwritable(file, error as Error);
  }
  try {
    const copied = writeBackup(dataDir, part);
    syncPath(part);
    renameSync(part, file);
    syncPath(dirname(file));
    return copied;
  } catch (error) {
    rmSync(part, { force: true });
    throw /is full|I\/O error|readonly/.test((error as Error).message) ? unwritable(file, error as Error) : error;
  }
};

const unwritable = (file: string, { message }: Error) =>
  new Error(`${file} can't be written: ${message}. Free some space, or name a file in another folder.`);

/** Copies the database as it is at one moment. The copy has no queues, and says what it is. */
const writeBackup = (dataDir: string, part: string): Copied => {
  const source = new DatabaseSync(databaseFile(dataDir), { timeout: BUSY_MS });
  try {
    requireFormat(source, databaseFile(dataDir));
    source.prepare('VACUUM INTO ?').run(part);
  } finally {
    source.close();
  }
  const db = new DatabaseSync(part);
  try {
    // Nobody reads the file before it is complete, so it needs no journal.
    db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON');
    db.exec('DELETE FROM messages; DELETE FROM probe; DELETE FROM clock');
    db.exec('CREATE TABLE backup (at TEXT, service TEXT, digest TEXT) STRICT');
    const { digest, damaged } = digestOf(db);
    const meta = [new Date().toISOString(), SERVICE_VERSION, digest];
    db.prepare('INSERT INTO backup VALUES (?, ?, ?)').run(...meta);
    return { ...countsOf(db), damaged };
  } finally {
    db.close();
  }
};
