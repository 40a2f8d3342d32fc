import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { type Reports, reports } from '../../functions/lib/store/reports.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { AuditJob } from '../../shared/service/audit-job.ts';
import { ReportReadEnv } from '../../shared/service/env.ts';
import { type Faults, faultsBefore, isOfObjects } from '../support/faulty-services.ts';
import { aCheck, startWorld, type World } from '../support/world.ts';

let world: World;
let s3: Faults;
let bucket: Reports;
beforeAll(async () => {
  world = await startWorld();
  s3 = faultsBefore(world.aws.handle, isOfObjects);
  await world.aws.connect(s3.handle);
  bucket = reports(ReportReadEnv.parse(process.env));
});
afterEach(() => s3.heal());
afterAll(() => world.stop());

const succeeded: AuditResult = {
  ...emptyResult,
  state: 'succeeded',
  metrics: { ...noMetrics, performance: 98 },
  finalUrl: 'https://example.com/',
  report: { gzip: gzipSync('{}'), bytes: 2 },
};

/** Audits a new run in an invocation that has `leftMs` milliseconds left after the audit. */
const auditWith = async (leftMs: number) => {
  const check = aCheck({ regions: ['us-east4'] });
  const [run] = await world.create(check);
  let endsAt = Date.now() + 600_000;
  let audits = 0;
  const audit = async () => {
    audits++;
    endsAt = Date.now() + leftMs;
    return succeeded;
  };
  const work = runAudit({ ...world, reports: bucket, auditors: { audit }, retryDelaysMs: [100] });
  await work(AuditJob.parse({ ...run, runId: run?.id }), () => endsAt - Date.now());
  return { run: await world.runOf(check.id), audits, leftMs: endsAt - Date.now() };
};

test('a silent bucket is a storage failure, reported before the invocation ends', async () => {
  s3.before(() => new Promise(() => {}));
  const { run, audits, leftMs } = await auditWith(11_000);
  expect(s3.passed()).toBeGreaterThan(1); // the put was retried
  expect([audits, run.state, run.lease]).toEqual([1, 'running', undefined]);
  expect(run.attempts).toMatchObject([{ number: 1, code: 'storage-failure' }]);
  expect(leftMs).toBeGreaterThan(0);
});

test('a report is kept until the bucket answers again, and the page is not audited again', async () => {
  s3.failAfter(0);
  setTimeout(() => s3.heal(), 1500);
  const { run, audits } = await auditWith(60_000);
  expect([audits, run.state, run.performance]).toEqual([1, 'succeeded', 98]);
  expect((await world.reports.get(run.report?.key ?? '')).length).toBe(run.report?.gzipBytes);
});
