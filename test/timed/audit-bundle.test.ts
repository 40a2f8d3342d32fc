import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { dispatch } from '../../functions/lib/queue/dispatch.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { build } from '../../infra/build.ts';
import type { AuditOptions } from '../../shared/audit-options-schemas.ts';
import { type AuditVersion, auditVersions } from '../../shared/audit-versions.ts';
import { functionRows } from '../../shared/functions.ts';
import { FULL } from '../support/full.ts';
import { noSandboxHere, SANDBOX_USER, startLambda } from '../support/lambda-sandbox.ts';
import { metricsIn } from '../support/metrics.ts';
import { type Pages, servePages } from '../support/pages.ts';
import { threadsOf } from '../support/processes.ts';
import { unlessMissing } from '../support/skips.ts';
import { expectFast } from '../support/speed.ts';
import { aCheck, startWorld, type World } from '../support/world.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 300_000 });

const needsSandbox = unlessMissing(noSandboxHere());

const lambda = (code: string, env: Record<string, string> = {}, processes?: number) =>
  startLambda({
    ...(processes && { processes }),
    code,
    functionName: 'run-audit',
    awsRegion: 'us-west-2',
    env,
    timeoutSeconds: functionRows['run-audit'].timeoutSeconds,
    memoryMb: functionRows['run-audit'].memoryMb,
    storageMb: functionRows['run-audit'].storageMb,
  });

test('the sandbox has the restrictions of Lambda', needsSandbox, async () => {
  const code = await mkdtemp(join(tmpdir(), 'probe-'));
  await chmod(code, 0o755);
  await writeFile(join(code, 'index.mjs'), probe);
  await using sandbox = await lambda(code);
  expect(await sandbox.invoke({})).toEqual({
    user: 993,
    home: null,
    written: {
      '/var/task/file': 'EROFS',
      '/file': 'EROFS',
      '/home': 'EROFS',
      '/dev/shm/file': 'ENOENT',
      '/tmp/file': 'yes',
    },
    files: 1024,
    processes: 1024,
    systemCallsAreFiltered: true,
    there: [],
  });
  await rm(code, { recursive: true });
});

/** Source of a function that reports what it may do. */
const probe = `
  import { existsSync, readFileSync, writeFileSync } from 'node:fs';
  const tried = (path) => { try { writeFileSync(path, ''); return 'yes'; } catch (error) { return error.code; } };
  const limit = (name) => Number(new RegExp(name + ' +([0-9]+)').exec(readFileSync('/proc/self/limits', 'utf8'))[1]);
  export const handler = () => ({
    user: process.getuid(),
    home: process.env.HOME ?? null,
    written: Object.fromEntries(
      ['/var/task/file', '/file', '/home', '/dev/shm/file', '/tmp/file'].map((path) => [path, tried(path)]),
    ),
    files: limit('Max open files'),
    processes: limit('Max processes'),
    systemCallsAreFiltered: /^Seccomp:\\s+2$/m.test(readFileSync('/proc/self/status', 'utf8')),
    there: ['/etc/fonts', '/usr/share/fonts', '/usr/bin', '/lib/x86_64-linux-gnu/libnss3.so'].filter((path) => existsSync(path)),
  });
`;

