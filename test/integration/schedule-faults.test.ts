import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { checkCreator, createDeps } from '../../functions/lib/checks/create-check.ts';
import { log } from '../../functions/lib/log.ts';
import type { Due } from '../../functions/lib/store/due.ts';
import { openDb } from '../../functions/lib/store/dynamodb.ts';
import { listStore } from '../../functions/lib/store/lists.ts';
import type { ScheduleItem } from '../../functions/lib/store/schedule-items.ts';
import { scheduleStore } from '../../functions/lib/store/schedules.ts';
import { fireSchedule } from '../../functions/lib/sweep/fire-schedule.ts';
import { schedules } from '../../functions/schedules.ts';
import { sweep } from '../../functions/sweep.ts';
import { CreateEnv } from '../../shared/service/env.ts';
import { startFaultyTable } from '../support/faulty-table.ts';
import { later } from '../support/world.ts';

const { world, dynamodb } = await startFaultyTable();
for (const level of ['error', 'warn'] as const) vi.spyOn(log, level).mockReturnValue();
const env = CreateEnv.parse(process.env);
const targets = { targets: 'public' as const, ports: [443] };
const secrets = { headers: { 'x-preview': 'secret' } };
const body = {
  name: 'home',
  every: '1d',
  check: { url: 'https://example.com/', auditVersion: 'latest', regions: ['us-west1', 'us-east4'], ...secrets },
};
const newSecrets = { headers: { 'x-preview': 'new' } };
const edited = { check: { ...body.check, url: 'https://example.com/new', ...newSecrets } };
const DAY = 24 * 3600;
/** Writes of a schedule: its create, one check in two regions, its next time, and its end. */
const WRITES = 18;
let month = 600; // counts down, so that the schedules of earlier cases are not due

/** A service whose requests to the table have faults, with one schedule. */
const startSchedule = () => {
  const owner = `o-${randomUUID()}`;
  const t0 = new Date(Date.UTC(2020, month--, 1));
  const db = openDb(env, world.secrets);
  const store = scheduleStore(db);
  const ids = new Set<string>();
  const newId = () => [...ids.add(randomUUID())].at(-1) as string;
  const call = (seconds: number, method: string, scheduleId?: string) =>
    schedules({
      store,
      secrets: world.secrets,
      regions: ['us-west1', 'us-east4'],
      targets,
      newId,
      now: () => later(t0, seconds),
    })({
      owner,
      requestId: 'r',
      method,
      path: '/v1/schedules',
      params: { scheduleId },
      query: {},
      headers: {},
      body: method === 'POST' ? body : method === 'PATCH' ? edited : undefined,
    });
  const creates = createDeps(env, db, world.secrets);
  const sweepAt = (seconds: number) =>
    sweep({ ...world, schedules: store, creates, now: () => later(t0, seconds) })({}).catch(() => {});
  const checks = async () => (await listStore(world.db).checks(owner, {}, 100, t0)).entries;
  const stored = async () =>
    (await Promise.all([...ids].map((id) => world.secrets.get(`schedule-secrets/${id}`)))).filter(Boolean).length;
  return { call, sweepAt, checks, stored, find: () => world.schedules.list(owner), t0 };
};

test.each([
  ['loses the answer', 4, (n: number) => dynamodb.loseResponseOf(n)],
  ['fails from it on', 6, (n: number) => dynamodb.failAfter(n - 1)],
])('a schedule makes one check a time, and leaves nothing, if the table %s of any write', async (_, step, breaks) => {
  for (let n = 2; n <= WRITES; n += step) {
    // the second write shows a schedule whose secrets are stored
    const { call, sweepAt, checks, stored, find, t0 } = startSchedule();
    breaks(n);
    await call(0, 'POST').catch(() => {});
    await sweepAt(DAY);
    await sweepAt(DAY + 30);
    dynamodb.heal();
    await sweepAt(DAY + 90);
    await sweepAt(DAY + 180);
    const [schedule] = await find();
    if (schedule) {
      expect(await checks(), `write ${n}`).toHaveLength(1);
      expect(schedule.last, `write ${n}`).toMatchObject({ scheduledFor: later(t0, DAY).toISOString(), error: null });
      expect(schedule.nextAt, `write ${n}`).toBe(later(t0, 2 * DAY).toISOString());
    }
    expect(await stored(), `write ${n}`).toBe(schedule ? 1 : 0);
  }
});

