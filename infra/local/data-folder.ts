import { accessSync, constants, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFilesPrivate, takeDataFolder } from './own-folder.ts';
import type { Credentials } from './signature.ts';

/** The error if another process uses the data folder. */
export class DataFolderInUseError extends Error {}

/**
 * Locks the folder for this process, and makes it and its files private. Returns the function that unlocks it. The lock
 * also ends with the process.
 */
export const lockDataFolder = (dataDir: string, print: (line: string) => void) => {
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
    throw new DataFolderInUseError(
      `${dataDir} is in use by another process of this service. Stop that process or set DATA_DIR to another folder.`,
    );
  }
  makeFilesPrivate(dataDir);
  return () => lock.close();
};

const isSystemError = (error: unknown): boolean => (error as NodeJS.ErrnoException).code !== undefined;

/** Returns the error of a start that can't use a folder or file. The error names it, the cause and the way out. */
export const unusable = (path: string, cause: unknown): Error => {
  const { message, code } = cause as NodeJS.ErrnoException;
  const [, wayOut] = waysOut.find(([pattern]) => pattern.test(`${code} ${message}`)) ?? [];
  return new Error(`${path} can't be used: ${message}. ${wayOut ?? WAY_OUT_OF_DAMAGE}`);
};

const waysOut: [RegExp, string][] = [
  [
    /EACCES|EPERM|EROFS|unable to open|readonly|permission denied|read-only/i,
    'Make it writable for the user of the service, or set DATA_DIR to another folder.',
  ],
  [/ENOSPC|EDQUOT|no space left|is full|quota/i, 'Free some space on its disk and start again.'],
  [/EEXIST|ENOTDIR/, 'Set DATA_DIR to a folder.'],
  [/ENOENT|ENAMETOOLONG/, 'Set DATA_DIR to another folder.'],
];
const WAY_OUT_OF_DAMAGE =
  'Its data are damaged or incomplete. Restore the data folder from a backup. Without one, move the folder away and start with an empty one.';

/** Returns the bytes that the service's user can still write to the disk of a folder. */
export const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

export const inMiB = (bytes: number): string => `${Math.floor(bytes / 2 ** 20)} MiB`;

const ROOM_BYTES = 16 * 2 ** 20; // LevelDB writes up to 4 MB when it opens, and then some

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

/** The URL of the running table engine, and the key that opens it. */
export type Endpoint = Credentials & { url: string };

const endpointFile = (dataDir: string): string => join(dataDir, 'dynamodb-endpoint.json');

/** Writes the endpoint of the running engine, for `readEndpoint` of another process of the same user. */
export const writeEndpoint = (dataDir: string, endpoint: Endpoint): void =>
  inFile(endpointFile(dataDir), (path) => writeFileSync(path, JSON.stringify(endpoint), { mode: 0o600, flag: 'wx' }));

/** Deletes the files that a killed process may have left: the endpoint of its engine and the probe of a full disk. */
export const removeRemains = (dataDir: string): void => {
  for (const file of [endpointFile(dataDir), probeFile(dataDir)]) inFile(file, (path) => rmSync(path, { force: true }));
};

/** File whose write shows whether the disk has space. */
export const probeFile = (dataDir: string): string => join(dataDir, 'room.probe');

const inFile = (path: string, work: (path: string) => void): void => {
  try {
    work(path);
  } catch (error) {
    throw unusable(path, error);
  }
};

export const readEndpoint = (dataDir: string): Endpoint | undefined => {
  try {
    return JSON.parse(readFileSync(endpointFile(dataDir), 'utf8'));
  } catch {
    return undefined; // the service has not written it completely yet, or has deleted it
  }
};
