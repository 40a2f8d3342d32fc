import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The error if another process uses the data folder. */
export class DataFolderInUse extends Error {}

/** Locks the folder for this process. Returns the function that unlocks it. The lock also ends with the process. */
export const lockDataFolder = (dataDir: string) => {
  mkdirSync(dataDir, { recursive: true });
  const lock = new DatabaseSync(join(dataDir, 'in-use.lock')); // a SQLite lock ends with its process
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!/locked/.test(String(error))) throw error;
    throw new DataFolderInUse(
      `${dataDir} is in use by another process of this service. Stop that process or set DATA_DIR to another folder.`,
    );
  }
  return () => lock.close();
};

export const endpointFile = (dataDir: string): string => join(dataDir, 'dynamodb-url');
export const readEndpoint = (dataDir: string): string | undefined => {
  try {
    return readFileSync(endpointFile(dataDir), 'utf8') || undefined;
  } catch {
    return undefined; // the service has not written it yet, or has deleted it
  }
};
