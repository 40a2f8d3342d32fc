import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unusable } from './data-folder.ts';
import { isCheck, type Store, type StoredItem } from './dynalite-store.ts';

/** How many checks the table has stored, and how many of them were erased or have expired. */
type Counts = { created: number; gone: number };
type Options = { path: string; table: string; damaged: boolean; print: (line: string) => void };

const KEY = 'check-counts';

/**
 * Counts checks twice: in LevelDB, in the same batch as each check, and in a file beside it after the batch. A log that lost
 * its end has lost the counts of its last checks too, and LevelDB says nothing about it. The file is never ahead of a sound
 * log, whenever the process is killed. Reports missing checks. Returns the function that ends the counting.
 */
export const countChecks = async (store: Store, { path, table, damaged, print }: Options) => {
  const file = join(dirname(path), KEY);
  const inFile = readCounts(file);
  const inLog = (await store.db.get(KEY)) as Counts | undefined;
  const isSound = inLog && !damaged;
  let counts = isSound ? inLog : { created: await countOf(store, table), gone: 0 };
  if (inFile)
    report(
      isSound ? lossOf(inFile, inLog) : { missing: inFile.created - inFile.gone - counts.created, back: 0 },
      path,
      print,
    );
  if (!isSound) await store.db.batch([{ type: 'put', key: KEY, value: counts }]);

  const descriptor = openCounts(file);
  const save = () => {
    try {
      writeSync(descriptor, `${JSON.stringify(counts).padEnd(80)}\n`, 0);
    } catch {
      // A count that is too low reports too little, and never a check that is there.
    }
  };
  save();
  let last = Promise.resolve(); // one batch at a time, because LevelDB keeps no order of concurrent ones
  store.writeCounted = (change, operations, done) => {
    const write = () =>
      new Promise<void>((resolve) => {
        const next = { created: counts.created + Number(change > 0), gone: counts.gone + Number(change < 0) };
        store.db.batch([...operations, { type: 'put', key: KEY, value: next }], (error) => {
          if (!error) {
            counts = next;
            save();
          }
          resolve();
          done(error);
        });
      });
    last = last.then(write);
  };
  return () => closeSync(descriptor);
};

const lossOf = (before: Counts, now: Counts) => ({
  missing: before.created - now.created,
  back: before.gone - now.gone,
});

const report = ({ missing, back }: { missing: number; back: number }, path: string, print: Options['print']): void => {
  if (missing <= 0 && back <= 0) return;
  const parts = [
    `✗ The table in ${path} has lost its last writes.`,
    ...(missing > 0 ? [`Accepted checks that are missing: ${missing}.`] : []),
    ...(back > 0 ? [`Checks that were erased or had expired, and are back: ${back}.`] : []),
    'To get everything back, stop the service and restore the data folder from a backup.',
  ];
  print(parts.join(' '));
};

const countOf = async ({ db }: Store, table: string): Promise<number> => {
  const items = db.values({ gte: `item-${table}~`, lt: `item-${table}~\xff` }) as AsyncIterable<StoredItem>;
  let count = 0;
  for await (const item of items) count += Number(isCheck(item));
  return count;
};

const readCounts = (file: string): Counts | undefined => {
  try {
    const [, created, gone] = /^\{"created":(\d+),"gone":(\d+)\}/.exec(readFileSync(file, 'utf8')) ?? [];
    return created && gone ? { created: Number(created), gone: Number(gone) } : undefined;
  } catch {
    return undefined; // an earlier version has not counted
  }
};

const openCounts = (file: string): number => {
  try {
    return openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (error) {
    throw unusable(file, error);
  }
};
