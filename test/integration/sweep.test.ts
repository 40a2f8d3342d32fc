import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test, vi } from 'vitest';
import { clientSettings } from '../../functions/lib/aws-client.ts';
import { ifState, type RunItem, updateRun } from '../../functions/lib/store/items.ts';
import { sweep } from '../../functions/sweep.ts';
import type { AuditJob } from '../../shared/service/audit-job.ts';
import { startSweeping } from '../support/sweeping.ts';
import { aCheck, later, type World } from '../support/world.ts';

const REGIONS = ['europe-west3', 'us-east4'] as const;
const MINUTE = 60;
const HOUR = 60 * MINUTE;

const { world, abandoned, deadLetter, emit, newTime, sweepAt } = await startSweeping();
let t0: Date;
beforeEach(() => {
  t0 = newTime();
});

const jobs = async () => (await Promise.all(REGIONS.map(world.jobsIn))).flat();
const runIds = (found: { runId: string }[]) => found.map(({ runId }) => runId).sort();
const attempt = (number: number) => {
  const at = t0.toISOString();
  return {
    number,
    startedAt: at,
    finishedAt: at,
    seconds: 1,
    code: 'browser-crashed' as const,
    auditCode: null,
    contended: false,
  };
};

test('a job that its create did not send is sent after a minute', async () => {
  const check = aCheck({ now: t0 });
  await world.create(check);
  await sweepAt(later(t0, 59));
  expect(await jobs()).toEqual([]);
  await sweepAt(later(t0, 61));
  expect(runIds(await jobs())).toEqual(check.runs.map((run) => run.id).sort());
  await sweepAt(later(t0, 10 * MINUTE));
  expect(await jobs()).toEqual([]);
});

test('a job is resent after each lost lease, and its run is abandoned after five', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  let now = t0;
  for (let lost = 1; lost <= 4; lost++) {
    await world.claim(await world.runOf(check.id), now);
    await sweepAt(later(now, 74));
    expect(await jobs(), `before lease ${lost} is over`).toEqual([]);
    now = later(now, 76);
    await sweepAt(now);
    expect(runIds(await jobs()), `after lost lease ${lost}`).toEqual([run.id]);
  }
  await world.claim(await world.runOf(check.id), now);
  expect(abandoned()).toEqual([]);
  await sweepAt(later(now, 76));
  expect(abandoned()).toEqual([['RunsAbandoned', 1, {}]]);
  expect(await jobs()).toEqual([]);
  expect(await world.runOf(check.id)).toMatchObject({ state: 'failed', error: { code: 'abandoned' } });
});

test('a run that finishes while the sweep looks at its lost lease keeps its result', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await world.claim(run, t0);
  const done = { state: 'succeeded' as const, attempts: [], performance: 98 };
  const now = later(t0, 76);
  await sweepAt(now, {
    due: {
      isListed: async (held) => {
        const listed = await world.due.isListed(held);
        await world.leases.finish(lease, done, now); // between the sweep's read and its write
        return listed;
      },
    },
  });
  expect(await jobs()).toEqual([]);
  expect(await world.runOf(check.id)).toMatchObject({ state: 'succeeded', performance: 98, lostLeases: 0 });
});

test('a sweep does not touch a run whose lease was renewed after it was listed', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await world.claim(run, t0);
  const now = later(t0, 76);
  await sweepAt(now, {
    due: {
      hold: async (due, at) => {
        await world.leases.renew(lease, now);
        return world.due.hold(due, at);
      },
    },
  });
  expect(await jobs()).toEqual([]);
  expect(await world.leases.renew(lease, now)).toBe(true);
});

test('concurrent sweeps send a job once', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  await world.create(check);
  await Promise.all([sweepAt(later(t0, 61)), sweepAt(later(t0, 61)), sweepAt(later(t0, 61))]);
  expect(await jobs()).toHaveLength(1);
});

