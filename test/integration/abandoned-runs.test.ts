import { beforeEach, expect, test } from 'vitest';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { sweep } from '../../functions/sweep.ts';
import { MAX_TRIES } from '../../shared/service/due-times.ts';
import { startSweeping } from '../support/sweeping.ts';
import { aCheck, later } from '../support/world.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

const { world, abandoned, deadLetter, newTime, sweepAt } = await startSweeping();
let t0: Date;
beforeEach(() => {
  t0 = newTime();
});

const jobs = () => world.jobsIn('us-east4');
const runIds = (found: { runId: string }[]) => found.map(({ runId }) => runId);
const sentFourTimes = async (run: RunItem): Promise<RunItem> => {
  let sent = run;
  for (let sends = 2; sends <= 4; sends++) sent = (await world.due.markSent(sent, t0)) as RunItem;
  return sent;
};

test('a lost job is resent after a minute, two hours, four more, and so on; after 23 hours its run is abandoned', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  await world.create(check);
  await sweepAt(later(t0, MINUTE - 1));
  expect(await jobs()).toEqual([]);
  const sent: number[] = [];
  for (let hours = 0; hours < 23; hours++) {
    await sweepAt(later(t0, MINUTE + hours * HOUR + hours));
    if ((await jobs()).length > 0) sent.push(hours);
  }
  expect(sent).toEqual([0, 2, 6, 14]);
  expect(await world.runOf(check.id)).toMatchObject({ state: 'created', tries: 23 });

  expect(abandoned()).toEqual([]);
  await sweepAt(later(t0, MINUTE + 23 * HOUR + 23));
  expect(abandoned()).toEqual([['RunsAbandoned', 1, {}]]);
  expect(await jobs()).toEqual([]);
  const abandonedCheck = await world.find(check.id);
  expect(abandonedCheck.runs[0]).toMatchObject({ state: 'failed', error: { code: 'abandoned', blame: 'service' } });
  expect(abandonedCheck.item.completedAt).not.toBeNull();
});

test.each([
  ['a service that was stopped for 26 hours', { wake: 'all' as const, dropLeases: true }],
  ['a clock that was set forward by 26 hours', undefined],
])(
  '%s abandons no run, however often it happens',
  async (_, wake) => {
    const check = aCheck({ now: t0, regions: ['us-east4'] });
    const [run] = (await world.create(check)) as [RunItem];
    for (let times = 1; times <= (wake ? MAX_TRIES + 2 : 3); times++) {
      const now = later(t0, 26 * HOUR + (wake ? times * MINUTE : times * 26 * HOUR));
      if (wake) await sweep({ ...world, now: () => now })(wake);
      await sweepAt(now);
      const sent = (await jobs()).filter(({ runId }) => runId === run.id);
      expect(sent, `time ${times}`).toHaveLength(wake || times !== 2 ? 1 : 0);
    }
    expect(await world.runOf(check.id)).toMatchObject({ state: 'created', attempts: [] });
  },
  60_000,
);

test('a clock that is set forward by 25 hours ends no audit', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await world.claim(run, t0);
  const now = later(t0, 25 * HOUR);
  await sweepAt(now);
  expect(await world.leases.renew(lease, later(now, 15))).toBe(true);
  await sweepAt(later(now, 31));
  expect(await world.runOf(check.id)).toMatchObject({ state: 'running', lostLeases: 0, lease: { id: lease.id } });
  expect(await jobs()).toEqual([]);
});

test('a lease that was lost while no sweep ran is handled by the second sweep', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  await world.claim(run, t0);
  await sweepAt(later(t0, HOUR));
  expect(await jobs()).toEqual([]);
  await sweepAt(later(t0, HOUR + 31));
  expect(runIds(await jobs())).toEqual([run.id]);
  expect(await world.runOf(check.id)).toMatchObject({ lostLeases: 1 });
});

test('the job of a run whose worker had no time left is sent at once', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await world.claim(await sentFourTimes(run), t0);
  await world.leases.release(lease, later(t0, 50));
  await sweepAt(later(t0, 50));
  expect(runIds(await jobs())).toEqual([run.id]);
});

test('a region without a queue abandons its runs after 24 tries over 18 hours', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  await world.due.postpone(run, later(t0, MINUTE), { sends: 0 }); // its create could not send the job
  const missing = () => Promise.reject(new Error('AUDIT_QUEUES has no queue for region us-east4'));
  const queues = { send: missing, count: missing };
  let now = later(t0, 61);
  for (let tries = 0; tries < 24; tries++) {
    await sweep({ ...world, queues, now: () => now })({});
    const { state, dueAt = '' } = await world.runOf(check.id);
    expect(state).toBe('created');
    now = new Date(dueAt);
  }
  expect(now.getTime() - t0.getTime()).toBeGreaterThan(18 * HOUR * 1000);
  await sweep({ ...world, queues, now: () => now })({});
  expect(await world.runOf(check.id)).toMatchObject({ state: 'failed', error: { code: 'abandoned' } });
});

test('dead letters make a run with attempts left due after growing times, and 24 of them abandon it', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  for (let now = later(t0, 5 * MINUTE), tries = 1; tries < 24; tries++) {
    await deadLetter(run, now);
    now = later(now, Math.min(2 ** (tries - 1), 60) * MINUTE);
    expect(await world.runOf(check.id)).toMatchObject({ state: 'created', dueAt: now.toISOString(), tries });
    await sweepAt(now);
    expect(runIds(await jobs())).toEqual([run.id]);
  }
  await deadLetter(run, later(t0, 24 * HOUR));
  await sweepAt(later(t0, 25 * HOUR));
  expect(await world.runOf(check.id)).toMatchObject({ state: 'failed', error: { code: 'abandoned' } });
});