test('a schedule whose deletion ends at any write is erased by the sweeper, with its secrets', async () => {
  for (let n = 0; n < 3; n++) {
    const { call, sweepAt, stored, find } = startSchedule();
    await call(0, 'POST');
    const [schedule] = await find();
    dynamodb.failAfter(n);
    await call(10, 'DELETE', schedule?.id).catch(() => {});
    dynamodb.heal();
    expect(await find(), `write ${n}`).toHaveLength(n === 0 ? 1 : 0);
    if (n === 0) continue; // the client sees the failure, and repeats the deletion
    await sweepAt(90);
    expect(await stored()).toBe(0);
    await sweepAt(2 * DAY);
    expect(await find()).toEqual([]);
  }
});

test('an edit that ends at any write leaves the old check or the new one, and no secrets after the deletion', async () => {
  for (let n = 0; n < 4; n++) {
    const { call, stored, find } = startSchedule();
    await call(0, 'POST');
    const [schedule] = await find();
    dynamodb.failAfter(n);
    await call(10, 'PATCH', schedule?.id).catch(() => {});
    dynamodb.heal();
    const [edited] = await find();
    const values = await world.secrets.get(edited?.secretsKey as string);
    const isNew = JSON.parse(edited?.body ?? '').url.endsWith('new');
    expect(values, `write ${n}`).toEqual(isNew ? newSecrets : secrets);
    expect(isNew).toBe(n >= 2);
    const keys = [edited?.secretsKey, ...(edited?.spareSecrets ?? [])];
    await call(20, 'DELETE', schedule?.id);
    for (const key of keys) expect(await world.secrets.get(key as string), `write ${n}`).toBeUndefined();
    expect(await stored()).toBe(0);
  }
});

test.each([
  ['pause', (each: ScheduleItem, now: Date) => world.schedules.pause(each, now), undefined],
  [
    'edit',
    (each: ScheduleItem, now: Date) => world.schedules.edit(each, { every: '2d', next: later(now, DAY) }),
    2 * DAY,
  ],
])('a %s while a check is made is not undone', async (_, act, next) => {
  const { call, find, t0 } = startSchedule();
  await call(0, 'POST');
  const now = later(t0, DAY);
  const checkId = randomUUID();
  const createCheck = async () => {
    await act((await find())[0] as ScheduleItem, now);
    return { status: 201, body: { id: checkId } };
  };
  const [due] = await world.due.list({ kind: 'schedules', shard: 0 }, now, 10, now);
  await fireSchedule({ ...world, createCheck, now: () => now }, due as Due);
  const [schedule] = (await find()) as [ScheduleItem];
  expect(schedule.nextAt).toBe(next && later(t0, next).toISOString());
  expect(schedule.dueAt).toBe(schedule.nextAt);
  expect(schedule.last?.checkId).toBe(checkId);
});

test('a sweep that stood still for a day adds no second check, and moves neither the next time nor the last result back', async () => {
  const { call, sweepAt, checks, find, t0 } = startSchedule();
  await call(0, 'POST');
  let resume = () => {};
  let seconds = DAY;
  const now = () => later(t0, seconds);
  const creates = { ...createDeps(env, world.db, world.secrets), now };
  const slow = checkCreator({
    ...creates,
    store: {
      ...world.store,
      findOrErased: async (...of) => {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
        return world.store.findOrErased(...of);
      },
    },
  });
  const [due] = await world.due.list({ kind: 'schedules', shard: 0 }, later(t0, DAY), 10, later(t0, DAY));
  const standing = fireSchedule({ ...world, createCheck: slow, now }, due as never);
  await vi.waitFor(() => expect(resume.toString()).not.toBe('() => {}'));
  await sweepAt(DAY + 61);
  await sweepAt(2 * DAY);
  const [before] = await find();
  seconds = 2 * DAY;
  resume();
  await standing;
  expect(await checks()).toHaveLength(2);
  expect(await find()).toEqual([before]);
  expect(before).toMatchObject({
    nextAt: later(t0, 3 * DAY).toISOString(),
    last: { scheduledFor: later(t0, 2 * DAY).toISOString() },
  });
});
