import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { runError } from '../../shared/problems.ts';
import { aCheck, startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world.stop();
});

/** Returns a clock that each reading sets back by two hours. */
const clockThatGoesBack = (from: Date) => {
  let time = from.getTime();
  return () => {
    time -= 2 * 3600 * 1000;
    return new Date(time);
  };
};
const createdAt = new Date('2031-01-01T00:00:00.000Z');
const aRun = async () => {
  const check = aCheck({ regions: ['us-west1'], now: createdAt });
  return { check, run: (await world.create(check))[0] as RunItem };
};

test('no time of a run goes backwards and no attempt has a negative duration if the clock is set back', async () => {
  const { check, run } = await aRun();
  const results: AuditResult[] = [
    { ...emptyResult, state: 'failed', error: runError('internal') },
    { ...emptyResult, state: 'succeeded', metrics: noMetrics },
  ];
  const updates: string[] = [run.updatedAt];
  const audit = async () => {
    updates.push((await world.runOf(check.id)).updatedAt);
    await sleep(20);
    return results.shift() as AuditResult;
  };
  const { store, leases, reports, secrets } = world;
  const deps = { store, leases, reports, secrets, auditors: { audit }, retryDelaysMs: [1] };
  await runAudit({ ...deps, now: clockThatGoesBack(createdAt) })(jobOf(run), () => 600_000);

  const { startedAt, finishedAt, updatedAt, attempts } = await world.runOf(check.id);
  const times = [
    run.createdAt,
    startedAt,
    ...attempts.flatMap((each) => [each.startedAt, each.finishedAt]),
    finishedAt,
  ];
  expect(times).toEqual(times.toSorted());
  expect(attempts.map(({ seconds }) => seconds > 0.01 && seconds < 10)).toEqual([true, true]);
  updates.push(updatedAt);
  expect(updates).toEqual(updates.toSorted());
  expect(updatedAt).toBe(finishedAt);
  expect((await world.store.findOfAnyOwner(check.id))?.item.completedAt).toBe(finishedAt);
});

test('a run that is abandoned after the clock was set back finishes no earlier than it was created', async () => {
  const { check, run } = await aRun();
  await world.due.abandon(run, runError('abandoned'), clockThatGoesBack(createdAt)());
  const { finishedAt, updatedAt } = await world.runOf(check.id);
  expect([finishedAt, updatedAt]).toEqual([run.createdAt, run.createdAt]);
});
