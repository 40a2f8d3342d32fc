import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { closeLostRuns } from '../../functions/close-lost-runs.ts';
import * as logging from '../../functions/lib/log.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import type { Lease } from '../../functions/lib/store/leases.ts';
import { sweep } from '../../functions/sweep.ts';
import { aCheck, later, startWorld, type World } from '../support/world.ts';

const REGIONS = ['europe-west3', 'us-east4'] as const;
const MINUTE = 60;
const HOUR = 60 * MINUTE;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const emit = vi.spyOn(logging, 'emit');
/** What the alarms on runs that are given up are told. */
const givenUp = () => emit.mock.calls.filter(([name]) => name === 'RunsAbandoned');

/** Each test has a day of its own, so that what others left is never due in it. */
let day = Date.parse('2030-01-01T00:00:00.000Z');
let t0: Date;
beforeEach(() => {
  day -= 30 * 24 * HOUR * 1000;
  t0 = new Date(day);
  emit.mockClear();
});

const sweepAt = (
  now: Date,
  { store = {}, due = {} }: { store?: Partial<World['store']>; due?: Partial<World['due']> } = {},
) => sweep({ ...world, store: { ...world.store, ...store }, due: { ...world.due, ...due }, now: () => now })({});
const jobs = async () => (await Promise.all(REGIONS.map(world.jobsIn))).flat();
const runIds = (found: { runId: string }[]) => found.map(({ runId }) => runId).sort();
const claim = async (run: RunItem, now: Date): Promise<Lease> => {
  const lease = await world.leases.claim(run, randomUUID(), now);
  if (!lease) throw new Error('the run is taken');
  return lease;
};
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

test('a job that was not sent when its check was created is sent after a minute, not before', async () => {
  const check = aCheck({ now: t0 });
  await world.create(check);
  await sweepAt(later(t0, 59));
  expect(await jobs()).toEqual([]);
  await sweepAt(later(t0, 61));
  expect(runIds(await jobs())).toEqual(check.runs.map((run) => run.id).sort());
  await sweepAt(later(t0, 10 * MINUTE));
  expect(await jobs()).toEqual([]);
});

test('a job that waits in a long queue is sent again after one hour, then two more, and so on; after a day it is given up', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  await world.store.markSent(run, t0);
  await sweepAt(later(t0, HOUR - 1));
  expect(await jobs()).toEqual([]);
  await sweepAt(later(t0, HOUR + 1));
  expect(await jobs()).toHaveLength(1);
  await sweepAt(later(t0, 3 * HOUR - 10));
  expect(await jobs()).toEqual([]);
  for (const hours of [3, 7, 15]) {
    await sweepAt(later(t0, hours * HOUR + 10 * hours));
    expect(await jobs(), `after ${hours} hours`).toHaveLength(1);
  }
  await sweepAt(later(t0, 24 * HOUR));
  expect((await world.runOf(check.id)).state).toBe('created');

  expect(givenUp()).toEqual([]);
  await sweepAt(later(t0, 24 * HOUR + 1));
  expect(givenUp()).toEqual([['RunsAbandoned', 1, { region: 'us-east4' }]]);
  expect(await jobs()).toEqual([]);
  const given = await world.find(check.id);
  expect(given.runs[0]).toMatchObject({ state: 'failed', error: { code: 'abandoned', blame: 'service' } });
  expect(given.item.completedAt).not.toBeNull();
});

test('a run whose auditor was lost is sent again when its lease has ended, and given up after five', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  let now = t0;
  for (let lost = 1; lost <= 4; lost++) {
    await claim(await world.runOf(check.id), now);
    await sweepAt(later(now, 74));
    expect(await jobs(), `before lease ${lost} is over`).toEqual([]);
    now = later(now, 76);
    await sweepAt(now);
    expect(runIds(await jobs()), `after lost lease ${lost}`).toEqual([run.id]);
  }
  await claim(await world.runOf(check.id), now);
  expect(givenUp()).toEqual([]);
  await sweepAt(later(now, 76));
  expect(givenUp()).toEqual([['RunsAbandoned', 1, { region: 'us-east4' }]]);
  expect(await jobs()).toEqual([]);
  expect(await world.runOf(check.id)).toMatchObject({ state: 'failed', error: { code: 'abandoned' } });
});

