import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type Build, buildStore } from '../../functions/lib/store/builds.ts';
import { restoreBackup } from '../../infra/local/backup/restore-backup.ts';
import { databaseFile, LOCK_FILE } from '../../infra/local/data-folder.ts';
import { runCommand } from '../support/command.ts';
import { startFunctions } from '../support/gateway.ts';
import { problemOf } from '../support/problem.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorld, type World } from '../support/world.ts';

const folder = temporaryFolder('backup');
let here: string;
let dataDir: string;
let file: string;
beforeEach(() => {
  here = mkdtempSync(join(folder, 'test-'));
  dataDir = join(here, 'data');
  file = join(here, 'backup');
});

const start = (dir = dataDir) => startWorld({}, { dataDir: dir });
const backup = (target = file, dir = dataDir) => runCommand('backup.ts', dir, [target]);
const restore = (dir: string, from = file) => runCommand('restore.ts', dir, [from]);
const check = (dir: string) => runCommand('check-data.ts', dir, []);
const aReport = (bytes = 10_000) => JSON.stringify(randomBytes(bytes).toString('base64'));
const changeData = (sql: string, path = databaseFile(dataDir)) => {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
};
const withoutChecksum = 'rtrim(item, char(32, 9, 10, 13))';
const stored = async () => {
  const world = await start();
  const run = await world.finishedRun(aReport());
  await world.finishedRun(aReport(10));
  await world.stop();
  return run;
};

test('backups of a service that writes and erases have every report that a run names, and can be restored', async () => {
  const world = await start();
  const kept = await world.finishedRun(aReport());
  const written: string[] = [];
  let isWriting = true;
  const work = async () => {
    while (isWriting) {
      const { check } = await world.finishedRun(aReport());
      written.push(check.id);
      if (written.length % 2 === 0) await erase(world, written.at(-2) as string);
    }
  };
  const working = Promise.all([work(), work(), work()]);
  const files = [1, 2, 3].map((i) => `${file}-${i}`);
  for (const each of files) {
    expect(await backup(each)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/[1-9]\d* objects/),
    });
    expect(statSync(each).mode & 0o777).toBe(0o600);
  }
  isWriting = false;
  await working;
  await world.stop();
  expect(written.length).toBeGreaterThan(5);

  for (const [i, each] of files.entries()) {
    const restored = join(here, `restored-${i}`);
    expect(await restore(restored, each)).toMatchObject({ code: 0, stdout: '' });
    expect(await check(restored)).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/No fault/) });
    const after = await start(restored);
    const { report } = await after.runOf(kept.check.id);
    expect(await after.reports.get(report?.key as string)).toHaveLength(report?.gzipBytes as number);
    await after.stop();
    expect(statSync(join(restored, 'data.db')).mode & 0o077).toBe(0);
  }
});

const erase = async (world: World, id: string) => {
  await world.erasure.markErased((await world.find(id)).item, new Date());
  await world.erasure.eraseRemains(id);
};

test('a backup never replaces a file, and leaves nothing behind when it fails', async () => {
  await stored();
  writeFileSync(file, 'precious');
  expect(await backup()).toMatchObject({ code: 1, stderr: expect.stringMatching(/exists. Name a new file/) });
  expect(await backup(join(here, 'no', 'folder'))).toMatchObject({ code: 1, stderr: expect.stringMatching(/ENOENT/) });
  expect(readdirSync(here).sort()).toEqual(['backup', 'data']);
  expect(await backup(`${file}-3`, join(here, 'nowhere'))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/does not exist/),
  });
});

