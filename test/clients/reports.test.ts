import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { InterruptedError } from '../../clients/cli/exit-codes.ts';
import { openResults } from '../../clients/cli/run/open.ts';
import { saveReports } from '../../clients/cli/run/report-files.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { type Api, startApi } from '../support/api.ts';
import { checkWith, resultOf, samplesOf, succeeded } from '../support/check-results.ts';
import { runHere } from '../support/command-context.ts';
import { readReport } from '../support/recorded-reports.ts';
import { waitFor } from '../support/service.ts';
import { aCheck, passed } from '../support/world.ts';

let api: Api;
let folder: string;
const report = gunzipSync(readReport('13.5.0')).toString();
beforeAll(async () => {
  api = await startApi();
  folder = mkdtempSync(join(tmpdir(), 'page-audit-test-reports-'));
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true });
});

/** Returns true for Lighthouse's report with its data. A failed comparison would print megabytes. */
const isReport = (text: string) =>
  text.includes('window.__LIGHTHOUSE_JSON__ = {') && text.trimEnd().endsWith('</html>');
const pageAudit = (...args: string[]) => runHere(args, api.url);
const fileOf = (name: string, content: unknown) => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
};

test('`run` writes the HTML report of each region, and prints where it is', async () => {
  const label = `test:${randomUUID()}`;
  const template = join(folder, '{url}-{region}.html');
  const args = [
    'run',
    'https://example.com/',
    '--region',
    'us-west1,us-east4',
    '--label',
    label,
    '--output',
    template,
    '--verbose',
  ];
  const ended = pageAudit(...args);
  const { id } = await waitFor(async () => (await api.client.list({ label: [label] })).checks[0]);
  for (const i of [0, 1]) {
    const run = await api.world.runOf(id, i);
    await api.world.finish(run, { ...passed, report: await api.world.storeReport(run, gzipSync(report)) });
  }
  const { code, stdout, stderr } = await ended;
  expect(code, stderr).toBe(0);
  const { runs } = await api.client.get(id);
  for (const run of runs) {
    const file = join(folder, `example.com-${run.region}.html`);
    expect(isReport(readFileSync(file, 'utf8')), file).toBe(true);
    expect(stdout).toContain(`File    ${run.region}  ${file}`);
    expect(stdout).toContain(`Run     ${run.region}  ${run.id}`);
  }
  expect(stdout).toContain(`Report  ${api.url}/checks/${id}`);
});

test.each([
  [['https://a.example/', 'https://b.example/', '--output', 'r.html'], 'r-{url}.html'],
  [['https://a.example/', '--device', 'mobile,desktop', '--format', 'html'], 'the command has 2 runs'],
  [['https://a.example/', '--output', '/nowhere/{device}.html'], "/nowhere can't be written"],
  [['https://a.example/', '--output', '{url}.json'], '{url}.json has all runs'],
  [['https://a.example/', '--open'], '--open needs a terminal'],
])('%j is refused before an audit', async (args, message) => {
  const before = (await api.client.list()).checks.length;
  expect(await pageAudit('run', ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  expect((await api.client.list()).checks).toHaveLength(before);
});

test('`get --format html` prints the report, and says why a run has none', async () => {
  const { check } = await api.world.finishedRun(report);
  const { code, stdout } = await pageAudit('get', check.id, '--format', 'html');
  expect([code, isReport(stdout)]).toEqual([0, true]);
  const waiting = aCheck({ regions: ['us-west1'] });
  await api.world.create(waiting);
  const none = await pageAudit('get', waiting.id, '--format', 'html');
  expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'us-west1 has no report. Its run is created.\n' });
});

test('`get --assert` judges a stored report by a changed file, without another audit', async () => {
  const { check } = await api.world.finishedRun(report);
  const rules = (minScore: number) =>
    fileOf('rc.json', { ci: { assert: { assertions: { 'categories:seo': ['error', { minScore }] } } } });
  const good = await pageAudit('get', check.id, '--assert', rules(0.1));
  expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining('1 assertion passed') });
  const bad = await pageAudit('get', check.id, '--wait', '--assert', rules(1));
  expect(bad.code).toBe(1);
  const vacuous = fileOf('none.json', {
    ci: { assert: { assertMatrix: [{ matchingUrlPattern: 'x{9}', assertions: { 'categories:seo': 'error' } }] } },
  });
  expect((await pageAudit('get', check.id, '--assert', vacuous)).code).toBe(2);
});

