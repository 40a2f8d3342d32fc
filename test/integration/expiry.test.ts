import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { deleteExpired } from '../../infra/local/expiry.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { aCheck, later, startWorld, type World } from '../support/world.ts';

const DAY = 24 * 3600;
const dataDir = temporaryFolder('expiry');
let world: World;
beforeAll(async () => {
  world = await startWorld({}, { dataDir });
});

const deleteAt = (now: Date, retentionDays = 90) => {
  const data = { db: world.db, s3: new S3Client({}), bucket: world.env.REPORT_BUCKET as string, retentionDays };
  return deleteExpired(data, now, { signal: new AbortController().signal, pauseMs: 1 });
};
/** Sort keys of the items in the table, less the ids. */
const items = async () => {
  const { Items = [] } = await world.db.client.send(new ScanCommand({ TableName: world.db.table }));
  return Items.map(({ sk }) => sk.replace(/#.*/, '')).sort();
};

test('expired checks, runs, pointers and old reports are deleted from the disk, and nothing else', async () => {
  const now = new Date();
  const key = { owner: 'acme', name: 'old', scopes: ['checks:read' as const], plan: 'small' as const };
  await world.keys.create({ ...key, expiresAt: later(now, -DAY).toISOString() }, now);
  await world.create(aCheck({ now: later(now, -91 * DAY) }));
  const { check } = await world.finishedRun(randomBytes(10 * 2 ** 20).toString('hex'));
  const all = ['CHECK', 'KEY', 'RUN', 'RUN', 'TREND', 'TREND', 'TREND'];
  expect(await items()).toEqual([...all, 'CHECK', 'RUN', 'RUN', 'RUN', 'RUN'].sort());

  await deleteAt(now);
  expect(await items()).toEqual(all);
  expect(await world.reports.keysOf(check.id)).toHaveLength(1);

  await deleteAt(later(now, 15 * DAY), 14); // the retention was shortened: reports end at once, checks keep their expiry
  expect(await items()).toEqual(all);
  expect(await world.reports.keysOf(check.id)).toEqual([]);

  await deleteAt(later(now, 91 * DAY));
  expect(await items()).toEqual(['KEY', 'TREND', 'TREND', 'TREND']);
  await deleteAt(later(now, 401 * DAY));
  expect(await items()).toEqual(['KEY']);
  await world.stop();
  expect((await stat(join(dataDir, 's3', 'fauxqs.db'))).size).toBeLessThan(2 ** 20);
});