describe("the deployed audit function in a sandbox like Lambda's", needsSandbox, () => {
  let world: World;
  let pages: Pages;
  let deployed: Awaited<ReturnType<typeof startLambda>>;
  const asset = fileURLToPath(new URL('../../dist/functions/run-audit', import.meta.url));
  const env = () => ({
    ...world.env,
    TARGETS: 'local',
    RETAKES: '0', // as on AWS
    NODE_OPTIONS: '--enable-source-maps',
    UV_THREADPOOL_SIZE: `${functionRows['run-audit'].threads}`,
    POWERTOOLS_SERVICE_NAME: 'page-audit-test',
  });
  beforeAll(async () => {
    await build();
    pages = await servePages();
    world = await startWorld();
    deployed = await lambda(asset, env(), FEW_PROCESSES);
  });
  afterAll(async () => {
    await deployed?.[Symbol.asyncDispose]();
    await world?.stop();
    await pages?.close();
  });

  const audited = async (auditVersion: AuditVersion, options: Pick<AuditOptions, 'categories'> = {}) => {
    const check = aCheck({ url: pages.url('/perfect'), auditVersion, regions: ['us-west1'], ...options });
    const run = (await world.create(check))[0] as Parameters<typeof dispatch>[1];
    await dispatch(world, run, new Date());
    const [job] = await world.jobsIn('us-west1');
    expect(await deployed.invoke(sqsEvent(job)), deployed.logs()).toEqual({ batchItemFailures: [] });
    return world.runOf(check.id);
  };

  // These two differ in their module format and in how they connect to the browser.
  const tested = auditVersions.filter(({ version }) => FULL || version === '13.5.0' || version === '9.6.8');
  test.each(tested)(
    'audits a page with Lighthouse $version for an SQS event, and returns a partial batch response',
    async (row) => {
      const before = deployed.logs().length;
      const finished = await audited(row.version);
      expect(finished, deployed.logs()).toMatchObject({
        state: 'succeeded',
        accessibility: 100, // needs a font: without one there is no text with a contrast
        bestPractices: 100,
        seo: 100,
        pwa: row.pwa ? expect.any(Number) : null,
        environment: { auditVersion: row.version },
      });
      const { createdAt, finishedAt, environment } = finished;
      const seconds = (Date.parse(finishedAt as string) - Date.parse(createdAt)) / 1000;
      const emitted = metricsIn(deployed.logs().slice(before));
      expect(emitted).toEqual([
        { ...ofThisRegion, name: 'WaitSeconds', unit: 'Seconds', value: expect.any(Number) },
        { ...ofThisRegion, name: 'ServiceFailure', unit: 'Count', value: 0 },
        { ...ofThisRegion, name: 'RunSeconds', unit: 'Seconds', value: expect.closeTo(seconds, -1) },
        { ...ofThisRegion, name: 'AuditSeconds', unit: 'Seconds', value: finished.attempts[0]?.seconds },
        { ...ofThisRegion, name: 'BenchmarkIndex', unit: 'None', value: environment?.benchmarkIndex },
        { ...ofThisRegion, name: 'StolenCpuPercent', unit: 'Percent', value: 100 * (environment?.cpuStolen as number) },
        { ...ofThisRegion, name: 'ContendedPercent', unit: 'Percent', value: environment?.contended ? 100 : 0 },
      ]);
      await expectFast(finished, () => audited(row.version), 90);
      const report = gunzipSync(await world.reports.get(finished.report?.key as string)).toString();
      expect(JSON.parse(report)).toMatchObject({ auditVersion: row.version, lighthouseVersion: row.version });
    },
  );

  test('exits without an audit if too few processes are left, so that Lambda replaces the instance', async () => {
    // Threads take the place of zombie processes here. The other sandbox has the same user, so the kernel counts it too.
    await using spent = await lambda(asset, { ...env(), UV_THREADPOOL_SIZE: '200' }, 400);
    const before = await world.create(aCheck({ url: pages.url('/perfect'), regions: ['us-west1'] }));
    const [{ checkId, id: runId, region, correlationId, owner }] = before as [RunItem];
    const job = { checkId, runId, region, correlationId, owner };
    await expect(spent.invoke(sqsEvent(job))).rejects.toThrow('The sandbox has ended');
    expect(spent.logs()).toMatch(/The instance is replaced\..*processes \(\d+ of 400 left\)/);
    expect(await world.runOf(checkId)).toMatchObject({ state: 'created', lostLeases: 0 });
  });

  // Each zombie process would take the place of a process: process 1 of the sandbox, as of Lambda, reaps none.
  test('leaves no process behind after any number of audits', { timeout: 600_000 }, async () => {
    const auditTimes = async (times: number) => {
      for (let i = 0; i < times; i++) {
        const { state } = await audited('13.5.0', { categories: ['seo'] });
        expect(state, deployed.logs()).toBe('succeeded');
      }
      await sleep(1500); // the auditor of the next audit starts meanwhile
      return threadsOf(SANDBOX_USER);
    };
    const atRest = await auditTimes(FULL ? 2 : 1);
    expect(await auditTimes(FULL ? 18 : 1)).toBeLessThanOrEqual(atRest);
  });
});

/** Limit of the sandbox's processes and threads. One audit of a small page needs up to 160. */
const FEW_PROCESSES = 256;

const ofThisRegion = { namespace: 'PageAudit', dimensions: { service: 'page-audit-test', region: 'us-west1' } };

const sqsEvent = (body: unknown) => ({
  Records: [
    {
      messageId: 'aaaaaaaa-0000-4000-8000-000000000000',
      receiptHandle: 'handle',
      body: JSON.stringify(body),
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: '0',
        SenderId: '',
        ApproximateFirstReceiveTimestamp: '0',
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-west-2:000000000000:audits',
      awsRegion: 'us-west-2',
    },
  ],
});