test('an audit that finishes while the sweep looks at its lost lease keeps its result', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await claim(run, t0);
  const done = { state: 'succeeded' as const, attempts: [], performance: 98 };
  const now = later(t0, 76);
  await sweepAt(now, {
    store: {
      find: async (id) => {
        const seen = await world.store.find(id);
        await world.leases.finish(lease, done, now); // after the sweep has read the run, before it acts
        return seen;
      },
    },
  });
  expect(await jobs()).toEqual([]);
  expect(await world.runOf(check.id)).toMatchObject({ state: 'succeeded', performance: 98, lostLeases: 0 });
});

test('an audit that renews its lease between the index and the sweep is left alone', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await claim(run, t0);
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

test('two sweeps at once send a job once', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  await world.create(check);
  await Promise.all([sweepAt(later(t0, 61)), sweepAt(later(t0, 61)), sweepAt(later(t0, 61))]);
  expect(await jobs()).toHaveLength(1);
});

test('what a create that broke off left behind is cleared away, pointers and all', async () => {
  const check = aCheck({ now: t0 });
  const runs = await brokenCreate(check);
  await sweepAt(later(t0, 61));
  for (const run of runs) {
    expect(await world.store.findRun(run)).toBeUndefined();
    expect(await world.store.checkIdOfRun(run.id, 'anonymous')).toBeUndefined();
  }
  expect(await jobs()).toEqual([]);
});

test('a create that is repeated while its remains are cleared ends with all its runs', async () => {
  const check = aCheck({ now: t0 });
  await brokenCreate(check);
  const again = { ...check, createdAt: later(t0, 61).toISOString() };
  let repeated = false;
  await sweepAt(later(t0, 61), {
    due: {
      deleteOrphan: async (run) => {
        if (!repeated) {
          repeated = true;
          await world.create(again); // between the sweep's look and its act
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

test('runs that another create left under the same check are cleared, those of the check are not', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const stray = { ...aCheck({ now: t0, regions: ['europe-west3'] }), id: check.id };
  const [left] = (await brokenCreate(stray)) as [RunItem];
  await world.create(check);
  await sweepAt(later(t0, 61));
  expect(await world.store.findRun(left)).toBeUndefined();
  expect((await world.find(check.id)).runs).toHaveLength(1);
  expect(runIds(await jobs())).toEqual([check.runs[0]?.id]);
});

test('a check whose last run finished without closing it is closed', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await claim(run, t0);
  await finishWithoutClosing(lease);
  expect((await world.find(check.id)).item.completedAt).toBeNull();
  await sweepAt(later(t0, 5 * MINUTE - 1));
  expect((await world.find(check.id)).item.completedAt).toBeNull();
  await sweepAt(later(t0, 5 * MINUTE + 1));
  expect((await world.find(check.id)).item.completedAt).not.toBeNull();
});

test('a check that is not finished is looked at again at twice its age', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  await world.store.markSent(run, later(t0, 1));
  await sweepAt(later(t0, 6 * MINUTE));
  expect((await world.find(check.id)).item.dueAt).toBe(later(t0, 12 * MINUTE).toISOString());
});

test('waking a region makes its waiting runs due, and leaves those at work alone', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4', 'europe-west3'] });
  const [waiting, other] = (await world.create(check)) as [RunItem, RunItem];
  const busy = aCheck({ now: t0, regions: ['us-east4'] });
  const [atWork] = (await world.create(busy)) as [RunItem];
  await Promise.all([waiting, other].map((run) => world.store.markSent(run, t0)));
  await claim(atWork, t0);
  const now = later(t0, 10);
  await sweep({ ...world, now: () => now })({ wake: 'us-east4' });
  await sweepAt(now);
  expect(runIds(await jobs())).toContain(waiting.id);
  expect(runIds(await jobs())).not.toContain(other.id);
  expect((await world.runOf(busy.id)).lease).toBeDefined();
});

test('waking a region wakes all that wait, however many are found at a time', async () => {
  const checks = Array.from({ length: 5 }, () => aCheck({ now: t0, regions: ['asia-northeast1'] }));
  for (const check of checks) {
    const [run] = (await world.create(check)) as [RunItem];
    await world.store.markSent(run, t0);
  }
  const now = later(t0, 10);
  const list: World['due']['list'] = (of, until, _, from) => world.due.list(of, until, 2, from);
  await sweep({ ...world, due: { ...world.due, list }, now: () => now })({ wake: 'asia-northeast1' });
  await sweepAt(now);
  expect(runIds(await world.jobsIn('asia-northeast1'))).toEqual(checks.map((check) => check.runs[0]?.id).sort());
});

test('a dead letter of a run that has attempts left makes it due at once', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  await world.store.markSent(run, t0);
  await deadLetter(run, later(t0, 5 * MINUTE));
  expect(await world.runOf(check.id)).toMatchObject({ state: 'created', dueAt: later(t0, 5 * MINUTE).toISOString() });
  await sweepAt(later(t0, 5 * MINUTE));
  expect(runIds(await jobs())).toEqual([run.id]);
});

test('a dead letter of a run whose attempts are used up fails it', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await claim(run, t0);
  await world.leases.recordAttempt(lease, [1, 2, 3].map(attempt), t0);
  await deadLetter(run, later(t0, 2 * MINUTE));
  const found = await world.find(check.id);
  expect(found.runs[0]).toMatchObject({ state: 'failed', error: { code: 'abandoned' } });
  expect(found.item.completedAt).not.toBeNull();
  expect(givenUp()).toEqual([]); // dead letters have an alarm of their own, in the region of the audit
});

test('a dead letter while another delivery is at work changes nothing', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  const lease = await claim(run, t0);
  await world.leases.recordAttempt(lease, [1, 2, 3].map(attempt), t0);
  const before = await world.find(check.id);
  await deadLetter(run, later(t0, 30));
  expect(await world.find(check.id)).toEqual(before);
  expect(await world.leases.renew(lease, later(t0, 31))).toBe(true);
});

