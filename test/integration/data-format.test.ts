import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { formatKey } from '../../functions/lib/store/format.ts';
import { openTable, startAws } from '../../infra/local/aws.ts';
import { checkData } from '../../infra/local/backup/check-data.ts';
import { makeBackup } from '../../infra/local/backup/make-backup.ts';
import { databaseFile } from '../../infra/local/data-folder.ts';
import { startApi } from '../support/api.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('data-format');
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(folder, 'data-'));
});

const rows = () => {
  const db = new DatabaseSync(databaseFile(dataDir));
  const all = ['items', 'messages', 'objects', 'clock'].map((name) => db.prepare(`SELECT * FROM ${name}`).all());
  db.close();
  return all;
};
const start = () => startAws({ dataDir, regions: ['us-west1'] });

test.each([
  [{ N: '2' }, 'format 2'],
  [{ N: '0' }, 'a format that is no number'],
  [{ S: '1' }, 'a format that is no number'],
  [undefined, 'a format that is no number'],
])('a folder with the format %j is refused with what to do, and stays as it is', async (format, named) => {
  await (await start()).close();
  const { pk, sk } = formatKey;
  const db = new DatabaseSync(databaseFile(dataDir));
  db.prepare('INSERT INTO items VALUES (?, ?, ?)').run(
    pk,
    sk,
    JSON.stringify({ pk: { S: pk }, sk: { S: sk }, format }),
  );
  db.close();
  const before = rows();
  const refused = new RegExp(
    `data\\.db can't be used. The data have ${named}, and this release knows format 1\\. .*git checkout .* npm start\\. .* DATA_DIR=<folder> npm start\\.$`,
  );
  await expect(start()).rejects.toThrow(refused);
  await expect(openTable(dataDir)).rejects.toThrow(refused);
  expect(() => checkData(dataDir, new Date())).toThrow(refused);
  expect(() => makeBackup(dataDir, join(dataDir, 'backup'))).toThrow(refused);
  expect(rows()).toEqual(before);
});

test('a client of functions that do not know the format gets 503, and nothing is written', async () => {
  const { world, url, stop } = await startApi();
  const { client, table } = world.db;
  await client.send(new PutCommand({ TableName: table, Item: { ...formatKey, format: 9 } }));
  const body = JSON.stringify({ url: 'https://example.com/', auditVersion: 'latest', regions: ['us-west1'] });
  const headers = { 'content-type': 'application/json' };
  for (const init of [{}, { method: 'POST', body, headers }]) {
    const response = await fetch(`${url}/v1/checks`, init);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60']);
    expect(await response.json()).toMatchObject({ detail: expect.stringMatching(/can not use the stored data/) });
  }
  expect(world.aws.database.prepare('SELECT pk FROM items').all()).toEqual([{ pk: formatKey.pk }]);
  await stop();
});
