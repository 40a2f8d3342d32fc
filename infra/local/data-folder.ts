import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The folder is another process's. */
export class DataFolderInUse extends Error {}

/** Takes the folder for this process until the answer is called or the process ends, however it does. */
export const lockDataFolder = (dataDir: string) => {
  mkdirSync(dataDir, { recursive: true });
  const lock = new DatabaseSync(join(dataDir, 'in-use.lock')); // SQLite's locks die with their process
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!/locked/.test(String(error))) throw error;
    throw new DataFolderInUse(
      `${dataDir} is in use by another process of this service. End that one, or set DATA_DIR to another folder.`,
    );
  }
  return () => lock.close();
};

export const endpointFile = (dataDir: string): string => join(dataDir, 'dynamodb-url');
export const readEndpoint = (dataDir: string): string | undefined => {
  try {
    return readFileSync(endpointFile(dataDir), 'utf8') || undefined;
  } catch {
    return undefined; // not there yet, or no more
  }
};
