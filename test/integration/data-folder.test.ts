import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
// @ts-expect-error dynalite has no types
import dynaliteDb from 'dynalite/db/index.js';
import { beforeEach, expect, test } from 'vitest';
import { sweep } from '../../functions/sweep.ts';
import { patchDynalite } from '../../infra/local/dynalite-fixes.ts';
import { openTable } from '../../infra/local/dynamodb.ts';
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

const start = () =>
  startWorld({}, { dataDir, regions: ['us-west1'], compactMs: 500, print: (line) => printed.push(line) });
const failedStart = () =>
  start().then(
    () => 'started',
    (error: Error) => error.message,
  );
const inTable = (end: string) => {
  const name = readdirSync(join(dataDir, 'dynamodb')).findLast((each) => each.endsWith(end));
  if (!name) throw new Error(`LevelDB has no file ${end}`);
  return join(dataDir, 'dynamodb', name);
};

test('a damaged log is reported at the start, and its index follows the items that are left', async () => {
  const ids: string[] = [];
  {
    await using world = await start();
    for (let i = 0; i < 40; i++) {
      const check = aCheck({ regions: ['us-west1'] });
      const [run] = await world.create(check);
      if (run) await world.store.markSent(run, new Date());
      ids.push(check.id);
    }
  }
  const log = readFileSync(inTable('.log'));
  log[40_000] = 255 - (log[40_000] as number); // in the second block of 32 KiB
  writeFileSync(inTable('.log'), log);

  await using world = await start();
  const found = await Promise.all(ids.map((id) => world.store.findOfAnyOwner(id).catch(() => undefined)));
  expect(found.filter(Boolean).length).toBeLessThan(ids.length);
  expect(printed[0]).toMatch(/^✗ The log of the table in \S+\/dynamodb is damaged: \d+ bytes .* lost.*backup/);
  const due = await world.due.list({ kind: 'us-west1', shard: 0 }, later(new Date(), 24 * 3600), 1000);
  const runs = await Promise.all(
    due.map(({ pk, sk }) => world.store.findRunOfAnyOwner({ checkId: pk.slice(6), id: sk.slice(4) })),
  );
  expect(runs.map((run) => run?.dueAt)).toEqual(due.map(({ dueAt }) => dueAt));
  expect(printed[1]).toMatch(/^The indexes of the table in \S+ were rebuilt from its \d+ items\.$/);
});

test('a log that was cut is reported with the number of checks that are missing and that are back', async () => {
  const ids: string[] = [];
  {
    await using world = await start();
    for (let i = 0; i < 6; i++) {
      const check = aCheck({ regions: ['us-west1'] });
      await world.create(check);
      ids.push(check.id);
    }
    const [first] = ids as [string];
    await world.erasure.markErased((await world.find(first)).item, new Date());
  }
  const log = readFileSync(inTable('.log'));
  writeFileSync(inTable('.log'), log.subarray(0, log.length / 2));
  {
    await using world = await start();
    const found = await Promise.all(ids.map((id) => world.store.findOfAnyOwner(id)));
    const missing = found.filter((each) => !each).length;
    expect(missing).toBeGreaterThan(0);
    expect(printed).toEqual([
      expect.stringMatching(
        new RegExp(
          `^✗ The table in \\S+ has lost its last writes\\. Accepted .* missing: ${missing}\\. .* are back: 1\\. .*backup\\.$`,
        ),
      ),
    ]);
  }
  printed = [];
  await (await start()).stop();
  expect(printed).toEqual([]); // once
});

test('a kill at any moment is no loss', async () => {
  const killed = `${dataDir}-killed`;
  {
    await using world = await start();
    await world.create(aCheck());
    const before = readFileSync(join(dataDir, 'check-counts'));
    await Promise.all([aCheck(), aCheck(), aCheck()].map((check) => world.create(check)));
    cpSync(dataDir, killed, { recursive: true });
    writeFileSync(join(killed, 'check-counts'), before); // killed before the file was written
  }
  await (await start()).stop();
  dataDir = killed;
  await (await start()).stop();
  await (await start()).stop();
  expect(printed).toEqual([]);
});

test('the text of an erased check leaves the files of the table', async () => {
  await using world = await start();
  const text = randomBytes(24).toString('base64url'); // random, because compression would split other text
  const check = aCheck({ url: `https://example.com/${text}` });
  await world.create(check);
  const files = () => readdirSync(join(dataDir, 'dynamodb')).filter((name) => /\.(log|ldb)$/.test(name));
  const holdText = () => files().some((name) => readFileSync(join(dataDir, 'dynamodb', name)).includes(text));
  expect(holdText()).toBe(true);
  await world.erasure.markErased((await world.find(check.id)).item, new Date());
  await world.erasure.eraseRemains(check.id);
  const mark = await world.store.findOrErased(check.id, 'anonymous', new Date());
  expect(mark).toBe('erased');
  await sweep({ ...world, now: () => later(new Date(), 600) })({});
  await expect.poll(holdText, { timeout: 8000 }).toBe(false);
});

test('an undamaged folder is opened without a word, and its indexes are kept', async () => {
  await storeWaitingRuns(dataDir, 10);
  await (await start()).stop();
  await (await start()).stop();
  expect(printed).toEqual([]);
});

