import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import { Database } from '../../infra/local/database.ts';
import { ServiceError } from '../../infra/local/table/errors.ts';
import { type Random, seededRandom } from '../simulation/random.ts';
import { FULL } from '../support/full.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CUTS = FULL ? 1000 : 200;
const LIMIT_MS = CUTS * 300; // with an eighth of a CPU, a cut takes a fifth of that
const SECTOR = 512;

/** Is called when a sync begins, and returns a function to call when the sync has ended. It may throw the error of the sync. */
const disk = vi.hoisted(() => ({ onSync: (): (() => void | Promise<void>) => () => {} }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const fdatasync = (fd: number, callback: (error: Error | null) => void) => {
    const onEnd = disk.onSync();
    fs.fdatasync(fd, (error) => {
      if (error) callback(error);
      else
        (async () => onEnd())().then(
          () => callback(null),
          (failure) => callback(failure),
        );
    });
  };
  return { ...fs, fdatasync };
});

const parent = temporaryFolder('power-cut');
let folder: string;
let file: string;
let log: string;

/** The log as the last sync has left it, and the database's file then. */
let synced: Buffer;
let moved: string;
/** Sectors whose pages a failed sync has dropped. No later sync writes them, unless they change. */
let dropped: Map<number, Buffer>;
let failsNext: () => boolean;
/** Returns a hash of the database's file: several moves may have one time. */
const movedNow = () => createHash('sha1').update(readFileSync(file)).digest('hex');
const sectorOf = (bytes: Buffer, at: number) => bytes.subarray(at, at + SECTOR);
const sectorsOf = ({ length }: Buffer) => Array.from({ length: Math.ceil(length / SECTOR) }, (_, i) => i * SECTOR);

/** Returns the log as the disk has it after a sync of this content. */
const withoutDropped = (content: Buffer): Buffer => {
  const left = Buffer.from(content);
  for (const [at, bytes] of dropped) {
    if (!sectorOf(content, at).equals(bytes)) dropped.delete(at);
    else sectorOf(left, at).fill(0).set(sectorOf(synced, at));
  }
  return left;
};

beforeEach(() => {
  folder = mkdtempSync(join(parent, 'test-'));
  file = join(folder, 'data.db');
  log = `${file}-wal`;
  dropped = new Map();
  failsNext = () => false;
  disk.onSync = () => {
    const began = readFileSync(log);
    return () => {
      const isMoved = movedNow() !== moved;
      if (failsNext()) {
        const now = readFileSync(log);
        for (const at of isMoved ? [] : sectorsOf(now))
          if (!sectorOf(now, at).equals(sectorOf(synced, at))) dropped.set(at, Buffer.from(sectorOf(now, at)));
        throw new Error('EIO: i/o error, fdatasync');
      }
      if (!isMoved) synced = withoutDropped(began);
    };
  };
});

