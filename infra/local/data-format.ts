import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inFolder } from './unusable.ts';

/** Format of the data folders that this version reads and writes. A change that an earlier version can't read needs a new number. */
export const FORMAT = 2;

/** Files and folders that a folder with data has. */
const DATA = ['data.db', 'objects', 'dynamodb', 's3'];

const fileOf = (dataDir: string): string => join(dataDir, 'format');

/** Writes the number of the format into a new folder. Throws if a folder has data of another format. */
export const takeFormat = (dataDir: string): void => {
  if (readText(fileOf(dataDir)) === undefined && !DATA.some((name) => existsSync(join(dataDir, name))))
    writeFormat(dataDir);
  else requireFormat(dataDir);
};

/** Throws if a folder has no data, or data of another format. */
export const requireFormat = (dataDir: string): void => {
  const text = readText(fileOf(dataDir));
  if (text === `${FORMAT}\n`) return;
  const found =
    text === undefined
      ? 'no number of their format'
      : /^[1-9]\d*\n$/.test(text)
        ? `format ${text.trim()}`
        : 'an unknown format';
  throw new Error(
    `The data in ${dataDir} have ${found}, and this version of the service knows format ${FORMAT}. Start the version that wrote the data: git checkout <its commit> && npm ci && npm start. To stay at this version, move the folder away, or start with an empty one: DATA_DIR=<folder> npm start.`,
  );
};

/** Writes the number of the format, without which no service opens a folder with data. */
export const writeFormat = (dataDir: string): void => {
  const path = fileOf(dataDir);
  inFolder(path, () => {
    writeFileSync(`${path}.new`, `${FORMAT}\n`, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  });
};

const readText = (path: string): string | undefined =>
  existsSync(path) ? inFolder(path, () => readFileSync(path, 'utf8')) : undefined;
