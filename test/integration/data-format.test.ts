import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openTable, startAws } from '../../infra/local/aws.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('data-format');
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(folder, 'data-'));
});

const start = () => startAws({ dataDir, regions: ['us-west1'] });
const filesIn = (path: string) => readdirSync(path, { recursive: true }).map(String).sort();

const expectRefusal = async (named: string) => {
  const files = filesIn(dataDir);
  const refused = new RegExp(
    `^The data in \\S+ have ${named}, and this version .* format 2\\. .*git checkout .* npm start\\. .* DATA_DIR=<folder> npm start\\.$`,
  );
  await expect(start()).rejects.toThrow(refused);
  await expect(openTable(dataDir)).rejects.toThrow(refused);
  expect(filesIn(dataDir)).toEqual(files);
};

test.each([
  ['1\n', 'format 1'],
  ['3\n', 'format 3'],
  ['2', 'an unknown format'],
  ['', 'an unknown format'],
  ['1.5\n', 'an unknown format'],
])('a folder with the format %j is refused with what to do, and stays as it is', async (text, named) => {
  await (await start()).close();
  writeFileSync(join(dataDir, 'format'), text);
  await expectRefusal(named);
});

test.each(['data.db', 'dynamodb'])('a folder with %s and without a number is refused', async (name) => {
  await (await start()).close();
  for (const each of readdirSync(dataDir)) rmSync(join(dataDir, each), { recursive: true });
  mkdirSync(join(dataDir, name));
  writeFileSync(join(dataDir, 'in-use.lock'), '');
  await expectRefusal('no number of their format');
});
