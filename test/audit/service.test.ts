import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { killGroup } from '../../functions/auditor/host/processes.ts';
import { isFinished, type RunView } from '../../shared/run.ts';
import { servePages } from '../support/pages.ts';
import { processesWith, remainsOf, startLocally, waitFor } from '../support/service.ts';
import { expectFast } from '../support/speed.ts';

/** A busy machine, which other tests may make it, costs no attempt: the codes of the attempts are what is looked at here. */
const settings = { RETAKES: '0' };

let dataDir: string;
let pages: Awaited<ReturnType<typeof servePages>>;
let service: Awaited<ReturnType<typeof startLocally>>;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
  pages = await servePages();
  service = await startLocally(dataDir, settings);
});
afterAll(async () => {
  await service.stop();
  await pages.close();
  await rm(dataDir, { recursive: true });
});

const aBody = (regions = ['us-west1']) => ({ url: pages.url('/perfect'), auditVersion: 'latest', regions });
const finished = (id: string, seconds?: number) =>
  service.until(id, (check) => check.runs.every((run) => isFinished(run.state)), seconds);
const codesOf = (run?: RunView) => run?.attempts.map(({ code }) => code);
const browserOf = (pid: number) =>
  processesWith(`page-audit-${pid}-`).find(({ command }) => command.includes('--user-data-dir'));

/** Begins an audit: gives its check, its auditor and its browser, which has begun to load the page. */
const auditing = async (regions?: string[]) => {
  await waitFor(() => !browserOf(service.pid) || undefined); // the last audit's, which may yet be closing
  pages.hits.clear();
  const { id } = await service.post(aBody(regions));
  await waitFor(() => pages.hits.get('/perfect'), 60);
  const browser = browserOf(service.pid);
  if (!browser) throw new Error('the page was asked for by no browser');
  const [folder = ''] = browser.command.match(`page-audit-${service.pid}-\\w+`) ?? [];
  const auditor = processesWith(folder).find(({ command }) => command.includes('child.ts'));
  if (!auditor) throw new Error('its auditor is gone');
  return { id, auditor, browser };
};

test('from a cold start, a check of two regions succeeds, and tells so line by line', async () => {
  const { id, runs } = await service.post(aBody(['us-west1', 'europe-north1']));
  const check = await finished(id);
  expect(check).toMatchObject({ state: 'succeeded', regions: ['us-west1', 'europe-north1'] });
  for (const run of check.runs) {
    const again = async () => (await finished((await service.post(aBody())).id)).runs[0] as RunView;
    await expectFast(run, again, 90);
    expect(run).toMatchObject({
      seo: 100,
      fcp: expect.stringMatching(/^\d+ms$/),
    });
    expect(codesOf(run)).toEqual([null]);
    expect(run.environment).toMatchObject({ auditVersion: '13.5.0' });
    const report = (await (await fetch(`${service.url}/v1/audit/runs/${run.id}/report`)).json()) as Record<
      string,
      unknown
    >;
    expect(report).toMatchObject({ auditVersion: '13.5.0', lighthouseVersion: '13.5.0', requestedUrl: aBody().url });
  }
  expect(runs.map((run) => run.id)).toEqual(check.runs.map((run) => run.id));
  expect(service.output()).toMatch(/▶ us-west1 .*perfect/);
  expect(service.output()).toMatch(/✓ us-west1 .*succeeded {2}performance \d+ {2}\d+\.\d s/);
  expect(service.output()).not.toMatch(/^\{/m); // the log is for those who ask for it
});

test('a page without an address, one that nobody serves and one that answers 404 fail by name, without a score', async () => {
  const gone = await servePages();
  await gone.close(); // nobody listens on its port now
  const cases = [
    ['http://nowhere-to-be-found.example.com/', 'dns-failure'],
    [gone.url('/perfect'), 'unreachable'],
    [pages.url('/no-such-page'), 'http-error'],
  ];
  for (const [url, code] of cases) {
    const { id } = await service.post({ ...aBody(), url });
    const [run] = (await finished(id)).runs;
    expect({ url, state: run?.state, code: run?.error?.code }).toEqual({ url, state: 'failed', code });
    expect(run).toMatchObject({ performance: null, accessibility: null, error: { blame: 'page', retryable: false } });
  }
});

test('the curl line that the start prints succeeds, with no network', async () => {
  const [, body] = service.output().match(/-d '(.*)'/) ?? [];
  const { id } = await service.post(JSON.parse(body as string));
  expect(await finished(id)).toMatchObject({ state: 'succeeded', url: `${service.url}/sample` });
});

test('an auditor and its browser have none of our credentials, and none of our files open', async () => {
  const { id, auditor, browser } = await auditing();
  for (const { pid } of [auditor, browser]) {
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/AWS|TABLE_NAME|QUEUE/);
    const files = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
      } catch {
        return []; // it was closed while we looked
      }
    });
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((file) => /dynamodb|fauxqs|in-use/.test(file))).toEqual([]);
  }
  await finished(id);
});