test('a region whose queue does not respond delays no other region', async () => {
  const check = aCheck({ now: t0, regions: [...REGIONS] });
  await world.create(check);
  const respond = Promise.withResolvers<void>();
  const send = vi.fn(async (job: AuditJob) => {
    if (job.region === 'us-east4') await respond.promise;
    await world.queues.send(job);
  });
  const sweeping = sweep({ ...world, queues: { ...world.queues, send }, now: () => later(t0, 61) })({});
  await expect.poll(() => world.jobsIn('europe-west3')).toHaveLength(1);
  expect(await world.jobsIn('us-east4')).toEqual([]);
  respond.resolve();
  await sweeping;
  expect(await world.jobsIn('us-east4')).toHaveLength(1);
});

test('a sweep without time left begins no item and counts each as past due', async () => {
  await world.create(aCheck({ now: t0, regions: ['us-east4'] }));
  await sweep({ ...world, now: () => later(t0, 61), budgetMs: 0 })({});
  expect(await jobs()).toEqual([]);
  expect(emit).toHaveBeenCalledWith('OpenPastDue', 1, {});
});

test('a region whose index can not be read fails the sweep after the other regions', async () => {
  const check = aCheck({ now: t0, regions: ['europe-west3'] });
  await world.create(check);
  const list: World['due']['list'] = async (partition, ...more) => {
    if (partition.kind === 'us-west1') throw new Error('connection lost');
    return world.due.list(partition, ...more);
  };
  await expect(sweepAt(later(t0, 61), { due: { list } })).rejects.toThrow('connection lost');
  expect(await jobs()).toHaveLength(1);
  expect(emit).not.toHaveBeenCalledWith('SweepDone', 1, {});
});

test('the runs and pointers of a failed create are deleted', async () => {
  const check = aCheck({ now: t0 });
  const runs = await failedCreate(check);
  await sweepAt(later(t0, 61));
  for (const run of runs) {
    expect(await world.store.findRunOfAnyOwner(run)).toBeUndefined();
    expect(await world.store.checkIdOfRun(run.id, 'anonymous')).toBeUndefined();
  }
  expect(await jobs()).toEqual([]);
});

test('an orphan that a repeated create has taken over without writing its pointer is deleted with the pointer', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await failedCreate(check)) as [RunItem];
  await updateRun(world.db, run, { set: { createId: randomUUID() }, ...ifState('created') });
  await sweepAt(later(t0, 61));
  expect(await world.store.findRunOfAnyOwner(run)).toBeUndefined();
  expect(await world.store.checkIdOfRun(run.id, 'anonymous')).toBeUndefined();
});

test('a create that is repeated while its orphans are deleted has all its runs', async () => {
  const check = aCheck({ now: t0 });
  await failedCreate(check);
  const again = { ...check, createdAt: later(t0, 61).toISOString() };
  let repeated = false;
  await sweepAt(later(t0, 61), {
    due: {
      deleteOrphan: async (run) => {
        if (!repeated) {
          repeated = true;
          await world.create(again); // between the sweep's read and its write
        }
        await world.due.deleteOrphan(run);
      },
    },
  });
  expect(repeated).toBe(true);
  const found = await world.find(check.id);
  expect(found.runs.map((run) => run.id)).toEqual(check.runs.map((run) => run.id));
  for (const run of found.runs) expect(await world.store.checkIdOfRun(run.id, 'anonymous')).toBe(check.id);
});

test('orphans of another create with the same check id are deleted, but not the runs of the check', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const stray = { ...aCheck({ now: t0, regions: ['europe-west3'] }), id: check.id };
  const [left] = (await failedCreate(stray)) as [RunItem];
  await world.create(check);
  await sweepAt(later(t0, 61));
  expect(await world.store.findRunOfAnyOwner(left)).toBeUndefined();
  expect((await world.find(check.id)).runs).toHaveLength(1);
  expect(runIds(await jobs())).toEqual([check.runs[0]?.id]);
});

