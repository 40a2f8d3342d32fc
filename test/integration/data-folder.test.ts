import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  linkSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { obstacleOf } from '../../functions/lib/readiness.ts';
import { sweep } from '../../functions/sweep.ts';
import { checkPages } from '../../infra/local/check-pages.ts';
import { databaseFile } from '../../infra/local/data-folder.ts';
import { FULL } from '../support/full.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { storeWaitingRuns } from '../support/waiting-runs.ts';
import { aCheck, later, startWorld } from '../support/world.ts';

const folder = temporaryFolder('data-folder');
let dataDir: string;
let printed: string[];
beforeEach(() => {
  dataDir = mkdtempSync(join(folder, 'data-'));
  printed = [];
});

const start = () => startWorld({}, { dataDir, regions: ['us-west1'], print: (line) => printed.push(line) });
const failedStart = () =>
  start().then(
    () => 'started',
    (error: Error) => error.message,
  );
/** Returns the texts that a file of the folder has. */
const held = (texts: readonly string[]): string[] => {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
  return texts.filter((text) => contents.some((content) => content.includes(text)));
};

test('the texts of 200 erased checks leave all files by themselves', async () => {
  await using world = await start();
  for (let round = 0; round < 10; round++) {
    const texts = Array.from({ length: 20 }, () => randomBytes(24).toString('base64url'));
    const ids = await Promise.all(
      texts.map(async (text) => {
        const check = aCheck({ url: `https://example.com/${text}`, regions: ['us-west1'] });
        const [run] = await world.create(check);
        await world.storeReport(run as NonNullable<typeof run>, gzipSync(text, { level: 0 }));
        return check.id;
      }),
    );
    expect(held(texts)).toEqual(texts);
    await Promise.all(
      ids.map(async (id) => {
        await world.erasure.markErased((await world.find(id)).item, new Date());
        await world.erasure.eraseRemains(id);
      }),
    );
    await sweep({ ...world, now: () => later(new Date(), 600) })({});
    await expect.poll(() => held(texts), { interval: 100 }).toEqual([]);
  }
});

test('an erasure does not wait for a process that reads, and is complete soon after it', async () => {
  await using world = await start();
  const text = randomBytes(24).toString('base64url');
  const check = aCheck({ url: `https://example.com/${text}`, regions: ['us-west1'] });
  await world.create(check);
  const reader = new DatabaseSync(databaseFile(dataDir));
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM items').get(); // as a backup does
  const startedAt = performance.now();
  await world.erasure.markErased((await world.find(check.id)).item, new Date());
  await world.erasure.eraseRemains(check.id);
  await world.aws.database.erase();
  expect(performance.now() - startedAt).toBeLessThan(5000); // SQLite would wait for the reader for at least this time
  expect(held([text])).toEqual([text]);
  reader.close();
  await expect.poll(() => held([text]), { interval: 100 }).toEqual([]);
});

test('an undamaged folder is opened without a word, and keeps what it has', async () => {
  await storeWaitingRuns(dataDir, 10);
  await (await start()).stop();
  await using world = await start();
  expect(printed).toEqual([]);
  expect(await world.due.list({ kind: 'us-west1', shard: 0 }, later(new Date(), 24 * 3600), 100)).toHaveLength(10);
});

const damages: Record<string, () => void> = {
  'that is no database': () => writeFileSync(databaseFile(dataDir), 'garbage '.repeat(1000)),
  'with a damaged page': () => {
    const file = openSync(databaseFile(dataDir), 'r+');
    for (let page = 10; page < 20; page++) writeSync(file, randomBytes(4096), 0, 4096, 4096 * page);
    closeSync(file);
  },
  'that was cut': () => {
    const bytes = readFileSync(databaseFile(dataDir));
    writeFileSync(databaseFile(dataDir), bytes.subarray(0, 4096 * Math.floor(bytes.length / 8192)));
  },
};

test.each(Object.entries(damages))('a file %s stops the start with file, cause and way out', async (_, damage) => {
  await storeWaitingRuns(dataDir, 30);
  damage();
  expect(await failedStart()).toMatch(
    /^\S+\/data\.db can't be used: .+\. .*restore a backup: .*npm run restore -- FILE\./,
  );
});

