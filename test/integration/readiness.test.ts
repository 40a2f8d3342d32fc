import { mkdir, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { prepareChromium } from '../../functions/auditor/host/chromium.ts';
import { auditors } from '../../functions/auditor/parent/auditors.ts';
import { preparedHost } from '../../functions/auditor/parent/prepared-host.ts';
import { sandboxUse } from '../../functions/auditor/parent/sandbox-use.ts';
import { ready } from '../../functions/discover.ts';
import { auditHost, currentObstacle } from '../../functions/lib/readiness.ts';
import { startService } from '../../infra/local/service.ts';
import type { CheckView } from '../../shared/check.ts';
import { PACKAGED_CHROMIUM } from '../../shared/chromium.ts';
import { chromiumDir, testChromium } from '../support/chromium-dir.ts';
import { fetchDocumented } from '../support/documented.ts';
import { anOrder } from '../support/order.ts';
import { problemOf } from '../support/problem.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const printed: string[] = [];
const dataDir = temporaryFolder('readiness');
let chromium: string;
let home: string;
let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
  const { executable } = await prepareChromium({ chromiumDir: chromiumDir() });
  chromium = dirname(executable);
  const programs = join(dataDir, 'programs');
  home = join(programs, basename(chromium));
  await mkdir(home, { recursive: true }); // a damaged copy of Chromium: all its files are missing
  service = await startService(await serviceSettings(dataDir, programs), (line) => printed.push(line));
}, 60_000);
afterAll(async () => {
  await service.stop();
});

const call = (path: string) => fetchDocumented(`${service.url}${path}`);

test('a machine that can not audit is not ready and says why, and its runs fail with the cause', async () => {
  const cause = `Chromium does not start on this machine: spawn ${home}/chromium ENOENT`;
  await expect.poll(() => printed).toContainEqual(expect.stringContaining(cause));
  const problem = await problemOf(await call('/ready'), 503, 'unavailable');
  expect(problem.detail).toContain(cause);
  expect((await call('/health')).status).toBe(200);

  const body = JSON.stringify({ url: `${service.url}/sample`, auditVersion: 'latest', regions: ['us-west1'] });
  const headers = { 'content-type': 'application/json' };
  const created = await fetchDocumented(`${service.url}/v1/checks`, { method: 'POST', headers, body });
  expect(created.status).toBe(201);
  const { id } = (await created.json()) as CheckView;
  const finished = async () => {
    const [run] = ((await (await call(`/v1/checks/${id}`)).json()) as CheckView).runs;
    expect(run?.state).toBe('failed');
    return run;
  };
  const run = await vi.waitFor(finished, { timeout: 30_000, interval: 200 });
  expect(run?.error).toMatchObject({ code: 'internal', blame: 'service' });
  expect(run?.error?.message).toContain(cause);
}, 60_000);

test('the service is not ready while its table does not respond', async () => {
  const handle = ready({
    readRegions: () => Promise.reject(new Error('no route to host')),
    successWithinMinutes: undefined,
    obstacle: () => undefined,
  });
  const expected = { code: 'unavailable', message: expect.stringContaining('table does not respond') };
  await expect(handle()).rejects.toMatchObject(expected);
});

test('the machine is ready once Chromium starts', async () => {
  await rm(home, { recursive: true });
  await symlink(chromium, home);
  const { prepare } = await import('../../functions/run-audit.ts'); // the service retries every 30 seconds
  await prepare();
  const answer = await call('/ready');
  expect([answer.status, await answer.json()]).toEqual([
    200,
    {
      status: 'ready',
      regions: expect.any(Array),
      chromium: {
        version: PACKAGED_CHROMIUM,
        source: 'package',
        releasedOn: '2026-09-16',
        ageDays: expect.any(Number),
      },
      unguarded: expect.any(Array),
      outdated: expect.stringMatching(/^Chromium 153 is \d+ days old, .* set CHROMIUM=auto\.$/),
    },
  ]);
});

test('a machine whose temporary folder is lost or full is not ready until an auditor can work there again', async () => {
  const pool = auditors({ targets: { targets: 'public', ports: [80] }, ...testChromium() });
  await pool.prepare();
  expect(currentObstacle()).toBeUndefined();
  vi.stubEnv('TMPDIR', '/nonexistent');
  const order = anOrder({ auditVersion: '12.8.2' });
  await expect(pool.audit(order, new AbortController().signal)).rejects.toThrow('/nonexistent is missing');
  expect(currentObstacle()).toContain('/nonexistent is missing');
  await expect(pool.prepare()).rejects.toThrow('/nonexistent is missing');
  vi.stubEnv('TMPDIR', '/proc'); // a folder on a disk without free space
  const cause = "can't run an audit, because it is short of space in its temporary folder /proc (0 MiB left)";
  expect(currentObstacle()).toContain(cause);
  await expect(pool.audit(order, new AbortController().signal)).rejects.toThrow(cause);
  vi.unstubAllEnvs();
  expect(currentObstacle()).toBeUndefined();
  await pool.prepare();
  expect(currentObstacle()).toBeUndefined();
  await pool.close();
});

test('a browser that ran without its sandbox is named among the missing guards', async () => {
  const browser = { chromium: undefined, extraCaFile: undefined, ...testChromium() };
  const sandbox = sandboxUse('optional');
  const host = preparedHost({ ...browser, sandbox, onOwnUser: () => {} }, new AbortController().signal);
  await host.prepare();
  expect(auditHost()?.unguarded).not.toContain('sandbox');
  host.record({ end: { how: 'exited' }, sandbox: false });
  expect(auditHost()?.unguarded).toContain('sandbox');
});
