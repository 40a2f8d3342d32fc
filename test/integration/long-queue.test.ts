import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweep } from '../../functions/sweep.ts';
import { startAws } from '../../infra/local/aws.ts';
import { startService } from '../../infra/local/service.ts';
import { allRegions } from '../../shared/regions.ts';
import { FULL } from '../support/full.ts';
import { preparedPrograms } from '../support/service.ts';
import { storeWaitingRuns } from '../support/waiting-runs.ts';
import { later, worldHere } from '../support/world.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'long-queue-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('a service with 5,000 waiting runs starts, answers and stops', async () => {
  const dataDir = join(folder, 'service');
  await storeWaitingRuns(dataDir, 5000);
  const settings = {
    host: '127.0.0.1',
    port: 0,
    dataDir,
    chromiumDir: await preparedPrograms(),
    auditsAtOnce: 1,
    corsOrigins: [],
    retentionDays: 90,
    trendDays: 400,
    logLevel: 'SILENT',
  };
  const service = await startService({ ...settings, auth: 'open', targets: 'local' }, () => {});
  const answer = await fetch(`${service.url}/v1/checks/${crypto.randomUUID()}`);
  expect(answer.status).toBe(404);
  const stoppedAt = performance.now();
  await service.stop();
  expect(performance.now() - stoppedAt).toBeLessThan(10_000);
}, 60_000);

test('a wake that was repeated after failed writes has made every waiting run due', async () => {
  const runs = FULL ? 5000 : 1500;
  const dataDir = join(folder, 'engines');
  await storeWaitingRuns(dataDir, runs);
  const aws = await startAws({ dataDir, regions: allRegions });
  Object.assign(process.env, aws.env);
  const world = worldHere();
  const now = later(new Date(), 1);
  let writes = 0;
  const wake: typeof world.due.wake = async (due, at) => {
    if (++writes % 500 === 0) throw new Error('the disk is full');
    return world.due.wake(due, at);
  };
  const waking = (due: typeof world.due) => sweep({ ...world, due, now: () => now })({ wake: 'us-west1' });
  await expect(waking({ ...world.due, wake })).rejects.toThrow(`${runs / 500} open items of us-west1 were not woken`);
  await waking(world.due);
  expect(await world.due.list('us-west1', now, runs)).toHaveLength(runs);
  world.sqs.destroy();
  await aws.close();
}, 60_000);
