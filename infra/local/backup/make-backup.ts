import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SERVICE_VERSION } from '../../../shared/service/version.ts';
import { databaseFile, objectFolder } from '../data-folder.ts';
import { FORMAT, requireFormat } from '../data-format.ts';
import { SCHEMA } from '../database-schema.ts';
import {
  BACKUP_SCHEMA,
  type Copied,
  copyTables,
  countsOf,
  digestOf,
  etagOf,
  FILE_ROWS,
  type FileRow,
  syncPath,
} from './backup-file.ts';

const BUSY_MS = 5000;
/** Snapshots that are tried, because the service may delete a report while it is copied. */
const TRIES = 100;

/**
 * Writes a backup of a data folder into a new file, also while a service uses the folder. The file has its name only when
 * it is complete and on the disk.
 */
export const makeBackup = (dataDir: string, file: string): Copied => {
  requireFormat(dataDir);
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

const writeBackup = (dataDir: string, part: string): Copied => {
  const db = new DatabaseSync(part, { timeout: BUSY_MS });
  try {
    // Nobody reads the file before it is complete, so it needs no journal.
    db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON');
    db.exec(`${SCHEMA} DROP TABLE messages; DROP TABLE probe; DROP TABLE clock; ${BACKUP_SCHEMA}`);
    db.prepare('ATTACH ? AS data').run(databaseFile(dataDir));
    copyFiles(db, objectFolder(dataDir));
    copySnapshot(db, objectFolder(dataDir));
    db.exec('DETACH data; DELETE FROM files WHERE name NOT IN (SELECT file FROM objects WHERE file IS NOT NULL)');
    const meta = [FORMAT, new Date().toISOString(), SERVICE_VERSION, digestOf(db)];
    db.prepare('INSERT INTO backup VALUES (?, ?, ?, ?)').run(...meta);
    return countsOf(db);
  } finally {
    db.close();
  }
};

/** Copies the files that are not copied yet. Returns the rows whose files don't exist. */
const copyFiles = (db: DatabaseSync, folder: string): FileRow[] => {
  const named = db
    .prepare(FILE_ROWS.replace('objects', 'data.objects').concat(' AND file NOT IN (SELECT name FROM files)'))
    .all() as FileRow[];
  const insert = db.prepare('INSERT INTO files VALUES (?, ?)');
  return named.filter(({ key, file, etag }) => {
    const body = bodyOf(join(folder, file));
    if (!body) return true;
    if (etagOf(body) !== etag) throw damaged(dirname(folder), `The file ${file} of the object ${key} has changed`);
    insert.run(file, body);
    return false;
  });
};

const bodyOf = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * Copies the tables as they were at one moment at which all files of their objects are copied. Files never change, and a
 * file is deleted after its row. So a row without its file means that a later snapshot has no such row.
 */
const copySnapshot = (db: DatabaseSync, folder: string): void => {
  let missing: FileRow[] = [];
  for (let tries = 0; tries < TRIES; tries++) {
    db.exec('BEGIN'); // the first read begins the snapshot
    const before = missing;
    missing = copyFiles(db, folder);
    if (missing.length === 0) copyTables(db, 'data', 'main');
    db.exec('COMMIT');
    if (missing.length === 0) return;
    const lost = missing.find(({ file }) => before.some((each) => each.file === file));
    if (lost) throw damaged(dirname(folder), `The object ${lost.key} has no file ${lost.file}`);
  }
  throw new Error('The service deletes reports faster than they are copied. Run the command again later.');
};

const damaged = (dataDir: string, what: string) =>
  new Error(
    `${what} in ${dataDir}. Run check-data to see all faults. Erase the check of the object, or restore an earlier backup.`,
  );
