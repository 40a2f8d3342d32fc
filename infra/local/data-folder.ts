import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFilesPrivate, takeDataFolder } from './own-folder.ts';
import { inFolder, UnusableError, unusable } from './unusable.ts';

export const LOCK_FILE = 'in-use.lock';

/** Locks the folder for this process. The lock also ends with the process. */
const lock = (dataDir: string): DatabaseSync => {
  const path = join(dataDir, LOCK_FILE);
  const file = inFolder(path, () => new DatabaseSync(path)); // a SQLite lock ends with its process
  try {
    file.exec('BEGIN EXCLUSIVE');
    return file;
  } catch (error) {
    file.close();
    if (!/locked/.test(String(error))) throw unusable(path, error);
    throw new UnusableError(
      `${dataDir} is in use by another process of this service. Stop that process or set DATA_DIR to another folder.`,
    );
  }
};

/** Returns the bytes that the service's user can still write to the disk of a folder. */
export const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

export const inMiB = (bytes: number): string => `${Math.floor(bytes / 2 ** 20)} MiB`;

const ROOM_BYTES = 16 * 2 ** 20; // the log of the table has up to 4 MB, and then there are reports

/** Returns why the disk of a folder is no place for the table, for example because it is full, or undefined. */
export const whyFull = (dataDir: string): string | undefined => {
  let free: number;
  try {
    free = freeBytes(dataDir);
  } catch (error) {
    return unusable(dataDir, error).message; // someone has removed the folder
  }
  if (free >= ROOM_BYTES) return undefined;
  return `The disk of ${dataDir} has ${inMiB(free)} free, and the service needs ${inMiB(ROOM_BYTES)} to work. Free some space on it, or set DATA_DIR to a folder on another disk.`;
};

/** Throws if the disk of a folder is too full to open the table. */
export const requireSpace = (dataDir: string): void => {
  const reason = whyFull(dataDir);
  if (reason) throw new Error(reason);
};

/** Throws if a file has a second name in another folder. SQLite keeps a log for each name, and two would damage the file. */
const requireOneName = (path: string): void => {
  const { nlink = 1 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (nlink > 1)
    throw new UnusableError(
      `${path} can't be used: it has ${nlink} names (hard links), and a service of another folder may write it. Stop that service, and give this one a copy: cp data.db copy.db && mv copy.db data.db`,
    );
};

export const databaseFile = (dataDir: string): string => join(dataDir, 'data.db');

/**
 * Prepares the data folder of a process, and makes it and its files private. A service locks it, so that there is one service
 * per folder. Returns the function that unlocks it.
 */
export const openFolder = (
  dataDir: string,
  { print, isService }: { print: (line: string) => void; isService: boolean },
) => {
  inFolder(dataDir, () => {
    takeDataFolder(dataDir, print);
    accessSync(dataDir, constants.W_OK); // for its reason, which SQLite does not give
  });
  const locked = isService ? lock(dataDir) : undefined;
  try {
    makeFilesPrivate(dataDir);
    requireSpace(dataDir);
    requireOneName(databaseFile(dataDir));
  } catch (error) {
    locked?.close();
    throw error;
  }
  return () => locked?.close();
};
