import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unusable } from './data-folder.ts';

/**
 * Format of the data folders that this version writes. A change that an earlier version can't read needs a new number and a
 * migration (migrations.ts).
 */
export const FORMAT = 4;

const fileOf = (dataDir: string): string => join(dataDir, 'format');

/**
 * Returns the format of a folder: 0 if the folder has no number, because it is new or older than the numbers. Throws if this
 * version doesn't know the format.
 */
export const readFormat = (dataDir: string): number => {
  const text = readText(fileOf(dataDir));
  if (text === undefined) return 0;
  const format = /^[1-9]\d*\n$/.test(text) ? Number(text) : Number.NaN;
  if (format <= FORMAT) return format;
  const found = Number.isNaN(format) ? 'an unknown format' : `format ${format}`;
  throw new Error(
    `The data in ${dataDir} have ${found}, and this version of the service knows the formats up to ${FORMAT}. Start the version that wrote the data: git checkout <its commit> && npm ci && npm start. To stay at this version, move the folder away and put the backup from before the update in its place. Without a backup, start with an empty folder: DATA_DIR=<folder> npm start.`,
  );
};

/** Writes the present format into a folder, after its data have this format. */
export const writeFormat = (dataDir: string): void => {
  const path = fileOf(dataDir);
  try {
    writeFileSync(`${path}.new`, `${FORMAT}\n`, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw unusable(path, error);
  }
};

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, error);
  }
};
