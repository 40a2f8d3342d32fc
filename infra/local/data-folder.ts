import { accessSync, constants, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { takeFormat } from './data-format.ts';
import { makeFilesPrivate, takeDataFolder } from './own-folder.ts';
import { inFolder, unusable } from './unusable.ts';

/**
 * Locks the folder for this process, and makes it and its files private. Returns the function that unlocks it. The lock
 * also ends with the process.
 */
const lockDataFolder = (dataDir: string, print: (line: string) => void) => {
  try {
    takeDataFolder(dataDir, print);
    accessSync(dataDir, constants.W_OK); // for its reason, which SQLite does not give
  } catch (error) {
    throw isSystemError(error) ? unusable(dataDir, error) : error;
  }
  const path = join(dataDir, 'in-use.lock');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(path); // a SQLite lock ends with its process
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    if (!/locked/.test(String(error))) throw unusable(path, error);
    throw new Error(
      `${dataDir} is in use by another process of this service. Stop that process or set DATA_DIR to another folder.`,
    );
  }
  makeFilesPrivate(dataDir);
  return () => lock.close();
};

const isSystemError = (error: unknown): boolean => (error as NodeJS.ErrnoException).code !== undefined;

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

export const databaseFile = (dataDir: string): string => join(dataDir, 'data.db');
export const objectFolder = (dataDir: string): string => join(dataDir, 'objects');

/**
 * Prepares the data folder of a process. A service locks it, so that there is one service per folder. Returns the function
 * that unlocks it.
 */
export const openFolder = (
  dataDir: string,
  { print, isService }: { print: (line: string) => void; isService: boolean },
) => {
  const release = isService ? lockDataFolder(dataDir, print) : takeUnlocked(dataDir, print);
  try {
    takeFormat(dataDir);
    requireSpace(dataDir);
  } catch (error) {
    release();
    throw error;
  }
  return release;
};

const takeUnlocked = (dataDir: string, print: (line: string) => void) => {
  inFolder(dataDir, () => takeDataFolder(dataDir, print));
  return () => {};
};