describe('a restore is refused, and writes nothing,', () => {
  const damages: Record<string, [() => void, RegExp]> = {
    'of a file that is missing': [() => rmSync(file), /There is no file/],
    'of a file that is no backup': [
      () => writeFileSync(file, 'x'.repeat(9000)),
      /no complete backup: file is not a database/,
    ],
    'of a data folder’s database': [
      () => copyFileSync(databaseFile(dataDir), file),
      /no complete backup: no such table: backup/,
    ],
    'of a cut backup': [
      () => writeFileSync(file, Buffer.alloc(statSync(file).size / 2, 0), { flag: 'r+' }),
      /no complete backup/,
    ],
    'of a backup with a changed row': [
      () => changeData(`UPDATE items SET item = replace(item, 'example.com', 'example.org')`, file),
      /damaged \(its rows are not those that were written\)/,
    ],
    'of a backup with a changed report': [
      () => changeData(`UPDATE objects SET body = zeroblob(100)`, file),
      /damaged \(its rows are not those that were written\)/,
    ],
    'of a newer backup': [
      () =>
        changeData(
          `INSERT INTO items VALUES ('FORMAT', 'FORMAT', '{"pk":{"S":"FORMAT"},"sk":{"S":"FORMAT"},"format":{"N":"3"}}')`,
          file,
        ),
      /have format 3, and this release knows format 1\. Nothing was restored/,
    ],
  };
  test.each(Object.entries(damages))('%s', async (_, [damage, message]) => {
    await stored();
    await backup();
    damage();
    const restored = join(here, 'restored');
    expect(await restore(restored)).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
    expect(existsSync(restored)).toBe(false);
  });

  test('into a folder that has anything', async () => {
    await stored();
    await backup();
    mkdirSync(join(here, 'used'));
    writeFileSync(join(here, 'used', 'note'), '');
    for (const dir of [dataDir, join(here, 'used')])
      expect(await restore(dir)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/is not empty: it has .*move/),
      });
  });
});

test('a backup prints a restore that works beside the service', async () => {
  await stored();
  const { stderr } = await backup();
  const [, dir, from] = stderr.match(/: DATA_DIR=(\S+) npm run restore -- (\S+)\n/) ?? [];
  expect(from).toBe(file);
  expect(await restore(dir as string)).toMatchObject({ code: 0 });
  expect(await check(dir as string)).toMatchObject({ code: 0, stdout: '' });
});

test('a restore keeps services out of its folder, and a failed one deletes what it has made only', async () => {
  await stored();
  await backup();
  const restored = join(here, 'restored');
  mkdirSync(join(restored, 'lost+found'), { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(restored, LOCK_FILE));
  lock.exec('BEGIN EXCLUSIVE'); // as a service that is starting
  expect(await restore(restored)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/in use by another process/),
  });
  lock.close();
  const print = vi.fn(() => mkdirSync(`${databaseFile(restored)}.new`)); // the copy fails
  chmodSync(restored, 0o755);
  expect(() => restoreBackup(file, restored, print)).toThrow(/data\.db\.new|is not empty/);
  expect(readdirSync(restored).sort()).toEqual(['data.db.new', LOCK_FILE, 'lost+found']);
});

test('a damaged report and a damaged item are unreadable, and check-data, backup and restore name them', async () => {
  const { check: it, run } = await stored();
  changeData(`UPDATE objects SET body = CAST(replace(hex(body), '0', '1') AS BLOB) WHERE key LIKE '%${run.id}%'`);
  changeData(`UPDATE items SET item = replace(item, 'example.com', 'example.con') WHERE sk = 'RUN#${run.id}'`);
  const named = [
    expect.stringMatching(`item CHECK#${it.id} RUN#${run.id}`),
    expect.stringMatching(`object reports/\\S*${run.id}`),
  ];
  for (const done of [await check(dataDir), await backup(), await restore(join(here, 'restored'))]) {
    expect(done.code).toBe(1);
    for (const each of named) expect(done.stdout + done.stderr).toEqual(each);
  }
  await using world = await start(join(here, 'restored'));
  await expect(world.runOf(it.id)).rejects.toThrow(/can not be read: it is not as it was written/);
});

test('a report that is not as it was written is a 500', async () => {
  const { run, path } = await stored();
  changeData(`UPDATE objects SET body = zeroblob(bytes) WHERE key LIKE '%${run.id}%'`);
  await using _world = await start();
  const api = await startFunctions();
  await problemOf(await fetch(api.url + path), 500, 'internal');
  await api.close();
});