test('damage in a large file is found while the service works', async () => {
  const path = databaseFile(dataDir);
  const db = new DatabaseSync(path);
  db.exec('CREATE TABLE large (id INTEGER PRIMARY KEY, body BLOB); BEGIN');
  for (let i = 0; i < 40; i++) db.prepare('INSERT INTO large VALUES (NULL, ?)').run(Buffer.alloc(2 ** 20));
  db.exec('COMMIT');
  db.close();
  const found = () =>
    new Promise<string>((resolve) => {
      const print = (line: string) => resolve(`printed: ${line}`);
      checkPages(path, { print, onSound: () => resolve('sound'), onDamaged: ({ message }) => resolve(message) });
    });
  expect(await found()).toBe('sound');
  const file = openSync(path, 'r+');
  writeSync(file, randomBytes(4096), 0, 4096, 4096); // the root of the table
  closeSync(file);
  expect(await found()).toMatch(/data\.db can't be used: it is damaged \(.+\)\. .*restore a backup/);
});

test('a data folder that is a file stops the start with what to do', async () => {
  dataDir = join(dataDir, 'file');
  writeFileSync(dataDir, '');
  expect(await failedStart()).toMatch(/file can't be used: EEXIST.*\. Set DATA_DIR to a folder\.$/);
});

test('a second service in a folder is refused with what to do, until the first ends', async () => {
  const world = await start();
  expect(await failedStart()).toMatch(/in use by another process.*Stop that process/);
  await world.stop();
  await (await start()).stop();
});

test('a file with a second name in another folder is refused with what to do', async () => {
  await (await start()).stop();
  linkSync(databaseFile(dataDir), join(folder, 'second-name'));
  expect(await failedStart()).toMatch(/data\.db can't be used: it has 2 names \(hard links\).*cp data\.db/);
});

test('a write fails while another process holds the file, and the next one succeeds', async () => {
  await using world = await start();
  const other = new DatabaseSync(databaseFile(dataDir));
  other.exec('BEGIN IMMEDIATE');
  world.aws.database.waitAtMost(50);
  await expect(world.create(aCheck({ regions: ['us-west1'] }))).rejects.toMatchObject({
    $metadata: { httpStatusCode: 500 },
  });
  expect(printed).toEqual([expect.stringMatching(/^✗ The table in \S+ can't be written: .*database is locked/)]);
  other.exec('ROLLBACK');
  other.close();
  const check = aCheck({ regions: ['us-west1'] });
  await world.create(check);
  expect(printed[1]).toMatch(/can be written again/);
  expect((await world.find(check.id)).runs).toHaveLength(1);
});

test('a write waits for another process without holding the event loop', async () => {
  await using world = await start();
  const other = new DatabaseSync(databaseFile(dataDir));
  other.exec('BEGIN IMMEDIATE');
  const check = aCheck({ regions: ['us-west1'] });
  const creating = world.create(check);
  const startedAt = performance.now();
  await pause(300);
  expect(performance.now() - startedAt).toBeLessThan(2000); // SQLite would wait for five seconds
  other.exec('ROLLBACK');
  other.close();
  await creating;
  expect((await world.find(check.id)).runs).toHaveLength(1);
  expect(printed).toEqual([]);
});

test.each<[string, (moved: string) => void]>([
  ['folder', (moved) => renameSync(dataDir, moved)],
  ['file', (moved) => renameSync(databaseFile(dataDir), moved)],
  ['log', (moved) => renameSync(`${databaseFile(dataDir)}-wal`, moved)],
])('writes fail while the %s is moved away, and succeed when it is back', async (name, move) => {
  await using world = await start();
  const moved = `${dataDir}-moved`;
  move(moved);
  const create = () => world.create(aCheck({ regions: ['us-west1'] }));
  expect(obstacleOf('table')).toMatch(/data\.db\S* was moved, removed or replaced .*Move it back/);
  await expect(create()).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } });
  expect(printed).toEqual([expect.stringMatching(/can't be written: \S+ was moved, removed or replaced/)]);
  renameSync(moved, { folder: dataDir, file: databaseFile(dataDir), log: `${databaseFile(dataDir)}-wal` }[name] ?? '');
  await create();
  expect(obstacleOf('table')).toBeUndefined();
});

test.each(FULL ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : [1, 2, 3])(
  'kill %i during writes leaves items and index consistent',
  async () => {
    const child = spawn(
      process.execPath,
      [new URL('../support/endless-writes.ts', import.meta.url).pathname, dataDir],
      {
        stdio: [0, 1, 2, 'ipc'],
      },
    );
    await once(child, 'message');
    await pause(Math.random() * 300);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await using world = await start();
    const read = (sql: string) =>
      (world.aws.database.prepare(sql).all() as { item: string }[]).map(({ item }) => {
        const { pk, open, dueAt } = JSON.parse(item);
        return `${pk.S} ${open.S} ${dueAt.S}`;
      });
    const items = read('SELECT item FROM items ORDER BY pk');
    expect(items).toHaveLength(50);
    expect(read('SELECT entry AS item FROM index_open ORDER BY pk')).toEqual(items);
  },
);
