import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { waiting } from '../../functions/lib/http/waiting.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import { watchAnnounced } from '../../functions/lib/store/changes.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import type { Lease } from '../../functions/lib/store/leases.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { waitCheck } from '../../functions/wait-check.ts';
import type { CheckView } from '../../shared/check.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { runError } from '../../shared/problems.ts';
import { aCheck, later, startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const measured = (fcp: number): AuditResult => ({
  ...emptyResult,
  state: 'succeeded',
  metrics: { ...noMetrics, fcp, tti: fcp, performance: 98 },
});
const aRun = async (samples: number) => {
  const check = aCheck({ regions: ['us-west1'], samples });
  const [run] = await world.create(check);
  if (!run) throw new Error('the check has no run');
  return { check, run, job: jobOf(run) };
};
const auditing = (audit: () => Promise<AuditResult>, leases: Partial<World['leases']> = {}) =>
  runAudit({
    ...world,
    leases: { ...world.leases, ...leases },
    auditors: { audit },
    retryDelaysMs: [1],
  });

test('each finished sample wakes a waiting client, with another ETag and the sample', async () => {
  const { check, job } = await aRun(3);
  const get = waitCheck({ store: world.store, wait: waiting(watchAnnounced) });
  const seen: { state: string; samples: (string | null)[]; attempts: number; updatedAt: string }[] = [];
  const read = async (headers: Record<string, string>) => {
    const params = { checkId: check.id };
    const answer = await get({
      owner: 'anonymous',
      requestId: '',
      method: 'GET',
      path: '/',
      params,
      query: {},
      headers,
    } as never);
    const { runs } = answer.body as CheckView;
    const [{ state, samples, attempts, updatedAt }] = runs as [CheckView['runs'][number]];
    seen.push({ state, samples: samples.map(({ fcp }) => fcp), attempts: attempts.length, updatedAt });
    return (answer.headers as Record<string, string>).etag as string;
  };
  let etag = await read({});
  const change = () => read({ 'if-none-match': etag, prefer: 'wait=5' });
  const results = [700, 800, 900].map(measured);
  let changed = change(); // of the claim
  const audit = async () => {
    etag = await changed;
    changed = change();
    return results.shift() as AuditResult;
  };
  await auditing(audit)(job, () => 600_000);
  await changed;
  expect(seen.map(({ state, samples, attempts }) => [state, samples, attempts])).toEqual([
    ['created', [], 0],
    ['running', [], 0],
    ['running', ['700ms'], 1],
    ['running', ['700ms', '800ms'], 2],
    ['succeeded', ['700ms', '800ms', '900ms'], 3],
  ]);
  const times = seen.map(({ updatedAt }) => updatedAt);
  expect(times).toEqual(times.toSorted());
});

test('a worker that takes over measures every sample again, and no sample counts as a failed attempt', async () => {
  const { check, run, job } = await aRun(5);
  const attempts = [1, 2, 3, 4].map((number) => ({
    number,
    startedAt: run.createdAt,
    finishedAt: run.createdAt,
    seconds: 1,
    code: null,
    auditCode: null,
    contended: false,
  }));
  const sample = { ...noMetrics, fcp: 1, cpuBusy: null, contended: null };
  const dead = (await world.leases.claim(run, randomUUID(), later(new Date(), -120))) as Lease;
  await world.leases.recordAttempt(dead, { attempts, samples: attempts.map(() => sample) });
  expect((await world.runOf(check.id)).samples).toHaveLength(4);
  const before: RunItem[] = [];
  const audit = async () => {
    before.push(await world.runOf(check.id));
    return measured(700 + before.length);
  };
  await auditing(audit)(job, () => 600_000);
  expect(before.map(({ samples }) => samples.length)).toEqual([0, 1, 2, 3, 4]);
  const { state, samples, attempts: all } = await world.runOf(check.id);
  expect([state, samples.map(({ fcp }) => fcp), all.length]).toEqual(['succeeded', [701, 702, 703, 704, 705], 9]);
});

test('a run that fails after some samples shows none, and the sample before a failure stays meanwhile', async () => {
  const { check, job } = await aRun(3);
  const crash: AuditResult = { ...emptyResult, state: 'failed', error: runError('browser-crashed') };
  const gone: AuditResult = { ...emptyResult, state: 'failed', error: runError('http-error') };
  const results = [measured(700), crash, gone];
  const samples: number[] = [];
  const audit = async () => {
    samples.push((await world.runOf(check.id)).samples.length);
    return results.shift() as AuditResult;
  };
  await auditing(audit)(job, () => 600_000);
  expect(samples).toEqual([0, 1, 1]);
  expect(await world.runOf(check.id)).toMatchObject({ state: 'failed', samples: [], error: { code: 'http-error' } });
});

test('a sample that can not be recorded ends no run, and a single sample is recorded by the finish only', async () => {
  const { check, job } = await aRun(2);
  let tries = 0;
  const recordAttempt = async () => {
    tries++;
    throw new Error('DynamoDB is unavailable');
  };
  await auditing(async () => measured(700), { recordAttempt })(job, () => 600_000);
  expect(await world.runOf(check.id)).toMatchObject({ state: 'succeeded', attempts: [{ number: 1 }, { number: 2 }] });
  await auditing(async () => measured(700), { recordAttempt })((await aRun(1)).job, () => 600_000);
  expect(tries).toBe(1);
});

test('a copy of a write that arrives late takes no attempt back', async () => {
  const { check, run } = await aRun(5);
  const lease = (await world.leases.claim(run, randomUUID(), new Date())) as Lease;
  const attempt = {
    startedAt: run.createdAt,
    finishedAt: run.createdAt,
    seconds: 1,
    auditCode: null,
    contended: false,
  };
  const two = [1, 2].map((number) => ({ ...attempt, number, code: 'internal' as const }));
  expect(await world.leases.recordAttempt(lease, { attempts: two, samples: [] })).toBe(true);
  expect(await world.leases.recordAttempt(lease, { attempts: two.slice(0, 1), samples: [] })).toBe(false);
  expect((await world.runOf(check.id)).attempts).toHaveLength(2);
});
