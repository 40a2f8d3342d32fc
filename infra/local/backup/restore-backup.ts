import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile, objectFolder } from '../data-folder.ts';
import { FORMAT, writeFormat } from '../data-format.ts';
import { SCHEMA } from '../database-schema.ts';
import { takeDataFolder } from '../own-folder.ts';
import { inFolder } from '../unusable.ts';
import {
  type Copied,
  copyTables,
  countsOf,
  digestOf,
  etagOf,
  FILE_ROWS,
  type FileRow,
  syncPath,
} from './backup-file.ts';

/**
 * Writes the data of a backup into an empty folder. Throws before it writes anything if the backup is damaged or the folder
 * is not empty. A service refuses the folder until everything is on the disk.
 */
export const restoreBackup = (
  file: string,
  dataDir: string,
  print: (line: string) => void,
): Copied & { at: string } => {
  if (!existsSync(file)) throw new Error(`There is no file ${file}. Name a file that the command backup has written.`);
  const [entry] = existsSync(dataDir) ? readdirSync(dataDir).filter((name) => name !== 'lost+found') : [];
  if (entry !== undefined)
    throw new Error(
      `${dataDir} is not empty: it has ${entry}. A restore needs an empty folder. Stop the service, and move that folder away or set DATA_DIR to another one.`,
    );
  const backup = open(file);
  try {
    const at = verified(backup, file);
    inFolder(dataDir, () => {
      takeDataFolder(dataDir, print);
      mkdirSync(objectFolder(dataDir), { mode: 0o700 });
    });
    try {
      inFolder(dataDir, () => write(backup, file, dataDir));
    } catch (error) {
      for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true, force: true });
      throw error;
    }
    return { ...countsOf(backup), at };
  } finally {
    backup.close();
  }
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

/** Returns the time of a backup. Throws if it has another format, or is damaged. */
const verified = (backup: DatabaseSync, file: string): string => {
  const { format, at, digest } = readMeta(backup, file);
  if (format !== FORMAT)
    throw new Error(
      `${file} has format ${format}, and this version of the service knows format ${FORMAT}. Nothing was restored. Restore it with the version that wrote it.`,
    );
  try {
    const [first] = backup.prepare('PRAGMA integrity_check(1)').all() as { integrity_check: string }[];
    if (first?.integrity_check !== 'ok') throw new Error(first?.integrity_check.replaceAll('\n', ', '));
    if (digestOf(backup) !== digest) throw new Error('its rows are not those that were written');
    const lost = backup.prepare(`${FILE_ROWS} AND file NOT IN (SELECT name FROM files)`).get();
    if (lost) throw new Error(`the file of ${lost.key} is missing`);
  } catch (error) {
    throw noBackup(file, `it is damaged (${(error as Error).message})`);
  }
  for (const { key, etag, body } of bodies(backup))
    if (etagOf(body) !== etag) throw noBackup(file, `it is damaged (the file of ${key} has changed)`);
  return at;
};

const readMeta = (backup: DatabaseSync, file: string): { format: number; at: string; digest: string } => {
  try {
    const meta = backup.prepare('SELECT format, at, digest FROM backup').get();
    if (meta) return meta as never;
  } catch (error) {
    throw noBackup(file, (error as Error).message);
  }
  throw noBackup(file, 'it was interrupted');
};

const bodies = (backup: DatabaseSync): Iterable<FileRow & { body: Uint8Array }> =>
  backup.prepare('SELECT key, file, etag, files.body FROM objects JOIN files ON name = file').iterate() as never;

/** Writes the files, then the database, and then the number of the format, without which no service starts. */
const write = (backup: DatabaseSync, file: string, dataDir: string): void => {
  for (const { file: name, body } of bodies(backup))
    writeFileSync(join(objectFolder(dataDir), name), body, { mode: 0o600, flag: 'wx', flush: true });
  syncPath(objectFolder(dataDir));
  const path = databaseFile(dataDir);
  const db = new DatabaseSync(`${path}.new`);
  try {
    db.exec('PRAGMA synchronous = FULL');
    db.prepare('ATTACH ? AS backup').run(file);
    db.exec(`BEGIN; ${SCHEMA}`);
    copyTables(db, 'backup', 'main');
    db.exec('COMMIT');
  } finally {
    db.close();
  }
  renameSync(`${path}.new`, path);
  writeFormat(dataDir);
  syncPath(dataDir);
};
