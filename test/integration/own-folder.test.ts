import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startAws } from '../../infra/local/aws.ts';
import { programFolder } from '../../infra/local/program-folder.ts';

const umask = process.umask();
const root = mkdtempSync(join(tmpdir(), 'own-folder-'));
let folder: string;
let printed: string[];
beforeEach(() => {
  process.umask(0o022); // of most users
  folder = join(mkdtempSync(join(root, 'test-')), 'data');
  printed = [];
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => {
  process.umask(umask);
  rmSync(root, { recursive: true });
});

const print = (line: string) => printed.push(line);
const startedOnce = async () => (await startAws({ dataDir: folder, regions: ['us-west1'], print })).close();
const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);
const entries = () => readdirSync(folder, { recursive: true }).map((name) => join(folder, `${name}`));
const modes = () => {
  const inside = entries().map((path) => `${statSync(path).isDirectory() ? 'folder' : 'file'} ${modeOf(path)}`);
  return [`folder ${modeOf(folder)}`, ...new Set(inside)].sort();
};
/** Makes a folder another user's, or this process another user if it may not change owners. */
const giveAway = (path: string) => {
  const { uid } = statSync(path);
  if (uid === 0) chownSync(path, 4242, 4242);
  else vi.spyOn(process, 'getuid').mockReturnValue(uid + 1);
};

test('the data folder and its files are private, while the service runs and after it', async () => {
  const aws = await startAws({ dataDir: folder, regions: ['us-west1'], print });
  expect(entries().map((path) => path.slice(folder.length + 1))).toEqual(
    expect.arrayContaining(['data.db', 'data.db-wal']),
  );
  const found = modes();
  await aws.close();
  expect([found, modes()]).toEqual(Array(2).fill(['file 600', 'folder 700']));
  expect(printed).toEqual([]);
});

test('an open data folder becomes private at the start, which says so once', async () => {
  await startedOnce();
  for (const path of [folder, ...entries()]) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
  await startedOnce();
  expect(modes()).toEqual(['file 600', 'folder 700']);
  expect(printed).toEqual([expect.stringContaining(`${folder} was open to other users of this machine (mode 755).`)]);
  await startedOnce();
  expect(printed).toHaveLength(1);
});

test('an empty open folder, such as the mount of a container, becomes private without a word', async () => {
  mkdirSync(folder);
  chmodSync(folder, 0o1777);
  await startedOnce();
  expect([modeOf(folder), printed]).toEqual(['700', []]);
});

test.each([
  [0o755, ['notes.txt']],
  [0o1777, ['in-use.lock', 'notes.txt']],
])('a folder of mode %o with %j keeps its mode, because other programs use it', async (mode, names) => {
  mkdirSync(folder);
  chmodSync(folder, mode);
  for (const name of names) writeFileSync(join(folder, name), '');
  await expect(startedOnce()).rejects.toThrow(
    `${folder} has files of other programs, such as notes.txt. Set DATA_DIR to a folder of its own.`,
  );
  expect(modeOf(folder)).toBe(mode.toString(8));
});

test('a data folder that another user has made is refused', async () => {
  mkdirSync(folder, 0o700);
  giveAway(folder);
  await expect(startedOnce()).rejects.toThrow(/data belongs to another user .*chown, or set DATA_DIR/);
  expect(readdirSync(folder)).toEqual([]);
});

test('all users can enter the folder of programs, and only its user can change it', () => {
  process.umask(0o077);
  expect(programFolder(undefined, '/data', print, folder)).toBe(folder);
  expect(modeOf(folder)).toBe('755');
  chmodSync(folder, 0o775);
  expect(programFolder(folder, '/data', print)).toBe(folder);
  expect(modeOf(folder)).toBe('755');
});

test('a folder of programs is refused if another user has made it, or if all users share it', () => {
  mkdirSync(folder);
  chmodSync(folder, 0o1777);
  expect(() => programFolder(folder, '/data', print)).toThrow(/is a folder for all users. Set CHROMIUM_DIR/);
  chmodSync(folder, 0o755);
  giveAway(folder);
  expect(() => programFolder(folder, '/data', print)).toThrow(/belongs to another user .*CHROMIUM_DIR/);
});

test('beside sources that can not be written, the programs are in the data folder', () => {
  expect(programFolder(undefined, folder, print, '/proc/1/chromium')).toBe(join(folder, 'chromium'));
});
