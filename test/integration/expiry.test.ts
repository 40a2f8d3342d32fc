import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { S3Client } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { clientSettings } from '../../functions/lib/aws-client.ts';
import { getItem } from '../../functions/lib/store/dynamodb.ts';
import { checkKey, type RunItem } from '../../functions/lib/store/items.ts';
import { databaseFile } from '../../infra/local/data-folder.ts';
import { Database } from '../../infra/local/database.ts';
import { deleteExpired, startExpiry } from '../../infra/local/expiry.ts';
import { trustedClock } from '../../infra/local/trusted-clock.ts';
import { partitions } from '../../shared/service/partitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { aCheck, later, startWorld, type World } from '../support/world.ts';

const DAY = 24 * 3600;
const dataDir = temporaryFolder('expiry');
const temporaryPath = temporaryFolder('clock');
let world: World;
beforeAll(async () => {
  world = await startWorld({}, { dataDir });
});

const deleteAt = (now: Date) => {
  const data = {
    db: world.db,
    s3: new S3Client(clientSettings()),
    bucket: world.env.REPORT_BUCKET as string,
  };
  return deleteExpired(data, now, { signal: new AbortController().signal, pauseMs: 1 });
};
/** Sort keys of the items in the table, less the ids. The newest results of a page have a hash for a key. */
const items = async () => {
  const { Items = [] } = await world.db.client.send(new ScanCommand({ TableName: world.db.table }));
  return Items.map(({ pk, sk }) => (pk.startsWith(partitions.latest) ? 'LATEST' : sk.replace(/#.*/, ''))).sort();
};

test('a report lives as long as its key says', async () => {
  const now = new Date();
  const check = aCheck({ regions: ['us-west1'], now });
  const [run] = (await world.create(check, { retentionDays: 30 })) as [RunItem];
  const { key } = await world.storeReport(run, gzipSync('{}'));
  expect(key).toMatch(new RegExp(`^reports/30d/${check.id}/${run.id}/[\\w-]+-1\\.json\\.gz$`));
  await deleteAt(later(now, 29 * DAY));
  expect(await world.reports.keysOf(check.id, 30)).toEqual([key]);
  await deleteAt(later(now, 31 * DAY));
  expect(await world.reports.keysOf(check.id, 30)).toEqual([]);

  const another = await world.storeReport(run, gzipSync('{}'));
  expect(await world.erasure.markErased((await world.find(check.id)).item, now)).toBe(true);
  expect(await world.erasure.eraseRemains(check.id)).toBe(false);
  expect(await world.reports.exists(another.key)).toBe(false);
  await world.erasure.eraseRemains(check.id);
  await world.erasure.removeErasedMark((await getItem(world.db, checkKey(check.id))) as never);
});

test('expired checks, runs, pointers and old reports are deleted from the disk, and nothing else', async () => {
  const now = new Date();
  const key = { owner: 'acme', name: 'old', scopes: ['checks:read' as const], plan: 'small' as const };
  await world.keys.create({ ...key, expiresAt: later(now, -DAY).toISOString() }, now);
  await world.create(aCheck({ now: later(now, -91 * DAY) }));
  const { check } = await world.finishedRun(randomBytes(10 * 2 ** 20).toString('hex'));
  const all = ['CHECK', 'KEY', 'LATEST', 'RUN', 'RUN', 'TREND', 'TREND', 'TREND'];
  expect(await items()).toEqual([...all, 'CHECK', 'RUN', 'RUN', 'RUN', 'RUN'].sort());

  await deleteAt(now);
  expect(await items()).toEqual(all);
  expect(await world.reports.keysOf(check.id, 90)).toHaveLength(1);

  await deleteAt(later(now, 91 * DAY));
  expect(await world.reports.keysOf(check.id, 90)).toEqual([]);
  expect(await items()).toEqual(['KEY', 'LATEST', 'TREND', 'TREND', 'TREND']);
  await deleteAt(later(now, 401 * DAY));
  expect(await items()).toEqual(['KEY']);
  await world.stop();
  expect((await stat(databaseFile(dataDir))).size).toBeLessThan(2 ** 20); // the disk has its room again
});

test('a clock that is a year ahead at a start deletes nothing until the service has run with it for a day', async () => {
  const path = join(temporaryPath, 'clock.db');
  const printed: string[] = [];
  const t0 = new Date('2031-01-01T12:00:00.000Z');
  const restarted = async (...hours: number[]) => {
    const database = new Database({ path });
    const isTrusted = trustedClock(database, (line) => printed.push(line));
    const answers: boolean[] = [];
    for (const each of hours) answers.push(await isTrusted(later(t0, each * 3600)));
    await database.close();
    return answers;
  };
  expect(await restarted(0, 1)).toEqual([true, true]);
  expect(await restarted(6 * 24)).toEqual([true]); // a service that was off for some days
  expect(printed).toEqual([]);
  const year = 365 * 24;
  expect(await restarted(year, year + 1)).toEqual([false, false]);
  expect(await restarted(year + 2)).toEqual([false]);
  expect(printed).toEqual(
    Array(2).fill(expect.stringMatching(/is 359 days later than .* set the clock: nothing is lost/)),
  );
  expect(await restarted(6 * 24 + 1)).toEqual([true]); // the clock was set right
  const day = Array.from({ length: 25 }, (_, i) => year + i);
  expect(await restarted(...day)).toEqual([...Array(24).fill(false), true]);
  expect(await restarted(year + 26)).toEqual([true]);
});

test.each([true, false])(
  'with a clock that is trusted or not (%s), expired items are deleted or not',
  async (isTrusted) => {
    await using here = await startWorld();
    const check = aCheck({ now: later(new Date(), -91 * DAY) });
    await here.create(check);
    const s3 = new S3Client(clientSettings());
    const bucket = here.env.REPORT_BUCKET as string;
    let asked = 0;
    const isClockTrusted = async () => {
      asked++;
      return isTrusted;
    };
    const expiry = startExpiry({ db: here.db, s3, bucket, isClockTrusted });
    const stored = async () => Boolean(await getItem(here.db, checkKey(check.id)));
    if (isTrusted) await expect.poll(stored).toBe(false);
    else await expect.poll(() => asked).toBe(1);
    await expiry.stop();
    expect(await stored()).toBe(!isTrusted);
  },
);
