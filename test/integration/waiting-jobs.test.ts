import { beforeEach, expect, test, vi } from 'vitest';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { sweep } from '../../functions/sweep.ts';
import { startSweeping } from '../support/sweeping.ts';
import { aCheck, later } from '../support/world.ts';

const HOUR = 3600;
const region = 'asia-northeast1';

const { world, emit, newTime } = await startSweeping();
let t0: Date;
beforeEach(() => {
  t0 = newTime();
});

/** Creates a run some seconds after t0, whose create has sent its job. */
const sentAt = async (seconds: number): Promise<RunItem> => {
  const [run] = await world.create(aCheck({ now: later(t0, seconds), regions: [region] }));
  if (!run) throw new Error('the check has no run');
  return run;
};
/** Sweeps, with a queue that holds these numbers of jobs. Returns the runs whose jobs were sent again. */
const sweepAt = async (seconds: number, jobs: { waiting: number; received?: number }): Promise<string[]> => {
  const sent: string[] = [];
  const send = async ({ runId }: { runId: string }) => void sent.push(runId);
  const count = vi.fn(async () => ({ received: 0, ...jobs }));
  await sweep({ ...world, queues: { send, count }, now: () => later(t0, seconds) })({});
  expect(count.mock.calls.length).toBeLessThanOrEqual(1); // the queue is asked once a sweep
  return sent.sort();
};
const stored = async (run: RunItem) => world.runOf(run.checkId);
/** Lets a worker hold a run at a time: it renews the lease until then. */
const holdUntil = async (run: RunItem, seconds: number) => {
  const lease = await world.claim(run, later(t0, seconds - 40));
  await world.leases.renew(lease, later(t0, seconds - 10));
};

test('a job that waits behind older jobs is not sent again, and each hour counts as a try', async () => {
  const older = await sentAt(0);
  const run = await sentAt(600);
  await holdUntil(older, HOUR + 601);
  expect(await sweepAt(HOUR + 601, { waiting: 5000, received: 1 })).toEqual([]);
  expect(await stored(run)).toMatchObject({
    state: 'created',
    sends: 1,
    tries: 1,
    dueAt: later(t0, 2 * HOUR + 601).toISOString(),
  });
});

test('a job is sent again once the workers have jobs that were sent well after it', async () => {
  const run = await sentAt(0);
  const younger = await sentAt(600);
  await holdUntil(younger, HOUR + 1);
  expect(await sweepAt(HOUR + 1, { waiting: 5000, received: 1 })).toEqual([run.id]);
});

test('a queue keeps the order only roughly: a job is not sent again because of one that was sent a minute later', async () => {
  await sentAt(0);
  const younger = await sentAt(60);
  await holdUntil(younger, HOUR + 1);
  expect(await sweepAt(HOUR + 1, { waiting: 5000, received: 1 })).toEqual([]);
});

test('a job is sent again if the queue is empty, whatever the workers have', async () => {
  const older = await sentAt(0);
  const run = await sentAt(600);
  await holdUntil(older, HOUR + 601);
  expect(await sweepAt(HOUR + 601, { waiting: 0, received: 1 })).toEqual([run.id]);
});

test('a paused region gets no job again, and its runs are abandoned after a day', async () => {
  const run = await sentAt(0);
  for (let hour = 1; hour < 24; hour++) expect(await sweepAt(hour * (HOUR + 1), { waiting: 1 })).toEqual([]);
  expect(await stored(run)).toMatchObject({ state: 'created', sends: 1, tries: 23 });
  expect(emit.mock.calls.map(([name]) => name)).not.toContain('RunsAbandoned');
  await sweepAt(24 * (HOUR + 1), { waiting: 1 });
  expect(await stored(run)).toMatchObject({ state: 'failed', error: { code: 'abandoned' } });
});

test('a job that a poller has received, but no worker holds, counts as waiting', async () => {
  await sentAt(0);
  expect(await sweepAt(HOUR + 1, { waiting: 0, received: 1 })).toEqual([]);
});

test('of many waiting jobs, each costs one write, and a lost lease between them is found in the same sweep', async () => {
  const runs: RunItem[] = [];
  for (let i = 0; i < 30; i++) runs.push(await sentAt(i));
  const lost = runs.pop() as RunItem;
  await world.claim(lost, later(t0, HOUR + 20 - 76)); // its lease ended a moment ago
  const send = vi.spyOn(world.db.client, 'send');
  expect(await sweepAt(HOUR + 40, { waiting: 29 })).toEqual([lost.id]);
  const writes = send.mock.calls.filter(([command]) => command.constructor.name === 'UpdateCommand');
  send.mockRestore();
  const ofOne = (run: RunItem) => writes.filter(([{ input }]) => JSON.stringify(input).includes(run.id)).length;
  expect(runs.filter((run) => ofOne(run) > 1).length).toBeLessThanOrEqual(7); // those that began before the queue was asked
  for (const run of runs) expect(await stored(run)).toMatchObject({ sends: 1, tries: 1 });
});

test('the embedded queue counts its jobs, waiting and received', async () => {
  const [run] = await world.create(aCheck({ now: t0, regions: ['europe-north1'] }));
  if (!run) throw new Error('the check has no run');
  expect(await world.queues.count('europe-north1')).toEqual({ waiting: 0, received: 0 });
  await world.queues.send(jobOf(run));
  expect(await world.queues.count('europe-north1')).toEqual({ waiting: 1, received: 0 });
  const { ReceiveMessageCommand } = await import('@aws-sdk/client-sqs');
  await world.sqs.send(new ReceiveMessageCommand({ QueueUrl: world.urls['europe-north1'] }));
  expect(await world.queues.count('europe-north1')).toEqual({ waiting: 0, received: 1 });
});