test('items of releases without checksums are read, and get one with their next write', async () => {
  const { check: it, run } = await stored();
  changeData(`UPDATE items SET item = ${withoutChecksum}`);
  expect(await check(dataDir)).toMatchObject({ code: 0, stdout: '' });
  await using world = await start();
  expect((await world.runOf(it.id)).id).toBe(run.id);
});

describe('check-data', () => {
  const faults: Record<string, [(run: Awaited<ReturnType<typeof stored>>) => void, RegExp]> = {
    'a run whose report is missing': [
      () => changeData('DELETE FROM objects WHERE bytes < 1000'),
      /^item CHECK#\S+ RUN#\S+: its object reports\/\S+ is missing\n$/,
    ],
    'a report of no check': [
      ({ check }) => {
        for (const table of ['items', 'index_list', 'index_open'])
          changeData(`DELETE FROM ${table} WHERE pk LIKE '%${check.id}'`);
      },
      /^object reports\/\S+: no item has it\n$/,
    ],
    'an item that its schema does not accept': [
      ({ run }) =>
        changeData(
          `UPDATE items SET item = replace(${withoutChecksum}, '"state":{"S":"succeeded"}', '"state":{"S":"x"}') WHERE sk = 'RUN#${run.id}'`,
        ),
      /^item CHECK#\S+ RUN#\S+: .*state/,
    ],
    'an item that is no item': [
      ({ run }) => changeData(`UPDATE items SET item = '[' WHERE sk = 'RUN#${run.id}'`),
      /^item CHECK#\S+ RUN#\S+: it is not JSON/,
    ],
    'an item of no kind': [() => changeData(`INSERT INTO items VALUES ('X', 'Y', '{}')`), /^item X Y: no kind of item/],
    'an entry that is missing': [
      () => changeData('DELETE FROM index_list'),
      /^index list: its entry of CHECK#\S+ \S+ is missing\n/,
    ],
    'an entry without an item': [
      () => changeData(`INSERT INTO index_open VALUES ('a', 'b', 'c', 'd', '{}')`),
      /^index open: 1 entries have no item\n$/,
    ],
  };
  test.each(Object.entries(faults))('finds %s', async (_, [damage, message]) => {
    const run = await stored();
    expect(await check(dataDir)).toMatchObject({ code: 0, stdout: '' });
    damage(run);
    const found = await check(dataDir);
    expect(found).toMatchObject({ code: 1, stderr: expect.stringMatching(/Looked at .* [1-9]\d* items/) });
    expect(found.stdout).toMatch(message);
  });

  test('does not take the reports of a build that is not sealed for damage', async () => {
    const { check: it } = await stored();
    const world = await start();
    const { report } = await world.runOf(it.id);
    const build = { id: randomUUID(), createId: randomUUID(), expiresAt: Date.now() / 1000 + 3600 } as Build;
    await buildStore(world.db).putUpload(build, it.id, it.id, { url: it.url, report: report as never, results: {} });
    await world.stop();
    for (const table of ['items', 'index_list', 'index_open'])
      changeData(`DELETE FROM ${table} WHERE pk LIKE 'CHECK#${it.id}'`);
    expect(await check(dataDir)).toMatchObject({ code: 0, stdout: '' });
  });

  test('of a folder with nothing in it fails', async () => {
    await (await start()).stop();
    expect(await check(dataDir)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/has no item, so nothing was checked/),
    });
    expect(await check(join(here, 'nowhere'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/does not exist/),
    });
  });
});

test('the commands refuse an environment and a wrong number of files', async () => {
  for (const command of ['backup.ts', 'check-data.ts'])
    expect(await runCommand(command, here, ['--environment', 'prod'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/this machine only/),
    });
  expect(await runCommand('backup.ts', here, [])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Name one file/),
  });
  expect(await runCommand('restore.ts', here, ['--environment', 'prod'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/with --at TIME or with --replace/),
  });
  expect(await runCommand('restore.ts', here, ['a', 'b'])).toMatchObject({ code: 2 });
});
