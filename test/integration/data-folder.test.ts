import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { sweep } from '../../functions/sweep.ts';
import { databaseFile, objectFolder } from '../../infra/local/data-folder.ts';
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
const holdText = (text: string) =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true }).some(
    (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text),
  );

test('the text of an erased check leaves all files', async () => {
  await using world = await start();
  for (let i = 0; i < 20; i++) {
    const text = randomBytes(24).toString('base64url');
    const check = aCheck({ url: `https://example.com/${text}`, regions: ['us-west1'] });
    const [run] = await world.create(check);
    await world.storeReport(run as NonNullable<typeof run>, gzipSync(text, { level: 0 }));
    expect(holdText(text)).toBe(true);
    await world.erasure.markErased((await world.find(check.id)).item, new Date());
    await world.erasure.eraseRemains(check.id);
    await sweep({ ...world, now: () => later(new Date(), 600) })({});
    await world.aws.database.erase();
    expect(holdText(text), `erasure ${i}`).toBe(false);
  }
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

test('a report whose deletion was killed before its file was deleted is gone after the next start', async () => {
  const world = await start();
  const [run] = await world.create(aCheck({ regions: ['us-west1'] }));
  await world.storeReport(run as NonNullable<typeof run>, gzipSync(randomBytes(10_000)));
  const [file = ''] = readdirSync(objectFolder(dataDir));
  await world.stop();
  const db = new DatabaseSync(databaseFile(dataDir));
  db.exec('DELETE FROM objects');
  db.close();
  await (await start()).stop();
  expect(existsSync(join(objectFolder(dataDir), file))).toBe(false);
});

test.each([1, 2, 3])('kill %i during writes leaves items and index consistent', async () => {
  const child = spawn(process.execPath, [new URL('../support/endless-writes.ts', import.meta.url).pathname, dataDir], {
    stdio: [0, 1, 2, 'ipc'],
  });
  await once(child, 'message');
  child.kill('SIGKILL');
  await once(child, 'exit');
  await using world = await start();
  const scan = async (IndexName?: string) => {
    const { Items = [] } = await world.db.client.send(new ScanCommand({ TableName: world.db.table, IndexName }));
    return Items.map((item) => `${item.pk} ${item.open} ${item.dueAt}`).sort();
  };
  const items = await scan();
  expect(items).toHaveLength(50);
  expect(await scan('open')).toEqual(items);
});
