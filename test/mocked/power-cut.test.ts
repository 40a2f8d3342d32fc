import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test, vi } from 'vitest';
import { Database } from '../../infra/local/database.ts';
import { type Random, seededRandom } from '../simulation/random.ts';
import { FULL } from '../support/full.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CUTS = FULL ? 1000 : 200;
const LIMIT_MS = CUTS * 300; // with an eighth of a CPU, a cut takes a fifth of that
const SECTOR = 512;

/** Is called when a sync begins, and returns a function to call when the sync has ended. */
const disk = vi.hoisted(() => ({ onSync: (): (() => void) => () => {} }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const fdatasync = (fd: number, callback: (error: Error | null) => void) => {
    const onEnd = disk.onSync();
    fs.fdatasync(fd, (error) => {
      if (!error) onEnd();
      callback(error);
    });
  };
  return { ...fs, fdatasync };
});

const folder = temporaryFolder('power-cut');
const file = join(folder, 'data.db');
const log = `${file}-wal`;

/** The log as the last sync has left it, and the time of the last change of the database's file. */
let synced: Buffer;
let movedAt: number;
const movedNow = () => statSync(file).mtimeMs;
beforeEach(() => {
  disk.onSync = () => {
    const began = readFileSync(log);
    return () => {
      if (movedNow() === movedAt) synced = began;
    };
  };
});

/** Writes the files as a power cut leaves them: each sector of the log that no sync has reached is there or not. */
const cut = ({ chance }: Random): string => {
  const now = readFileSync(log);
  if (movedNow() !== movedAt) [synced, movedAt] = [now, movedNow()]; // SQLite syncs the log before it moves it into the file
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

test(
  'a power cut at any moment loses nothing that was answered, and leaves no write half done',
  async () => {
    const database = new Database({ path: file });
    await database.write(() => {
      for (const name of ['first', 'second'])
        database.prepare(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, text TEXT)`).run();
      return { answer: undefined };
    });
    [synced, movedAt] = [readFileSync(log), movedNow()];
    const random = seededRandom(7);
    const answered = new Set<number>();
    let unsynced = 0; // cuts while a write had no answer

    const write = async (id: number) => {
      const text = 'x'.repeat(random.between(0, 3000));
      await database.write(() => {
        for (const name of ['first', 'second']) database.prepare(`INSERT INTO ${name} VALUES (?, ?)`).run(id, text);
        return { answer: undefined };
      });
      answered.add(id);
    };
    const writing = new Set<Promise<void>>();
    for (let id = 0; id < CUTS; id++) {
      const one = write(id).finally(() => writing.delete(one));
      writing.add(one);
      for (let turns = random.between(0, 3); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
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