test('waking a region makes its waiting runs due, but not those at work', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4', 'europe-west3'] });
  const [waiting, other] = (await world.create(check)) as [RunItem, RunItem];
  const busy = aCheck({ now: t0, regions: ['us-east4'] });
  const [atWork] = (await world.create(busy)) as [RunItem];
  await Promise.all([waiting, other].map((run) => world.due.markSent(run, t0)));
  await world.claim(atWork, t0);
  const now = later(t0, 10);
  await sweep({ ...world, now: () => now })({ wake: 'us-east4' });
  await sweepAt(now);
  expect(runIds(await jobs())).toContain(waiting.id);
  expect(runIds(await jobs())).not.toContain(other.id);
  expect((await world.runOf(busy.id)).lease).toBeDefined();
});

test('waking a region wakes all waiting runs over several pages', async () => {
  const checks = Array.from({ length: 5 }, () => aCheck({ now: t0, regions: ['asia-northeast1'] }));
  for (const check of checks) {
    const [run] = (await world.create(check)) as [RunItem];
    await world.due.markSent(run, t0);
  }
  const now = later(t0, 10);
  const list: World['due']['list'] = (of, until, _, from) => world.due.list(of, until, 2, from);
  await sweep({ ...world, due: { ...world.due, list }, now: () => now })({ wake: 'asia-northeast1' });
  await sweepAt(now);
  expect(runIds(await world.jobsIn('asia-northeast1'))).toEqual(checks.map((check) => check.runs[0]?.id).sort());
});

test('a start after a kill drops every lease, so that the next sweep resends its job; each kill counts as a lost lease', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  for (let kills = 1; kills <= 5; kills++) {
    const startedAt = later(t0, 10 * kills);
    await world.claim(await world.runOf(check.id), later(startedAt, -1));
    await sweep({ ...world, now: () => startedAt })({ wake: 'all', dropLeases: true });
    await sweepAt(startedAt);
    expect(await world.runOf(check.id)).toMatchObject({ state: kills < 5 ? 'running' : 'failed', lostLeases: kills });
    expect(runIds(await jobs())).toEqual(kills < 5 ? [run.id] : []);
  }
  expect((await world.runOf(check.id)).error?.code).toBe('abandoned');
});

test('a dead letter fails a run that has no attempts left', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await world.claim(run, t0);
  await world.leases.recordAttempt(lease, { attempts: [1, 2, 3].map(attempt), samples: [] });
  await deadLetter(run, later(t0, 2 * MINUTE));
  const found = await world.find(check.id);
  expect(found.runs[0]).toMatchObject({ state: 'failed', error: { code: 'abandoned' } });
  expect(found.item.completedAt).not.toBeNull();
  expect(abandoned()).toHaveLength(1);
});

test('a dead letter changes nothing while another delivery is at work', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await world.claim(run, t0);
  await world.leases.recordAttempt(lease, { attempts: [1, 2, 3].map(attempt), samples: [] });
  const before = await world.find(check.id);
  await deadLetter(run, later(t0, 30));
  expect(await world.find(check.id)).toEqual(before);
  expect(await world.leases.renew(lease, later(t0, 31))).toBe(true);
});

test('a dead letter of a finished or unknown run is dropped', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  await world.leases.finish(await world.claim(run, t0), { state: 'succeeded', attempts: [], performance: 98 }, t0);
  const before = await world.find(check.id);
  await deadLetter(run, later(t0, HOUR));
  await deadLetter({ ...run, checkId: randomUUID() }, later(t0, HOUR));
  expect(await world.find(check.id)).toEqual(before);
});

/** Creates runs and pointers without their check, like a create that failed before its last write. */
const failedCreate = async (check: Parameters<World['create']>[0]): Promise<RunItem[]> => {
  const { runs } = check;
  const created = await world.create({ ...check, runs });
  await deleteCheckItem(check.id);
  return created;
};

const deleteCheckItem = async (checkId: string): Promise<void> => {
  const { DynamoDBClient, DeleteItemCommand } = await import('@aws-sdk/client-dynamodb');
  const Key = { pk: { S: `CHECK#${checkId}` }, sk: { S: 'CHECK' } };
  await new DynamoDBClient(clientSettings()).send(new DeleteItemCommand({ TableName: world.env.TABLE_NAME, Key }));
};
