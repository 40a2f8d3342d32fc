import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dispatch, jobOf } from '../../../functions/lib/queue/dispatch.ts';
import type { RunItem } from '../../../functions/lib/store/items.ts';
import type { AuditVersion } from '../../../shared/audit-versions.ts';
import { functionRows } from '../../../shared/service/functions.ts';
import { buildFunctions } from '../../support/built-functions.ts';
import { FULL } from '../../support/full.ts';
import { noSandboxHere, sqsEvent, startRunAudit } from '../../support/lambda-sandbox.ts';
import { majorVersions } from '../../support/major-versions.ts';
import { metricsIn } from '../../support/metrics.ts';
import { type Pages, servePages } from '../../support/pages.ts';
import { commandOf, processesOf } from '../../support/processes.ts';
import { serveOnHttp } from '../../support/services-on-http.ts';
import { unlessMissing } from '../../support/skips.ts';
import { aCheck, startWorld, type World } from '../../support/world.ts';

const needsSandbox = unlessMissing(noSandboxHere());

describe("the deployed audit function in a sandbox like Lambda's", needsSandbox, () => {
  let world: World;
  let pages: Pages;
  let http: Awaited<ReturnType<typeof serveOnHttp>>;
  let deployed: Awaited<ReturnType<typeof startRunAudit>>;
  const asset = fileURLToPath(new URL('../../../dist/functions/run-audit', import.meta.url));
  const env = () => ({
    ...http.env,
    TARGETS: 'local',
    NODE_OPTIONS: '--enable-source-maps',
    UV_THREADPOOL_SIZE: `${functionRows['run-audit'].threads}`,
    POWERTOOLS_SERVICE_NAME: 'page-audit-test',
  });
  beforeAll(async () => {
    await buildFunctions();
    pages = await servePages();
    world = await startWorld();
    http = await serveOnHttp(world.aws);
    deployed = await startRunAudit(asset, env(), { processes: FEW_PROCESSES, user: USER });
  });
  afterAll(async () => {
    await deployed?.[Symbol.asyncDispose]();
    await http?.close();
    await world?.stop();
    await pages?.close();
  });

  const audited = async (
    auditVersion: AuditVersion,
    options: Pick<Parameters<typeof aCheck>[0] & object, 'categories' | 'url'> = {},
  ) => {
    const check = aCheck({ url: pages.url('/perfect'), auditVersion, regions: ['us-west1'], ...options });
    const run = (await world.create(check))[0] as Parameters<typeof dispatch>[1];
    await dispatch(world, run, new Date());
    const [job] = await world.jobsIn('us-west1');
    expect(await deployed.invoke(sqsEvent(job)), deployed.logs()).toEqual({ batchItemFailures: [] });
    return world.runOf(check.id);
  };

  // These two differ in their module format and in how they connect to the browser.
  const tested = majorVersions.filter(({ version }) => FULL || version === '13.5.0' || version === '9.6.8');
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
      const secondsUntil = (at: number) => (at - Date.parse(createdAt)) / 1000;
      const auditSeconds = finished.attempts.reduce((sum, attempt) => sum + attempt.seconds, 0);
      const emitted = metricsIn(deployed.logs().slice(before));
      expect(emitted).toEqual([
        { ...ofThisRegion, name: 'ServiceFailure', unit: 'Count', value: 0 },
        { ...ofThisRegion, name: 'RunSeconds', unit: 'Seconds', value: expect.any(Number) },
        { ...ofThisRegion, name: 'AuditSeconds', unit: 'Seconds', value: auditSeconds },
        { ...ofThisRegion, name: 'StolenCpuPercent', unit: 'Percent', value: 100 * (environment?.cpuStolen as number) },
        { ...ofThisRegion, name: 'ContendedPercent', unit: 'Percent', value: environment?.contended ? 100 : 0 },
      ]);
      const runSeconds = emitted.find(({ name }) => name === 'RunSeconds')?.value;
      expect(runSeconds).toBeGreaterThanOrEqual(Math.floor(secondsUntil(Date.parse(finishedAt as string))));
      expect(runSeconds).toBeLessThanOrEqual(Math.ceil(secondsUntil(Date.now())));
      const report = gunzipSync(await world.reports.get(finished.report?.key as string)).toString();
      expect(JSON.parse(report)).toMatchObject({ auditVersion: row.version, lighthouseVersion: row.version });
    },
  );

  // A check of the certificate shows that Chromium has started its TLS library. No public authority signs one for loopback.
  test('reaches a page over https', async () => {
    const key = await readFile(new URL('../../support/test-certificate.pem', import.meta.url));
    const server = createTlsServer({ key, cert: key }, (_, response) => response.end('<p>secure')).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { error, attempts } = await audited('13.5.0', { url, categories: ['seo'] });
    expect(error, deployed.logs()).toMatchObject({ code: 'tls-error', blame: 'page' });
    expect(attempts).toHaveLength(1);
    server.close();
  });

  // Longer than the servers keep an idle connection.
  test.each(FULL ? [7, 75, 130] : [7])(
    'works on after %i s in which Lambda froze its processes',
    { timeout: 300_000 },
    async (seconds) => {
      await audited('13.5.0', { categories: ['seo'] });
      const before = deployed.logs();
      await sleep(seconds * 1000);
      expect(deployed.logs()).toBe(before);
      const run = await audited('13.5.0', { categories: ['seo'] });
      expect(run, deployed.logs()).toMatchObject({ state: 'succeeded', lostLeases: 0, attempts: [{ code: null }] });
      for (const line of deployed.logs().split('\n').filter(Boolean))
        expect(() => JSON.parse(line), line).not.toThrow();
    },
  );

  test('exits without an audit if too few processes are left, so that Lambda replaces the instance', async () => {
    // Threads take the place of zombie processes here. The other sandbox has the same user, so the kernel counts it too.
    await using spent = await startRunAudit(
      asset,
      { ...env(), UV_THREADPOOL_SIZE: '200' },
      { processes: 400, user: USER },
    );
    const before = await world.create(aCheck({ url: pages.url('/perfect'), regions: ['us-west1'] }));
    const [run] = before as [RunItem];
    await expect(spent.invoke(sqsEvent(jobOf(run)))).rejects.toThrow('The sandbox has ended');
    expect(spent.logs()).toMatch(/The instance is replaced\..*processes \(\d+ of 400 left\)/);
    expect(await world.runOf(run.checkId)).toMatchObject({ state: 'created', lostLeases: 0 });
  });

  // Process 1 of the sandbox, as of Lambda, reaps no zombie process of ours. Three for each audit would spend an instance
  // within an hour.
  test('leaves at most one zombie process for each audit', { timeout: 600_000 }, async () => {
    const auditTimes = async (times: number) => {
      for (let i = 0; i < times; i++) {
        const { state } = await audited('13.5.0', { categories: ['seo'] });
        expect(state, deployed.logs()).toBe('succeeded');
      }
    };
    const zombies = () => processesOf(USER).filter(({ isZombie }) => isZombie).length;
    const browsers = () => processesOf(USER).filter(({ pid }) => commandOf(pid).includes('--user-data-dir')).length;
    /** Lets the browser exit, and its auditor reap its own children. */
    const runUntil = (holds: () => boolean) =>
      expect
        .poll(async () => {
          await deployed.runFor(300);
          return holds();
        })
        .toBe(true);
    await runUntil(() => browsers() === 0); // of the tests above
    const before = zombies();
    const times = FULL ? 18 : 1;
    await auditTimes(times);
    await runUntil(() => browsers() === 0);
    await runUntil(() => zombies() <= before + times);
  });
});

/**
 * Limit of the sandbox's processes and threads. One audit of a small page needs up to 160 beside the browser before it. An
 * instance with less than half of them left is replaced.
 */
const FEW_PROCESSES = 320;
/** Another user than Lambda's, because the kernel counts the processes of all sandboxes of a user. */
const USER = 992;

const ofThisRegion = { namespace: 'PageAudit', dimensions: { service: 'page-audit-test', region: 'us-west1' } };
