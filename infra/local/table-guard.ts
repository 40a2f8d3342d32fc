import { rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setObstacle } from '../../functions/lib/readiness.ts';
import { probeFile, whyFull } from './data-folder.ts';
import type { Done, Store, Values } from './dynalite-store.ts';

type Options = {
  path: string; // folder of LevelDB
  print: (line: string) => void;
  onRecovered: () => void; // called when the table accepts writes again
  retryMs?: number;
};

/** The service writes again when this much fits on the disk. LevelDB needs up to 4 MB to reopen, and then some. */
const ROOM_BYTES = 16 * 2 ** 20;
const RETRY_MS = 2000;

/** A failure within this time of a recovery doubles the time until the next one. It is also the longest such time. */
const SOON_MS = 60_000;

/**
 * Keeps the table's engine alive through I/O errors, such as a full disk. It answers each request that fails with a
 * server error. After a failed write it refuses further writes, because LevelDB would append them to a damaged log and
 * lose them at its next start. It reopens LevelDB, with a new log, when the disk has space. Returns the function that ends
 * the guard.
 */
export const guardTable = ({ db }: Store, { path, print, onRecovered, retryMs = RETRY_MS }: Options) => {
  const stopped = new AbortController();
  let failure: Error | undefined;
  let reopening: Promise<void> | undefined; // reads wait for it
  let delay = retryMs;
  let recoveredAt = Number.NEGATIVE_INFINITY;

  const reasonOf = ({ message }: Error) => `The table in ${path} can't be written: ${message}.`;
  setObstacle('table', () =>
    failure ? `${reasonOf(failure)} If its disk is full, free some space.` : whyFull(dirname(path)),
  );
  const fail = (error: Error) => {
    if (failure || stopped.signal.aborted) return;
    failure = error;
    const failsAgain = performance.now() - recoveredAt < SOON_MS;
    delay = failsAgain ? Math.min(2 * delay, SOON_MS) : retryMs;
    print(
      `✗ ${reasonOf(error)} Until it can, reads are answered and writes get 503. If the disk is full, free some space.`,
    );
    recover().catch(() => {}); // the guard has ended
  };

  const recover = async () => {
    do await pause(delay, undefined, { signal: stopped.signal, ref: false });
    while (!(await reopen()));
    failure = undefined;
    recoveredAt = performance.now();
    print(`✓ The table in ${path} can be written again.`);
    onRecovered();
  };

  const reopen = async (): Promise<boolean> => {
    try {
      await probe(path);
      reopening = db.close._original().then(() => db.open());
      await reopening;
      return true;
    } catch {
      return false; // the next try may succeed
    } finally {
      reopening = undefined;
    }
  };

  const guardedWrite = (write: (...operation: unknown[]) => void) => {
    const guarded = (operation: unknown[], done: Done) => {
      if (failure) return void setImmediate(done, failure);
      write(...operation, (error: Error | null) => {
        if (error) fail(asAnswer(error));
        done(error);
      });
    };
    return withCallbackOrPromise(guarded);
  };
  const ready = () => reopening?.catch(() => {});
  const get: Get = db.get.bind(db);
  const values = db.values.bind(db);
  Object.assign(db, {
    put: guardedWrite(db.put.bind(db) as Write),
    del: guardedWrite(db.del.bind(db) as Write),
    batch: guardedWrite(db.batch.bind(db) as Write),
    get: async (key: string, done: GetDone) => {
      await ready();
      get(key, (error, value) => done(error && asAnswer(error), value));
    },
    values: (range: object) => openedLate(ready, () => values(range)),
  });
  return () => {
    stopped.abort();
    setObstacle('table', undefined);
  };
};

type Write = (...operation: unknown[]) => void;

/** Returns a function that calls the callback after its arguments, or returns a promise if there is no callback. */
const withCallbackOrPromise =
  (write: (operation: unknown[], done: Done) => void) =>
  (...operation: unknown[]): Promise<void> | void => {
    const done = operation.at(-1);
    if (typeof done !== 'function') return promisify(write)(operation);
    write(operation.slice(0, -1), done as Done);
  };

type GetDone = (error: Error | null, value?: unknown) => void;
type Get = (key: string, done: GetDone) => void;

/** Adds the answer that dynalite sends for an error. Without it dynalite throws the error. */
const asAnswer = (error: Error): Error =>
  Object.assign(error, {
    statusCode: 500,
    body: {
      __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError',
      message: `The table is not available: ${error.message}`,
    },
  });

/** Returns an iterator that is opened on first use, after `ready`. Its errors carry the answer of the request. */
const openedLate = (ready: () => Promise<void> | undefined, open: () => Values): Values => {
  let opened: Values | undefined;
  const next = async () => {
    try {
      await ready();
      opened ??= open();
      return await opened.next();
    } catch (error) {
      throw asAnswer(error as Error);
    }
  };
  const close = async () => opened?.close();
  return { next, close, return: close };
};

/** Throws if the disk of the folder is full, or the folder can't be written. */
const probe = async (path: string): Promise<void> => {
  const file = probeFile(dirname(path));
  try {
    await writeFile(file, Buffer.alloc(ROOM_BYTES), { flush: true });
  } finally {
    await rm(file, { force: true });
  }
};
