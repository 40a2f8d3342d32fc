import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, test, vi } from 'vitest';
import type { checkCreator } from '../../functions/lib/checks/create-check.ts';
import { log } from '../../functions/lib/log.ts';
import { nextTime } from '../../functions/lib/schedules/schedule-times.ts';
import { dueStore } from '../../functions/lib/store/due.ts';
import { type Db, updateItem } from '../../functions/lib/store/dynamodb.ts';
import { ifExists } from '../../functions/lib/store/expressions.ts';
import type { ScheduleItem } from '../../functions/lib/store/schedule-items.ts';
import { type ScheduleStore, scheduleStore } from '../../functions/lib/store/schedules.ts';
import { fireSchedule } from '../../functions/lib/sweep/fire-schedule.ts';
import { ApiProblemError } from '../../shared/problems.ts';
import { intervalMs } from '../../shared/schedules.ts';
import { memoryTable } from './memory-table.ts';
import { type Random, seededRandom } from './random.ts';

/*
 * A schedule under faults, while its owner pauses, resumes and edits it. The sweeper dies, stands still or runs twice at once,
 * and the clock steps. The table cuts requests and loses answers, and creates fail. Each due time has at most one check, each
 * passed time is recorded, and a paused schedule has none.
 */

const MINUTE = 60_000;
const T0 = Date.parse('2031-01-01T00:00:00.000Z');
const STEPS = 150;
const SEEDS = 60;
const owner = 'acme';
for (const level of ['error', 'warn'] as const) vi.spyOn(log, level).mockReturnValue();

type Fire = Omit<ScheduleStore, 'create'>;
/** Breaks a rule on purpose. */
type Defect = (store: Fire, db: Db) => Partial<Fire>;

/** Returns a view of the table that cuts requests, loses answers, and answers no more after the death of its process. */
const faulty = (db: Db, random: Random, isCalm: () => boolean): Db => {
  let isDead = false;
  const send = async (command: never): Promise<unknown> => {
    const fault = isDead ? 'dead' : isCalm() ? 'none' : random.weighted({ none: 90, cut: 3, lost: 4, dead: 3 });
    isDead = fault === 'dead';
    if (fault === 'cut' || fault === 'dead') throw new Error(fault);
    const answer = await db.client.send(command);
    if (fault === 'lost') throw new Error('the answer is lost');
    return answer;
  };
  return { ...db, client: Object.create(DynamoDBDocumentClient.prototype, { send: { value: send } }) };
};

