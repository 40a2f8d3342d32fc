import type { Db } from '../../functions/lib/store/dynamodb.ts';
import { migrateToFormat1 } from './format-1.ts';
import { migrateToFormat2 } from './format-2.ts';
import { migrateToFormat3 } from './format-3.ts';
import { migrateToFormat4 } from './format-4.ts';

/**
 * Brings the items of a table from a format to the present one. Returns the number of changed items, and notes for the
 * operator. Safe to repeat.
 */
export const migrate = async (db: Db, format: number, now: Date): Promise<{ changed: number; notes: string[] }> => {
  const changed = format < 1 ? await migrateToFormat1(db) : 0;
  const to2 = format < 2 ? await migrateToFormat2(db, now) : { changed: 0, notes: [] };
  const to3 = format < 3 ? await migrateToFormat3(db) : 0;
  const to4 = await migrateToFormat4(db);
  return { changed: changed + to2.changed + to3 + to4, notes: to2.notes };
};