test('a folder of an earlier version, without the index, gets it and keeps every item', async () => {
  await storeWaitingRuns(dataDir, 1200);
  await changeDefinition((table) => {
    delete table.GlobalSecondaryIndexes;
  });
  await using world = await start();
  expect(await world.due.list({ kind: 'us-west1', shard: 0 }, later(new Date(), 24 * 3600), 2000)).toHaveLength(1200);
  expect(printed).toEqual([expect.stringMatching(/were rebuilt from its 4800 items/)]);
});

test('a folder whose table has other keys is refused with what to do', async () => {
  await (await start()).stop();
  await changeDefinition((table) => table.KeySchema.pop());
  expect(await failedStart()).toMatch(
    /^The table in \S+\/dynamodb has other keys .* set DATA_DIR to another folder\.$/,
  );
});

test('a missing or garbled file of the table stops the start with folder, cause and way out', async () => {
  const wayOut = /^\S+\/dynamodb can't be used: .*\. Its data are damaged.*Restore the data folder from a backup\./;
  await storeWaitingRuns(dataDir, 3);
  await (await start()).stop(); // the second start moves the log into a table file
  rmSync(inTable('.ldb'));
  expect(await failedStart()).toMatch(wayOut);
  await expect(openTable(dataDir)).rejects.toThrow(wayOut);
  writeFileSync(join(dataDir, 'dynamodb', 'CURRENT'), 'garbage');
  expect(await failedStart()).toMatch(wayOut);
});

test.each(['CURRENT', '.log'])(
  'a missing %s, which LevelDB would replace, stops the start and loses nothing more',
  async (end) => {
    await storeWaitingRuns(dataDir, 3);
    const kept = readFileSync(inTable(end));
    const path = inTable(end);
    rmSync(path);
    expect(await failedStart()).toMatch(/dynamodb can't be used: its (file CURRENT|\.log file) is missing\. .*Restore/);
    writeFileSync(path, kept);
    await using world = await start();
    expect(await world.due.list({ kind: 'us-west1', shard: 0 }, later(new Date(), 24 * 3600), 10)).toHaveLength(3);
  },
);

test('a garbled file of reports stops the start with folder, cause and way out', async () => {
  mkdirSync(join(dataDir, 's3'));
  writeFileSync(join(dataDir, 's3', 'fauxqs.db'), 'garbage '.repeat(1000));
  expect(await failedStart()).toMatch(/^\S+\/s3 can't be used: file is not a database\. .*Restore .* backup\./);
});

test('a data folder that is a file stops the start with what to do', async () => {
  dataDir = join(dataDir, 'file');
  writeFileSync(dataDir, '');
  expect(await failedStart()).toMatch(/file can't be used: EEXIST.*\. Set DATA_DIR to a folder\.$/);
});

test('an I/O error of the table fails its request only, and the table is written again when the error is gone', async () => {
  patchDynalite();
  let broken = false;
  const { create } = dynaliteDb;
  dynaliteDb.create = (options: unknown) => {
    const store = create(options);
    const { batch, values } = store.db;
    const error = () => new Error('IO error: 000003.log: Input/output error');
    const failing = { next: () => Promise.reject(error()), close: async () => {} };
    store.db.batch = (writes: unknown, done: (error: Error) => void) =>
      broken && done ? done(error()) : batch(writes, done);
    store.db.values = (range: object) => (broken ? failing : values(range));
    return store;
  };
  await using world = await start();
  dynaliteDb.create = create;
  const check = aCheck({ regions: ['us-west1'] });
  await world.create(check);
  broken = true;
  await expect(world.store.findOfAnyOwner(check.id)).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } });
  await expect(world.create(aCheck())).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } });
  expect(printed).toEqual([expect.stringMatching(/^✗ The table in \S+ can't be written: .*Input\/output error/)]);
  broken = false;
  await expect(world.create(aCheck())).rejects.toThrow(); // until the table is opened again
  await expect.poll(() => printed[1]).toMatch(/can be written again/);
  await world.create(aCheck());
  expect((await world.find(check.id)).runs).toHaveLength(1);
});

test('a report whose deletion fails on the disk is still listed, so that the sweeper deletes it later', async () => {
  await using world = await start();
  const key = `reports/${crypto.randomUUID()}/run/attempt.json.gz`;
  const checkId = key.split('/')[1] as string;
  await world.reports.put(key, Buffer.from('report'));
  const other = new DatabaseSync(join(dataDir, 's3', 'fauxqs.db'));
  other.exec('BEGIN IMMEDIATE'); // the deletion fails, because the database is locked
  await expect(world.reports.delete(key)).rejects.toThrow();
  expect(await world.reports.keysOf(checkId)).toEqual([key]);
  other.exec('ROLLBACK');
  other.close();
  await world.reports.delete(key);
  expect(await world.reports.keysOf(checkId)).toEqual([]);
});

type Definition = { KeySchema: unknown[]; GlobalSecondaryIndexes?: unknown[] };

const changeDefinition = async (change: (table: Definition) => void): Promise<void> => {
  const { db } = dynaliteDb.create({ path: join(dataDir, 'dynamodb') });
  const table = await db.get('table~page-audit-local');
  change(table);
  await db.put('table~page-audit-local', table);
  for await (const key of db.keys({ gte: 'index-', lt: 'index-~' })) await db.del(key);
  await db.close();
};
