import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Pages, servePages } from '../../support/pages.ts';
import { processesWith, remainsOf, startLocally } from '../../support/service.ts';
import {
  auditUnderWay,
  codesOf,
  expectOnlyIdleAuditor,
  finishedCheck,
  type LocalService,
  perfectCheck,
} from '../../support/service-audits.ts';

let dataDir: string;
let pages: Pages;
let service: LocalService;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
  pages = await servePages();
  service = await startLocally(dataDir);
});
afterAll(async () => {
  await service.stop();
  await pages.close();
  await rm(dataDir, { recursive: true });
});

test('from a cold start, a check of two regions succeeds, and the service prints each step', async () => {
  const { id, runs } = await service.post(perfectCheck(pages, ['us-west1', 'europe-north1']));
  const check = await finishedCheck(service, id);
  expect(check).toMatchObject({ state: 'succeeded', regions: ['us-west1', 'europe-north1'] });
  for (const run of check.runs) {
    expect(run).toMatchObject({ performance: expect.any(Number), seo: 100, fcp: expect.stringMatching(/^\d+ms$/) });
    expect(codesOf(run)).toEqual([null]);
    expect(run.environment).toMatchObject({ auditVersion: '13.5.0' });
    const response = await fetch(`${service.url}/v1/audit/runs/${run.id}/report`);
    const { url } = perfectCheck(pages);
    expect(await response.json()).toMatchObject({
      auditVersion: '13.5.0',
      lighthouseVersion: '13.5.0',
      requestedUrl: url,
    });
  }
  expect(runs.map((run) => run.id)).toEqual(check.runs.map((run) => run.id));
  expect(service.output()).toMatch(/▶ us-west1 .*perfect/);
  // The service may print the result after a client can read it.
  await expect.poll(service.output).toMatch(/✓ us-west1 .*succeeded {2}performance \d+ {2}\d+\.\d s/);
  expect(service.output()).not.toMatch(/^\{/m); // the default log level prints no JSON
});

test('the curl command that the service prints at its start works without a network', async () => {
  const [, body] = service.output().match(/-d '(.*)'/) ?? [];
  const { id } = await service.post(JSON.parse(body as string));
  expect(await finishedCheck(service, id)).toMatchObject({ state: 'succeeded', url: `${service.url}/sample` });
});

test('an auditor and its browser have no AWS credentials, no open file of the service, and no right to its data', async () => {
  const { id, auditor, browser } = await auditUnderWay(service, pages);
  for (const { pid } of [auditor, browser]) {
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/AWS|TABLE_NAME|QUEUE/);
    const files = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
      } catch {
        return []; // the process has closed it since it was listed
      }
    });
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((file) => /data\.db|in-use/.test(file))).toEqual([]);
    const { uid } = statSync(`/proc/${pid}`);
    if (process.getuid?.() === 0) expect(spawnSync('ls', [dataDir], { uid }).status).toBe(2); // permission denied
  }
  await finishedCheck(service, id);
});

test('a browser that is killed during an audit costs one attempt', async () => {
  const { id, browser } = await auditUnderWay(service, pages);
  process.kill(browser.pid, 'SIGKILL');
  const [run] = (await finishedCheck(service, id)).runs;
  expect(run?.state).toBe('succeeded');
  expect(codesOf(run)).toEqual(['browser-crashed', null]);
});

test('an auditor that is killed during an audit costs one attempt, and its browser ends', async () => {
  const { id, auditor, browser } = await auditUnderWay(service, pages);
  process.kill(auditor.pid, 'SIGKILL');
  const [run] = (await finishedCheck(service, id)).runs;
  expect(codesOf(run)).toEqual(['internal', null]);
  expect(processesWith('--user-data-dir').map(({ pid }) => pid)).not.toContain(browser.pid);
});

test('an idle service has one auditor ready, and a stopped one has no process', async () => {
  await expectOnlyIdleAuditor(service);
  await service.stop();
  expect(remainsOf(service.pid)).toEqual({ folders: [], processes: [] });
});
