import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { sweep } from '../../functions/sweep.ts';
import type { Region } from '../../shared/regions.ts';
import { startSweeping } from '../support/sweeping.ts';
import { aCheck, later } from '../support/world.ts';

const MINUTE = 60;
const { world, emit, newTime, sweepAt } = await startSweeping();
const urls = JSON.parse(world.env.DEAD_LETTER_QUEUES as string) as Record<Region, string>;

const lose = (region: Region, body: string) =>
  world.sqs.send(new SendMessageCommand({ QueueUrl: urls[region], MessageBody: body }));
const created = async (now: Date, region: Region): Promise<RunItem> => {
  const [run] = (await world.create(aCheck({ now, regions: [region] }))) as [RunItem];
  return run;
};
const emitted = (name: string) => emit.mock.calls.filter(([each]) => each === name).map(([, value]) => value);

test('a sweep handles the dead letters of every region, and each makes its run due within a minute', async () => {
  const now = newTime();
  const runs = await Promise.all(
    Array.from({ length: 13 }, (_, nth) => created(now, nth < 12 ? 'us-east4' : 'europe-west3')),
  );
  for (const run of runs) await lose(run.region, JSON.stringify(jobOf(run)));
  await sweepAt(later(now, 2 * MINUTE));
  expect(emitted('JobsLost')).toEqual(runs.map(() => 1));
  expect(emitted('OpenPastDue')).toEqual([0]);
  for (const { checkId } of runs)
    expect(await world.runOf(checkId)).toMatchObject({
      state: 'created',
      sends: 0,
      dueAt: later(now, 3 * MINUTE).toISOString(),
    });
  await sweepAt(later(now, 3 * MINUTE));
  expect(emitted('JobsLost')).toHaveLength(13); // none was left
});

test('a dead letter that is no job is dropped and counted', async () => {
  const now = newTime();
  await lose('us-west1', '{ "checkId": 1');
  await sweepAt(now);
  expect(emitted('JobsLost')).toEqual([1]);
  await sweepAt(now);
  expect(emitted('JobsLost')).toEqual([1]);
});

test('a region whose dead letters can not be received delays no other region, and counts as left undone', async () => {
  const now = newTime();
  const run = await created(now, 'us-east4');
  await lose('us-east4', JSON.stringify(jobOf(run)));
  const deadLetters: typeof world.deadLetters = {
    ...world.deadLetters,
    receive: (region) =>
      region === 'us-west1' ? Promise.reject(new Error('no answer')) : world.deadLetters.receive(region),
  };
  await sweep({ ...world, deadLetters, now: () => now })({});
  expect(emitted('OpenPastDue')).toEqual([1]);
  expect(emitted('JobsLost')).toEqual([1]);
});

test('a dead letter that can not be handled stays, and a later sweep handles it', async () => {
  const now = newTime();
  const run = await created(now, 'us-east4');
  await lose('us-east4', JSON.stringify(jobOf(run)));
  const store = { ...world.store, findRunOfAnyOwner: () => Promise.reject(new Error('no answer')) };
  let removed = 0;
  const remove: typeof world.deadLetters.remove = async (...letter) => {
    removed++;
    await world.deadLetters.remove(...letter);
  };
  const deadLetters = { ...world.deadLetters, remove };
  await sweep({ ...world, store, deadLetters, now: () => now })({});
  expect([emitted('OpenPastDue'), emitted('JobsLost'), removed]).toEqual([[1], [], 0]);
});

test('a sweep counts the regions in which runs have waited for a quarter of an hour, and no others', async () => {
  const now = newTime();
  await created(now, 'us-east4');
  await created(now, 'europe-west3');
  const atWork = await created(now, 'asia-northeast1');
  await created(later(now, 10 * MINUTE), 'us-west1');
  for (const minutes of [1, 14]) await sweepAt(later(now, minutes * MINUTE));
  expect(emitted('RegionsLate')).toEqual([]);
  await world.claim(atWork, later(now, 15 * MINUTE));
  await sweepAt(later(now, 15 * MINUTE + 20));
  expect(emitted('RegionsLate')).toEqual([2]);
});

test('an audit that ends without an answer is counted once', async () => {
  const now = newTime();
  await world.claim(await created(now, 'us-east4'), now);
  await sweepAt(later(now, 80));
  await sweepAt(later(now, 3 * MINUTE));
  expect(emitted('AuditsLost')).toEqual([1]);
});