test('budgets of the settings warn, or fail the gate with performance-budget of level error', async () => {
  const { check } = await api.world.finishedRun(report);
  const settings = { budgets: [{ resourceSizes: [{ resourceType: 'total', budget: 1 }] }] };
  const judged = (assert: object) =>
    pageAudit('get', check.id, '--assert', fileOf('budgets.json', { ci: { collect: { settings }, assert } }));
  expect(await judged({})).toMatchObject({ code: 0, stdout: expect.stringContaining('! Total size: 1,533') });
  const failed = await judged({ assertions: { 'performance-budget': 'error' } });
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('✘ Total size: 1,533') });
});

/** Finishes a check that asked for three samples. `lcps` are those that the service has. */
const finishedSamples = async (lcps: readonly number[]) => {
  const check = aCheck({ regions: ['us-west1'], samples: 3 });
  const [run] = await api.world.create(check);
  if (!run) throw new Error('no run');
  const samples = lcps.map((lcp) => ({ ...noMetrics, lcp, cpuBusy: 0, contended: false }));
  const outcome = { ...passed, samples, report: await api.world.storeReport(run, gzipSync(report)) };
  await api.world.finish(run, outcome);
  return { id: check.id, run };
};

test('`get --assert` judges all samples as the method says, and refuses what needs each report', async () => {
  const worst = (key: string) =>
    fileOf('worst.json', {
      ci: { assert: { aggregationMethod: 'pessimistic', assertions: { [key]: ['error', { maxNumericValue: 2500 }] } } },
    });
  const { id } = await finishedSamples([900, 950, 4000]);
  const judged = await pageAudit('get', id, '--assert', worst('largest-contentful-paint'));
  expect(judged).toMatchObject({ code: 1, stderr: '', stdout: expect.stringContaining('(worst of 3 samples)') });
  expect(await pageAudit('get', id, '--assert', worst('dom-size'))).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^assertions.0: The method needs the report of each sample for dom-size, and/),
  });
});

test('`get --wait` follows a detached check to its end, and its exit code is that of `run`', async () => {
  const { stdout: id } = await pageAudit('run', 'https://example.com/follow', '--detach');
  const unfinished = await pageAudit('get', id.trim(), '--base', 'branch=main');
  expect(unfinished).toMatchObject({ code: 2, stderr: expect.stringContaining('Wait for it with --wait.') });
  const output = join(folder, 'followed.json');
  const ended = pageAudit('get', id.trim(), '--wait', '--base', 'branch=main', '--output', output);
  await api.world.finish(await api.world.runOf(id.trim()));
  expect(await ended).toMatchObject({ code: 2, stdout: expect.stringContaining('has the label branch=main') });
  expect(JSON.parse(readFileSync(output, 'utf8')).checks[0].state).toBe('succeeded');
  expect((await pageAudit('get', id.trim())).code).toBe(0);
});

test('an interrupt while temporary reports are written deletes them', async () => {
  const { check } = resultOf(checkWith({ 'us-west1': succeeded(samplesOf('unchanged', 3)) }));
  const runs = check.runs.map((run) => ({ ...run, links: { ...run.links, report: '/report' } }));
  const result = { ...resultOf(checkWith({})), check: { ...check, runs }, server: null };
  const temporary = mkdtempSync(join(folder, 'temporary-'));
  vi.stubEnv('TMPDIR', temporary);
  const interrupt = new AbortController();
  const client = {
    reportPage: async () => {
      expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^page-audit-reports-/)]);
      interrupt.abort(new InterruptedError('Interrupted.'));
      throw interrupt.signal.reason;
    },
  };
  const saved = saveReports(client as never, [result], { format: 'text' }, interrupt.signal);
  await expect(saved).rejects.toBeInstanceOf(InterruptedError);
  vi.unstubAllEnvs();
  expect(readdirSync(temporary)).toEqual([]);
});

test('`--open` shows the files of the command, or else the page of the service', async () => {
  const opened: string[] = [];
  const context = { openAddress: async (address: string) => void opened.push(address), note: () => {} };
  const result = resultOf(checkWith({ 'us-west1': succeeded(samplesOf('unchanged', 3)) }));
  const [run] = result.check.runs;
  await openResults([result], context);
  await openResults([{ ...result, reportFiles: { [run?.id ?? '']: '/tmp/a b.html' } }], context);
  expect(opened).toEqual([expect.stringMatching(/^http:\/\/127.0.0.1:4080\/checks\//), 'file:///tmp/a%20b.html']);
});