/** Runs a schedule for some hours. Returns the first broken promise. */
const simulate = async (seed: number, defect?: Defect): Promise<string | undefined> => {
  const random = seededRandom(seed);
  const table = memoryTable(1);
  const calm = scheduleStore(table.db);
  let [now, latest, isCalm] = [T0, T0, false];
  const broken: string[] = [];
  const promise = (holds: boolean, what: string) => void (holds || broken.push(`${what}, seed ${seed}`));
  const clock = () => new Date(now);
  const intervals = ['5m', '7m', '1h'];
  const first = {
    id: random.uuid(),
    owner,
    name: 'home',
    every: random.pick(intervals),
    body: '{}',
    secretNames: '{}',
  };
  const nextAt = nextTime(first.every, clock(), clock()).toISOString();
  await calm.create({ ...first, createdAt: clock().toISOString(), nextAt }, 5, undefined, clock());
  const read = async () => (await calm.find(owner, first.id)) as ScheduleItem;

  const used = new Set([first.every]);
  const isDueTime = (time: number) => [...used].some((every) => (time - T0) % (intervalMs(every) as number) === 0);
  const checks = new Map<string, string>();
  const createCheck: ReturnType<typeof checkCreator> = async ({ key = '' }) => {
    const time = key.split('\n')[2] ?? '';
    promise(isDueTime(Date.parse(time)), `a check at ${time}, which is no due time`);
    promise(Date.parse(time) <= latest, `a check at ${time}, before its time`);
    const outcome = isCalm ? 'created' : random.weighted({ created: 70, refused: 10, failed: 10, lost: 10 });
    if (outcome === 'failed') throw new Error('the create failed');
    if (outcome === 'refused' && !checks.has(key)) throw new ApiProblemError('too-many-requests', 'Later.');
    checks.set(key, checks.get(key) ?? random.uuid());
    if (outcome === 'lost') throw new Error('the answer is lost');
    return { status: 201, body: { id: checks.get(key) as string } };
  };

  const sweepOnce = async (): Promise<void> => {
    const db = faulty(table.db, random, () => isCalm);
    const store = { ...scheduleStore(db), ...defect?.(scheduleStore(db), db) };
    const hold: Fire['hold'] = async (...call) => {
      const held = await store.hold(...call);
      promise(!held?.pausedAt, `a check of a schedule that was paused at ${held?.pausedAt}`);
      return held;
    };
    const deps = { schedules: { ...store, hold }, secrets: { get: async () => undefined }, createCheck, now: clock };
    const listed = await dueStore(db)
      .list({ kind: 'schedules', shard: 0 }, clock(), 10)
      .catch(() => []);
    for (const due of listed) await fireSchedule(deps, due).catch(() => {});
  };
  const changeOnce = async (): Promise<void> => {
    const schedule = await read();
    const act = random.weighted({ pause: 2, resume: 6, edit: 1 });
    if (act === 'pause') await (defect?.(calm, table.db).pause ?? calm.pause)(schedule, clock());
    if (act === 'resume') await calm.resume(schedule, nextTime(schedule.every, new Date(T0), clock()));
    if (act !== 'edit') return;
    const every = random.pick(intervals);
    used.add(every);
    const next = schedule.pausedAt ? undefined : nextTime(every, new Date(T0), clock());
    await calm.edit(schedule, { every, ...(next && { next }) });
  };
  /** Returns true if the next time moved on without a record of the time before. */
  const lost = (before: ScheduleItem, after: ScheduleItem): boolean =>
    before.nextAt !== undefined && after.nextAt !== before.nextAt && (after.last?.scheduledFor ?? '') < before.nextAt;

  for (let step = 0; step < STEPS && broken.length === 0; step++) {
    const jump = random.weighted({ none: 94, forward: 3, back: 3 });
    now += random.between(1, 90) * 1000 + { none: 0, forward: 2 * 60 * MINUTE, back: -8 * MINUTE }[jump];
    latest = Math.max(latest, now);
    const before = await read();
    await Promise.all(Array.from({ length: random.between(0, 2) }, sweepOnce));
    const after = await read();
    promise(!lost(before, after), `no record of the time ${before.nextAt}`);
    promise(
      !after.nextAt || Date.parse(after.nextAt) <= nextTime(after.every, new Date(T0), new Date(latest)).getTime(),
      `the next time ${after.nextAt} leaves times out`,
    );
    if (random.chance(0.1)) await changeOnce();
  }

  isCalm = true;
  now = latest;
  await calm.resume(await read(), nextTime((await read()).every, new Date(T0), clock()));
  for (let i = 0; i < 150; i++) {
    now += MINUTE;
    latest = now;
    await sweepOnce();
  }
  const { every, last } = await read();
  const passed = nextTime(every, new Date(T0), new Date(now - (intervalMs(String(every)) as number))).toISOString();
  promise(last?.scheduledFor === passed && last.error === null, `no check at ${passed}, but at ${last?.scheduledFor}`);
  return broken[0];
};

test('each due time has one check at most, each passed one is recorded, and a paused schedule has none', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) expect(await simulate(seed)).toBeUndefined();
});

const defects: Record<string, Defect> = {
  'a sweep that forgets the result': () => ({ record: async () => undefined }),
  'a next time that counts from the late check': (store) => ({
    moveOn: (schedule, next) => store.moveOn(schedule, new Date(next.getTime() + MINUTE)),
  }),
  'a next time that leaves one out': (store) => ({
    moveOn: (schedule, next) =>
      store.moveOn(schedule, new Date(next.getTime() + (intervalMs(String(schedule.every)) as number))),
  }),
  'a pause that leaves the due time': (_, db) => ({
    pause: async ({ sk }, now) => {
      const key = { pk: `SCHEDULES#${owner}`, sk };
      await updateItem(db, key, { set: { pausedAt: now.toISOString() }, ...ifExists });
      return undefined;
    },
  }),
};
test.each(Object.entries(defects))('the simulation finds %s', async (_, defect) => {
  const found: (string | undefined)[] = [];
  for (let seed = 1; seed <= SEEDS && !found.some(Boolean); seed++) found.push(await simulate(seed, defect));
  expect(found.at(-1)).toBeDefined();
});
