import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { unusable } from './data-folder.ts';

/** Creates the SQLite file of the reports so that deletions shrink it. SQLite can't change that for a file with tables. */
export const createReportFile = (folder: string): void => {
  const file = join(folder, 'fauxqs.db');
  if (existsSync(file)) return;
  try {
    mkdirSync(folder, { recursive: true });
    const db = new DatabaseSync(file);
    db.exec('PRAGMA auto_vacuum = FULL; VACUUM'); // VACUUM writes the setting into the empty file
    db.close();
  } catch (error) {
    throw unusable(folder, error);
  }
};