test('a dead letter of a finished run, or of none, is dropped', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = (await world.create(check)) as [RunItem];
  await world.leases.finish(await claim(run, t0), { state: 'succeeded', attempts: [], performance: 98 }, t0);
  const before = await world.find(check.id);
  await deadLetter(run, later(t0, HOUR));
  await deadLetter({ ...run, checkId: randomUUID() }, later(t0, HOUR));
  expect(await world.find(check.id)).toEqual(before);
});

const deadLetter = ({ id: runId, options, ...run }: RunItem, now: Date) =>
  closeLostRuns({ ...world, now: () => now })({ ...run, ...options, runId });

/** A create that wrote its runs and pointers, and died before its check. */
const brokenCreate = async (check: Parameters<World['create']>[0]): Promise<RunItem[]> => {
  const { runs } = check;
  const made = await world.create({ ...check, runs });
  await eraseCheckItem(check.id);
  return made;
};

const eraseCheckItem = async (checkId: string): Promise<void> => {
  const { DynamoDBClient, DeleteItemCommand } = await import('@aws-sdk/client-dynamodb');
  const Key = { pk: { S: `CHECK#${checkId}` }, sk: { S: 'CHECK' } };
  await new DynamoDBClient({}).send(new DeleteItemCommand({ TableName: world.env.TABLE_NAME, Key }));
};

/** A run that was finished by a process which died before it closed the check. */
const finishWithoutClosing = async ({ run }: Lease): Promise<void> => {
  const { DynamoDBClient, UpdateItemCommand } = await import('@aws-sdk/client-dynamodb');
  await new DynamoDBClient({}).send(
    new UpdateItemCommand({
      TableName: world.env.TABLE_NAME,
      Key: { pk: { S: `CHECK#${run.checkId}` }, sk: { S: `RUN#${run.id}` } },
      UpdateExpression: 'SET #state = :succeeded REMOVE #open, dueAt, #lease',
      ExpressionAttributeNames: { '#state': 'state', '#open': 'open', '#lease': 'lease' },
      ExpressionAttributeValues: { ':succeeded': { S: 'succeeded' } },
    }),
  );
};
