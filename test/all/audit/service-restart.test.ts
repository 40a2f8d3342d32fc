import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { killGroup } from '../../../functions/auditor/host/processes.ts';
import { LEASE_MS, RENEW_MS } from '../../../shared/service/due-times.ts';
import { type Pages, servePages } from '../../support/pages.ts';
import { processesWith, remainsOf, startLocally, waitFor } from '../../support/service.ts';
import {
  auditUnderWay,
  codesOf,
  expectOnlyIdleAuditor,
  finishedCheck,
  type LocalService,
  quickCheck,
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

test('a stopped service releases its run, leaves nothing behind, and resumes the run after its next start', async () => {
  const { id } = await auditUnderWay(service, pages, ['us-west1', 'us-east4']);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) service.signal(signal); // npm may forward a second signal
  expect(await service.exited()).toEqual([0, null]);
  expect(remainsOf(service.pid)).toEqual({ folders: [], processes: [] });

  service = await startLocally(dataDir, { LOG_LEVEL: 'DEBUG' });
  const check = await finishedCheck(service, id);
  expect(check.state).toBe('succeeded');
  expect(check.runs.map(codesOf)).toEqual([[null], [null]]);
});

test('a service that is stopped right after its start leaves nothing behind', async () => {
  const other = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
  for (const start of ['cold', 'warm']) {
    const brief = await startLocally(other);
    await brief.stop();
    expect({ start, ...remainsOf(brief.pid), unpacking: processesWith(other) }).toEqual({
      start,
      folders: [],
      processes: [],
      unpacking: [],
    });
  }
  await rm(other, { recursive: true });
});

test('SIGTERM to npm ends the service that npm started', async () => {
  const other = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
  const npm = spawn('npm', ['start'], { env: { ...process.env, PORT: '0', DATA_DIR: other }, detached: true });
  onTestFinished(() => killGroup(npm.pid as number));
  const ended = once(npm, 'exit');
  const [url] = await new Promise<string[]>((resolve) => {
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /http:\/\/[\d.]+:\d+(?=\/? [\s\S]*Create a check:)/.exec(output);
      if (found) resolve(found);
    });
  });
  expect((await fetch(`${url}/health`)).status).toBe(200);
  npm.kill('SIGTERM');
  await ended;
  await expect.poll(() => fetch(`${url}/health`).catch(() => 'no connection')).toBe('no connection');
  await rm(other, { recursive: true });
});

test('a failed start prints its reason: wrong settings, a data folder in use, a port in use', async () => {
  const { port } = new URL(service.url);
  const errorOf = (dir: string, env = {}) => startLocally(dir, env).catch((error: Error) => error.message);
  expect(await errorOf(dataDir, { PORT: 'many', AUDITS_AT_ONCE: '0' })).toMatch(/PORT: .*\n.*AUDITS_AT_ONCE: /);
  expect(await errorOf(dataDir)).toMatch(/in use by another process/);
  const other = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
  expect(await errorOf(other, { PORT: port })).toMatch(`Port ${port} is in use. Set PORT`);
  await rm(other, { recursive: true });
});

test('a killed service leaves no process, and finishes every run once after its next start', async () => {
  const done = await service.post(quickCheck(pages));
  const before = await finishedCheck(service, done.id);
  const { id } = await auditUnderWay(service, pages, ['us-west1', 'us-east4', 'europe-west3']);
  const killedPid = service.pid;
  const leaseEndsAt = Date.now() + LEASE_MS - RENEW_MS; // or later
  service.signal('SIGKILL');
  await service.exited();
  await waitFor(() => (processesWith(`page-audit-${killedPid}-`).length === 0 ? true : undefined));

  pages.hits.clear();
  service = await startLocally(dataDir);
  await waitFor(() => pages.hits.get('/perfect'), (leaseEndsAt - Date.now()) / 1000);
  const check = await finishedCheck(service, id);
  expect(check.state).toBe('succeeded');
  expect(check.runs.map(codesOf)).toEqual([[null], [null], [null]]);
  expect(await service.get(done.id)).toEqual(before);
  expect(remainsOf(killedPid)).toEqual({ folders: [], processes: [] });
});

test('an idle service has one auditor ready, and a stopped one has no process', async () => {
  await expectOnlyIdleAuditor(service);
  await service.stop();
  expect(remainsOf(service.pid)).toEqual({ folders: [], processes: [] });
});
