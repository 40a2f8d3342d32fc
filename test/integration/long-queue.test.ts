import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../../functions/sweep.ts';
import { startService } from '../../infra/local/service.ts';
import { FULL } from '../support/full.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { storeWaitingRuns } from '../support/waiting-runs.ts';
import { later, startWorld } from '../support/world.ts';

const folder = temporaryFolder('long-queue');

test('a service with 5,000 waiting runs starts, answers and stops', async () => {
  const dataDir = join(folder, 'service');
  await storeWaitingRuns(dataDir, 5000);
  const service = await startService(await serviceSettings(dataDir), () => {});
  const answer = await fetch(`${service.url}/v1/checks/${crypto.randomUUID()}`);
  expect(answer.status).toBe(404);
  await service.stop();
}, 60_000);

test('a wake that was repeated after failed writes has made every waiting run due', async () => {
  const runs = FULL ? 5000 : 1500;
  const dataDir = join(folder, 'engines');
  await storeWaitingRuns(dataDir, runs);
  await using world = await startWorld({}, { dataDir });
  const now = later(new Date(), 1);
  let writes = 0;
  const wake: typeof world.due.wake = async (due, at) => {
    if (++writes % 500 === 0) throw new Error('the disk is full');
    return world.due.wake(due, at);
  };
  const waking = (due: typeof world.due) => sweep({ ...world, due, now: () => now })({ wake: 'us-west1' });
  await expect(waking({ ...world.due, wake })).rejects.toThrow(`${runs / 500} open items of us-west1 were not woken`);
  await waking(world.due);
  expect(await world.due.list({ kind: 'us-west1', shard: 0 }, now, runs)).toHaveLength(runs);
}, 60_000);
