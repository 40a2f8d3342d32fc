import { setObstacle } from '../../functions/lib/readiness.ts';
import { whyFull } from './data-folder.ts';
import type { Database } from './database.ts';

type Options = { dataDir: string; print: (line: string) => void; onRecovered: () => void };

/**
 * Tells the operator, and `GET /ready`, why the table can't be written, for example because its disk is full. Returns the
 * function that ends this.
 */
export const watchTable = (database: Database, { dataDir, print, onRecovered }: Options): (() => void) => {
  const reasonOf = ({ message }: Error) => `The table in ${dataDir} can't be written: ${message}.`;
  setObstacle('table', () =>
    database.failure ? `${reasonOf(database.failure)} If its disk is full, free some space.` : whyFull(dataDir),
  );
  database.onFailure = (error) => {
    if (error)
      return print(
        `✗ ${reasonOf(error)} Until it can, reads are answered and writes get 503. If the disk is full, free some space.`,
      );
    print(`✓ The table in ${dataDir} can be written again.`);
    onRecovered();
  };
  return () => setObstacle('table', undefined);
};
