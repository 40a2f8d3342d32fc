import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test, vi } from 'vitest';
import { emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { log } from '../../functions/lib/log.ts';
import { dueStore } from '../../functions/lib/store/due.ts';
import type { Db } from '../../functions/lib/store/dynamodb.ts';
import { updateRun } from '../../functions/lib/store/items.ts';
import { leaseStore } from '../../functions/lib/store/leases.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { sweep } from '../../functions/sweep.ts';
import { noMetrics } from '../../shared/page-metrics.ts';
import { runError } from '../../shared/problems.ts';
import { startSweeping } from '../support/sweeping.ts';
import { aCheck, later } from '../support/world.ts';

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
    const db = tableThatFails(isQuery);
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

test('a worker closes the check itself if the table responds again', async () => {
  const { check, run } = await anOldCheck();
  let failures = 2; // of closing, and of making the check due
  const db = tableThatFails((command) => (isQuery(command) || ofCheck(command)) && failures-- > 0);
  const audit = async () => ({ state: 'succeeded' as const, metrics: noMetrics, ...emptyResult });
  const work = runAudit({ ...world, leases: leaseStore(db), auditors: { audit }, retryDelaysMs: [1] });
  const { id: runId, region, correlationId, owner } = run;
  await work({ checkId: check.id, runId, region, correlationId, owner }, () => 600_000);
  expect(failures).toBeLessThan(0);
  expect(await completedAt(check.id)).not.toBeNull();
});

test('a start closes a check whose worker died before it closed the check, and leaves the marks of erased checks', async () => {
  const { check, run, endsAt } = await anOldCheck();
  await sweepAt(endsAt); // the check is due again in an hour
  const finished = { state: 'succeeded', finishedAt: endsAt.toISOString() };
  await updateRun(world.db, run, { set: finished, remove: ['open', 'dueAt'], condition: 'attribute_exists(#pk)' });
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

test('an open check is looked at every hour, however old it is', async () => {
  const { check, endsAt } = await anOldCheck();
  await sweepAt(endsAt);
  expect((await world.find(check.id)).item.dueAt).toBe(later(endsAt, 3600).toISOString());
});
