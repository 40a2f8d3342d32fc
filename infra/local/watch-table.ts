import { setObstacle } from '../../functions/lib/readiness.ts';
import { whyFull } from './data-folder.ts';
import type { Database } from './database.ts';

type Options = { dataDir: string; print: (line: string) => void; onRecovered: () => void };

/**
 * Reports to the operator, and to `GET /ready`, why the table can't be written, for example because its disk is full. Returns the
 * function that ends this.
 */
export const watchTable = (database: Database, { dataDir, print, onRecovered }: Options): (() => void) => {
  const reasonOf = ({ message }: Error) => `The table in ${dataDir} can't be written: ${message}. ${adviceOn(message)}`;
  setObstacle('table', () => (database.failure ? reasonOf(database.failure) : whyFull(dataDir)));
  database.onFailure = (error) => {
    if (error) return print(`✗ ${reasonOf(error)} Until it can be written, reads are answered and writes get 503.`);
    print(`✓ The table in ${dataDir} can be written again.`);
    onRecovered();
  };
  return () => setObstacle('table', undefined);
};

const adviceOn = (message: string): string => {
  if (/was moved, removed/.test(message)) return 'Move it back, or stop the service and start it on the right folder.';
  if (/full|ENOSPC|EDQUOT/.test(message)) return 'Free some space on its disk.';
  if (/I\/O|EIO/i.test(message)) return 'Look for errors of its disk, for example with dmesg.';
  if (/locked/.test(message)) return 'Another process writes it.';
  return 'Check the rights to it, and its disk.';
};