test('a browser that is killed in the middle of an audit costs one attempt', async () => {
  const { id, browser } = await auditing();
  process.kill(browser.pid, 'SIGKILL');
  const [run] = (await finished(id)).runs;
  expect(run?.state).toBe('succeeded');
  expect(codesOf(run)).toEqual(['browser-crashed', null]);
});

test('an auditor that is killed in the middle of an audit costs one attempt, and takes its browser with it', async () => {
  const { id, auditor, browser } = await auditing();
  process.kill(auditor.pid, 'SIGKILL');
  const [run] = (await finished(id)).runs;
  expect(codesOf(run)).toEqual(['internal', null]);
  expect(processesWith('--user-data-dir').map(({ pid }) => pid)).not.toContain(browser.pid);
});

test('a service that is asked to stop gives its run back, leaves nothing behind, and goes on when started again', async () => {
  const { id } = await auditing(['us-west1', 'us-east4']);
  const asked = Date.now();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) service.signal(signal); // at once, as if npm passed one on
  expect(await service.exited()).toEqual([0, null]);
  expect(Date.now() - asked).toBeLessThan(10_000);
  expect(remainsOf(service.pid)).toEqual({ folders: [], processes: [] });

  service = await startLocally(dataDir, settings);
  const check = await finished(id);
  expect(check.state).toBe('succeeded');
  expect(check.runs.map(codesOf)).toEqual([[null], [null]]);
});

test('a service that is stopped as soon as it answers leaves nothing behind', async () => {
  const other = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
  for (const round of ['cold', 'warm']) {
    const brief = await startLocally(other);
    await brief.stop();
    expect({ round, ...remainsOf(brief.pid), unpacking: processesWith(other) }).toEqual({
      round,
      folders: [],
      processes: [],
      unpacking: [],
    });
  }
  await rm(other, { recursive: true });
});

test('a service that npm started ends when npm is told to', async () => {
  const other = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
  const npm = spawn('npm', ['start'], { env: { ...process.env, PORT: '0', DATA_DIR: other }, detached: true });
  onTestFinished(() => killGroup(npm.pid as number));
  const ended = once(npm, 'exit');
  const [url] = await new Promise<string[]>((resolve) => {
    let said = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = /http:\/\/[\d.]+:\d+(?=\s[\s\S]*Try:)/.exec(said);
      if (found) resolve(found);
    });
  });
  expect((await fetch(`${url}/health`)).status).toBe(200);
  npm.kill('SIGTERM');
  await ended;
  await expect
    .poll(() => fetch(`${url}/health`).catch(() => 'nobody is there'), { timeout: 10_000 })
    .toBe('nobody is there');
  await rm(other, { recursive: true });
});

test('a start that can not be is told in a line: settings, a port that is taken, data that are in use', async () => {
  const { port } = new URL(service.url);
  const said = (dir: string, env = {}) => startLocally(dir, env).catch((error: Error) => error.message);
  expect(await said(dataDir, { PORT: 'many', AUDITS_AT_ONCE: '0' })).toMatch(/PORT: .*\n.*AUDITS_AT_ONCE: /);
  expect(await said(dataDir)).toMatch(/in use by another process/);
  const other = await mkdtemp(join(tmpdir(), 'page-audit-data-'));
  expect(await said(other, { PORT: port })).toMatch(`Port ${port} is in use. Set PORT`);
  await rm(other, { recursive: true });
});

test('a service that is killed leaves no process, and when started again ends every run once', async () => {
  const done = await service.post(aBody());
  const before = await finished(done.id);
  const { id } = await auditing(['us-west1', 'us-east4', 'europe-west3']);
  const killedPid = service.pid;
  service.signal('SIGKILL');
  await service.exited();
  await waitFor(() => (processesWith(`page-audit-${killedPid}-`).length === 0 ? true : undefined), 5);

  service = await startLocally(dataDir, settings);
  await service.until(id, (check) => check.runs.every((run) => run.state !== 'created'), 90);
  const check = await finished(id, 120);
  expect(check.state).toBe('succeeded');
  expect(check.runs.map(codesOf)).toEqual([[null], [null], [null]]);
  expect(await service.get(done.id)).toEqual(before);
  expect(remainsOf(killedPid)).toEqual({ folders: [], processes: [] });
}, 240_000);

test('when all is done, only the auditor that waits for work is left', async () => {
  // The last audit's folder goes when its last process has: a moment after the run's end.
  await expect.poll(() => remainsOf(service.pid).folders, { timeout: 10_000 }).toHaveLength(1);
  const { processes } = remainsOf(service.pid);
  expect(processes.map(({ command }) => command.includes('child.ts'))).toEqual([true]);
  await service.stop();
  expect(remainsOf(service.pid)).toEqual({ folders: [], processes: [] });
});
