import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { emptyResult } from '../../functions/auditor/verdict/judge.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { findRun } from '../../functions/lib/store/items.ts';
import { closeLostRun } from '../../functions/lib/sweep/dead-letters.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { sweep } from '../../functions/sweep.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { AuditJob } from '../../shared/service/audit-job.ts';
import { HOLD_MS } from '../../shared/service/due-times.ts';
import { aCheck, startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

test('a late job of an erased check does not touch the run of a create that failed later', async () => {
  const check = aCheck({ regions: ['us-west1'] });
  const [erased] = (await world.create(check)) as [RunItem];
  const job = AuditJob.parse({ ...erased, runId: erased.id });
  await world.erasure.markErased((await world.find(check.id)).item, new Date());
  await world.erasure.eraseRemains(check.id);
  await expect(world.create(check)).rejects.toThrow('exists'); // it writes the run, and then meets the mark
  const read = () => findRun(world.db, erased);
  const orphan = await read();
  expect(orphan).toMatchObject({ state: 'created', createId: expect.not.stringMatching(erased.createId) });

  const audit = vi.fn(async () => ({ ...emptyResult, state: 'succeeded' as const, metrics: noMetrics }));
  await runAudit({ ...world, auditors: { audit } })(job, () => 600_000);
  await closeLostRun(world)(job);
  expect(audit).not.toHaveBeenCalled();
  expect(await read()).toEqual(orphan);

  const due = new Date(Date.parse(check.createdAt) + HOLD_MS + 1);
  await sweep({ ...world, now: () => due })({});
  expect(await read()).toBeUndefined();
  expect(await world.store.checkIdOfRun(erased.id, 'anonymous')).toBeUndefined();
});

test('a job counts although a repeated create has taken its run over before it found the check', async () => {
  const check = aCheck({ regions: ['us-west1'] });
  const [run] = (await world.create(check)) as [RunItem];
  await expect(world.create(check)).rejects.toThrow('exists');
  expect((await world.runOf(check.id)).createId).not.toBe(run.createId);
  expect(await world.leases.claim(run, crypto.randomUUID(), new Date())).toBeUndefined(); // it was read before
  const audit = vi.fn(async () => ({ ...emptyResult, state: 'succeeded' as const, metrics: noMetrics }));
  const job = AuditJob.parse({ ...run, runId: run.id });
  await runAudit({ ...world, auditors: { audit } })(job, () => 600_000);
  expect(await world.runOf(check.id)).toMatchObject({ state: 'succeeded' });
});
