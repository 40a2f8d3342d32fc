import { chmodSync, copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile, LOCK_FILE, openFolder } from '../data-folder.ts';
import { requireFormat } from '../data-format.ts';
import { inFolder, UnusableError } from '../unusable.ts';
import { type Copied, countsOf, digestOf, syncPath } from './backup-file.ts';

/**
 * Writes the data of a backup into an empty folder. Throws before it writes anything if the backup is damaged or the folder
 * is not empty. The lock of the folder keeps services out until everything is on the disk.
 */
export const restoreBackup = (
  file: string,
  dataDir: string,
  print: (line: string) => void,
): Copied & { at: string } => {
  if (!existsSync(file)) throw new Error(`There is no file ${file}. Name a file that the command backup has written.`);
  if (existsSync(dataDir)) requireEmpty(dataDir);
  const backup = open(file);
  try {
    const { at, damaged } = verified(backup, file);
    const unlock = openFolder(dataDir, { print, isService: true });
    try {
      requireEmpty(dataDir); // a service may have started meanwhile
      inFolder(dataDir, () => write(file, dataDir));
    } finally {
      unlock();
    }
    return { ...countsOf(backup), damaged, at };
  } finally {
    backup.close();
  }
};

const requireEmpty = (dataDir: string): void => {
  const entry = readdirSync(dataDir).find((name) => name !== 'lost+found' && !name.startsWith(LOCK_FILE));
  if (entry === undefined) return;
  throw new Error(
    `${dataDir} is not empty: it has ${entry}. A restore needs an empty folder. Stop the service, and move that folder away or set DATA_DIR to another one.`,
  );
};

const open = (file: string): DatabaseSync => {
  try {
    return new DatabaseSync(file, { readOnly: true });
  } catch (error) {
    throw new Error(`${file} can't be read: ${(error as Error).message}.`);
  }
};

const noBackup = (file: string, why: string) =>
  new Error(`${file} is no complete backup: ${why}. Nothing was restored. Use another backup.`);

/** Returns the time of a backup, and what was damaged before it. Throws if it has another format, or is damaged. */
const verified = (backup: DatabaseSync, file: string): { at: string; damaged: string[] } => {
  const { at, digest } = readMeta(backup, file);
  try {
    requireFormat(backup, file, 'Nothing was restored. Restore it with the release that wrote it.');
    const [first] = backup.prepare('PRAGMA integrity_check(1)').all() as { integrity_check: string }[];
    if (first?.integrity_check !== 'ok') throw new Error(first?.integrity_check.replaceAll('\n', ', '));
    const found = digestOf(backup);
    if (found.digest !== digest) throw new Error('its rows are not those that were written');
    return { at, damaged: found.damaged };
  } catch (error) {
    if (error instanceof UnusableError) throw error;
    throw noBackup(file, `it is damaged (${(error as Error).message})`);
  }
};

const readMeta = (backup: DatabaseSync, file: string): { at: string; digest: string } => {
  try {
    const meta = backup.prepare('SELECT at, digest FROM backup').get();
    if (meta) return meta as never;
  } catch (error) {
    throw noBackup(file, (error as Error).message);
  }
  throw noBackup(file, 'it was interrupted');
};

/** Writes the database under another name, and names it when it is on the disk. */
const write = (file: string, dataDir: string): void => {
  const path = databaseFile(dataDir);
  const part = `${path}.new`;
  try {
    copyFileSync(file, part);
    chmodSync(part, 0o600);
    const db = new DatabaseSync(part);
    try {
      db.exec('DROP TABLE backup');
    } finally {
      db.close();
    }
    syncPath(part);
    renameSync(part, path);
  } catch (error) {
    for (const name of [part, `${part}-journal`]) rmSync(name, { force: true });
    throw error;
  }
  syncPath(dataDir);
};