const openDatabase = async (): Promise<Database> => {
  const database = new Database({ path: file });
  await database.write(() => {
    for (const name of ['first', 'second'])
      database.prepare(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, text TEXT)`).run();
    return { answer: undefined };
  });
  [synced, moved] = [readFileSync(log), movedNow()];
  return database;
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Writes the files as a power cut leaves them: each sector of the log that no sync has reached is there or not. */
const cut = ({ chance }: Random): string => {
  const all = readFileSync(log);
  if (movedNow() !== moved) [synced, moved, dropped] = [all, movedNow(), new Map()]; // SQLite syncs the log before it moves it into the file
  const now = withoutDropped(all);
  const length = chance(0.5) ? now.length : synced.length;
  const left = Buffer.alloc(length);
  for (let at = 0; at < length; at += SECTOR) {
    const source = chance(0.5) ? now : synced;
    if (at < source.length) source.copy(left, at, at, at + SECTOR);
  }
  const copy = join(folder, 'cut.db');
  copyFileSync(file, copy);
  writeFileSync(`${copy}-wal`, left);
  return copy;
};

test.each([
  ['', 0],
  [', also when syncs fail and drop what they should have written', 0.2],
])(
  'a power cut at any moment loses nothing that was answered, and leaves no write half done%s',
  async (_, failing) => {
    const database = await openDatabase();
    const random = seededRandom(7);
    const failures = seededRandom(8);
    failsNext = () => failures.chance(failing);
    const answered = new Set<number>();
    let unsynced = 0; // cuts while a write had no answer

    const write = async (id: number) => {
      const text = 'x'.repeat(random.between(0, 3000));
      const work = () => {
        for (const name of ['first', 'second'])
          database.prepare(`INSERT OR IGNORE INTO ${name} VALUES (?, ?)`).run(id, text);
        return { answer: undefined };
      };
      for (let isWritten = false; !isWritten; await turn())
        isWritten = await database.write(work).then(
          () => true,
          () => false,
        );
      answered.add(id);
    };
    const writing = new Set<Promise<void>>();
    for (let id = 0; id < CUTS; id++) {
      const one = write(id).finally(() => writing.delete(one));
      writing.add(one);
      for (let turns = random.between(0, 3); turns > 0; turns--) await turn();
      if (random.chance(0.05)) await one;
      if (random.chance(0.01)) await database.erase();

      const promised = [...answered];
      if (writing.size > 0) unsynced++;
      const [first, second] = idsIn(cut(random));
      expect(first).toEqual(second);
      expect(promised.filter((each) => !first?.has(each))).toEqual([]);
    }
    await Promise.all(writing);
    expect(answered.size).toBe(CUTS);
    expect(unsynced).toBeGreaterThan(CUTS / 4);
    await database.close();
  },
  LIMIT_MS,
);

const idsIn = (path: string): Set<number>[] => {
  const database = new DatabaseSync(path);
  try {
    return ['first', 'second'].map(
      (name) =>
        new Set(
          database
            .prepare(`SELECT id FROM ${name}`)
            .all()
            .map(({ id }) => Number(id)),
        ),
    );
  } finally {
    database.close();
  }
};

test('a write that was committed while a sync failed is answered only if it survives a power cut, and later ones succeed', async () => {
  const database = await openDatabase();
  const insert = (id: number) =>
    database.write(() => {
      for (const name of ['first', 'second']) database.prepare(`INSERT INTO ${name} VALUES (?, '')`).run(id);
      return { answer: id, parts: ['a'] };
    });
  const failing = insert(1);
  await turn(); // its sync begins
  const beside = insert(2);
  await turn();
  failsNext = () => {
    failsNext = () => false;
    return true;
  };
  const [first, second] = await Promise.allSettled([failing, beside]);
  expect(first.status).toBe('rejected');
  if (second.status === 'fulfilled') expect(idsIn(cut(seededRandom(1)))[0]).toContain(2);
  await expect(database.read(() => ({ answer: 1, parts: ['a'] }))).rejects.toMatchObject({ status: 500 });
  await insert(3);
  expect(idsIn(cut(seededRandom(1)))[0]).toEqual(new Set([1, 2, 3]));
  expect(await database.read(() => ({ answer: 1, parts: ['a'] }))).toBe(1);
  await database.close();
});

/** Lets syncs wait until `release` is called. */
const holdSyncs = () => {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  disk.onSync = () => () => promise;
  return release;
};
const isSettled = async (work: Promise<unknown>): Promise<boolean> =>
  (await Promise.race([work, pause(30, 'open')])) !== 'open';

test.each<[string, (database: Database) => Promise<unknown>]>([
  ['a read of its partition', (database) => database.read(() => ({ answer: 'read', parts: ['a'] }))],
  [
    'a write that is refused because of it',
    (database) =>
      database
        .write(() => {
          throw new ServiceError('ConditionalCheckFailedException', 'It exists.', 400);
        })
        .catch(() => 'refused'),
  ],
])('%s waits for the sync of a write', async (_, request) => {
  const database = await openDatabase();
  const release = holdSyncs();
  const write = database.write(() => ({ answer: 'written', parts: ['a'] }));
  await turn();
  const waiting = request(database);
  const other = database.read(() => ({ answer: 'read', parts: ['b'] }));
  expect([await isSettled(write), await isSettled(waiting), await isSettled(other)]).toEqual([false, false, true]);
  release();
  await Promise.all([write, waiting]);
  await database.close();
});

test('a read waits for the writes before it only, however many follow', async () => {
  const database = await openDatabase();
  disk.onSync = () => () => pause(5);
  let writes = 0;
  const write = async () => {
    for (let i = 0; i < 100; i++, writes++) await database.write(() => ({ answer: undefined, parts: ['a'] }));
  };
  const writing = [write(), pause(2).then(write), pause(4).then(write)];
  await pause(20);
  const before = writes;
  await database.read(() => ({ answer: undefined, parts: ['a'] }));
  expect(writes - before).toBeLessThan(20);
  await Promise.all(writing);
  await database.close();
});
