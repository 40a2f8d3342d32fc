import { randomUUID } from 'node:crypto';
import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test, vi } from 'vitest';
import { emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { log } from '../../functions/lib/log.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import { dueStore } from '../../functions/lib/store/due.ts';
import type { Db } from '../../functions/lib/store/dynamodb.ts';
import { ifExists } from '../../functions/lib/store/expressions.ts';
import { type RunItem, updateRun } from '../../functions/lib/store/items.ts';
import { leaseStore } from '../../functions/lib/store/leases.ts';
import { listStore } from '../../functions/lib/store/lists.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { sweep } from '../../functions/sweep.ts';
import type { AssertionResult } from '../../shared/assertions/assertions.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { runError } from '../../shared/problems.ts';
import { CHECK_LOOK_MS } from '../../shared/service/due-times.ts';
import { startSweeping } from '../support/sweeping.ts';
import { aCheck, later, passed } from '../support/world.ts';

const { world, newTime, sweepAt } = await startSweeping();
let t0: Date;
beforeEach(() => {
  t0 = newTime();
});

/** Returns a table whose calls fail if `fails` says so. */
const tableThatFails = (fails: (command: unknown) => boolean): Db => {
  const { client } = world.db;
  const send = (command: never) =>
    fails(command) ? Promise.reject(new Error('DynamoDB is unavailable')) : client.send(command);
  return { ...world.db, client: Object.create(client, { send: { value: send } }) };
};
const isQuery = (command: unknown) => command instanceof QueryCommand; // closing reads the check and its runs with it
/** Fails after the end of the run is written, if `fails` says so. */
const afterRun = (fails: (command: unknown) => boolean) => {
  let ended = false;
  return tableThatFails((command) => {
    if (ended) return fails(command);
    ended = JSON.stringify((command as UpdateCommand).input).includes('finishedAt');
    return false;
  });
};
const ofCheck = (command: unknown) => command instanceof UpdateCommand && command.input.Key?.sk === 'CHECK';
const anOldCheck = async () => {
  const check = aCheck({ now: t0, regions: ['us-east4'] });
  const [run] = await world.create(check);
  if (!run) throw new Error('the check has no run');
  return { check, run, endsAt: later(t0, 6 * 3600) };
};
const completedAt = async (id: string) => (await world.find(id)).item.completedAt;

test.each(['finished', 'abandoned'])(
  'a check whose closing fails after its run is %s is closed a minute later',
  async (how) => {
    const { check, run, endsAt } = await anOldCheck();
    const error = vi.spyOn(log, 'error').mockReturnValue();
    const db = afterRun(isQuery);
    if (how === 'finished') {
      const lease = await world.claim(run, endsAt);
      expect(await leaseStore(db).finish(lease, { state: 'succeeded', attempts: [] }, endsAt)).toBe(true);
    } else expect(await dueStore(db).abandon(run, runError('abandoned'), endsAt)).toBe(true);
    expect(error).toHaveBeenCalledWith(expect.stringMatching(/^Could not close the check/), expect.anything());
    error.mockRestore();
    expect(await completedAt(check.id)).toBeNull();
    await sweepAt(later(endsAt, 59));
    expect(await completedAt(check.id)).toBeNull();
    await sweepAt(later(endsAt, 61));
    expect(await completedAt(check.id)).not.toBeNull();
  },
);

test('the list shows whether the assertions passed of a check that the sweeper closed', async () => {
  const assertions = { 'image-alt': 'error' as const };
  const check = aCheck({ now: t0, regions: ['us-east4'], assertions });
  const [run] = (await world.create(check)) as [RunItem];
  const endsAt = later(t0, 6 * 3600);
  const error = vi.spyOn(log, 'error').mockReturnValue();
  const broken = {
    key: 'image-alt',
    name: 'minScore',
    level: 'error',
    passed: false,
    message: 'image-alt has score 0',
  };
  const result = { ...broken, operator: '>=', expected: 0.9, actual: 0 } as AssertionResult;
  const outcome = { state: 'succeeded' as const, attempts: [], assertions: [result] };
  await leaseStore(afterRun(isQuery)).finish(await world.claim(run, endsAt), outcome, endsAt);
  error.mockRestore();
  const listed = async () => (await listStore(world.db).checks('anonymous', {}, 100, t0)).entries;
  const isThis = ({ id }: { id: string }) => id === check.id;
  expect((await listed()).find(isThis)).not.toHaveProperty('assertionsPassed');
  await sweepAt(later(endsAt, 61));
  expect((await listed()).find(isThis)).toMatchObject({ state: 'succeeded', assertionsPassed: false });
});

test('a worker closes the check itself if the table responds again', async () => {
  const { check, run } = await anOldCheck();
  let failures = 2; // of closing, and of making the check due
  const db = afterRun((command) => (isQuery(command) || ofCheck(command)) && failures-- > 0);
  const audit = async () => ({ state: 'succeeded' as const, metrics: noMetrics, ...emptyResult });
  const work = runAudit({ ...world, leases: leaseStore(db), auditors: { audit }, retryDelaysMs: [1] });
  await work(jobOf(run), () => 600_000);
  expect(failures).toBeLessThan(0);
  expect(await completedAt(check.id)).not.toBeNull();
});

test('a start closes a check whose worker died before it closed the check, and leaves the marks of erased checks', async () => {
  const { check, run, endsAt } = await anOldCheck();
  await sweepAt(endsAt); // the check is due again in a day
  const finished = { state: 'succeeded', finishedAt: endsAt.toISOString() };
  await updateRun(world.db, run, { set: finished, remove: ['open', 'dueAt'], ...ifExists });
  const erased = await anOldCheck();
  await world.erasure.markErased((await world.find(erased.check.id)).item, endsAt);
  await sweepAt(later(endsAt, 1));
  expect(await completedAt(check.id)).toBeNull();
  await sweep({ ...world, now: () => endsAt })({ wake: 'all', dropLeases: true });
  await sweepAt(endsAt);
  expect(await completedAt(check.id)).not.toBeNull();
  expect(await world.store.findOrErased(erased.check.id, 'anonymous', endsAt)).toBe('erased');
  const [mark] = await world.due.list({ kind: 'checks', shard: 0 }, later(endsAt, 3600), 10, later(endsAt, 1));
  expect(mark).toMatchObject({ pk: `CHECK#${erased.check.id}`, dueAt: later(endsAt, 90).toISOString() });
});

/** Ends a run like a worker that dies before it closes the check. */
const endAndDie = async (run: RunItem, now: Date): Promise<void> => {
  const lease = await world.claim(run, now);
  const ending = leaseStore(afterRun(() => true)).finish(lease, { state: 'succeeded', attempts: [] }, now);
  const error = vi.spyOn(log, 'error').mockReturnValue();
  await expect(ending).rejects.toThrow('unavailable');
  error.mockRestore();
};

test.each([
  ['is closed after its next look', 'anonymous', {}, CHECK_LOOK_MS / 1000],
  ['of a schedule is closed a minute later', 'anonymous', { scheduleId: randomUUID() }, 660],
  ['of an owner with a webhook is closed a minute later', 'hooked', {}, 660],
])('a check whose last worker dies before the closing %s', async (_, owner, fields, seconds) => {
  await world.webhooks.create(
    { id: randomUUID(), owner: 'hooked', url: 'https://example.com/hook', events: [] },
    10,
    t0,
  );
  const check = { ...aCheck({ now: t0, regions: ['us-east4', 'europe-west3'] }), ...fields };
  const runs = await world.create(check, { owner });
  for (const run of runs) await endAndDie(run, later(t0, 600));
  expect(await completedAt(check.id)).toBeNull();
  await sweepAt(later(t0, seconds - 1));
  expect(await completedAt(check.id)).toBeNull();
  await sweepAt(later(t0, seconds + 1));
  expect(await completedAt(check.id)).not.toBeNull();
});

test('a job that its queue delivers again closes the check whose last worker died before the closing', async () => {
  const { check, run } = await anOldCheck();
  await endAndDie(run, later(t0, 60));
  const audit = vi.fn();
  const redeliver = runAudit({ ...world, auditors: { audit }, now: () => later(t0, 3660) });
  await redeliver(jobOf(run), () => 600_000);
  expect(await completedAt(check.id)).not.toBeNull();
  const closed = await world.find(check.id);
  await redeliver(jobOf(run), () => 600_000);
  expect(await world.find(check.id)).toEqual(closed);
  expect(audit).not.toHaveBeenCalled();
});

test('the sweeper does not look at a check while its runs are open, except every three hours', async () => {
  const check = aCheck({ now: t0, regions: ['us-east4', 'europe-west3'] });
  const [first] = await world.create(check);
  if (!first) throw new Error('the check has no run');
  const dueAt = async () => (await world.find(check.id)).item.dueAt;
  expect(await dueAt()).toBe(later(t0, CHECK_LOOK_MS / 1000).toISOString());
  await world.finish(first, passed, later(t0, 600));
  expect(await dueAt()).toBe(later(t0, CHECK_LOOK_MS / 1000).toISOString());
  const looks = vi.fn(world.store.closeIfFinished);
  const store = { ...world.store, closeIfFinished: looks };
  for (const hour of [1, 2, 4, 5, 6]) await sweep({ ...world, store, now: () => later(t0, hour * 3600) })({});
  expect(looks.mock.calls.filter(([id]) => id === check.id)).toHaveLength(1);
});
