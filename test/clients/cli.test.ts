import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../clients/api/client.ts';
import type { AssertionResult } from '../../shared/assertions/assertions.ts';
import { noMetrics, spreadOf } from '../../shared/metrics/page-metrics.ts';
import { runError } from '../../shared/problems.ts';
import { type Api, startApi } from '../support/api.ts';
import { runHere } from '../support/command-context.ts';
import { compileCache } from '../support/compile-cache.ts';
import { answering, startOddServer } from '../support/odd-server.ts';
import { readReport } from '../support/recorded-reports.ts';
import { waitFor } from '../support/service.ts';
import { unlessMissing } from '../support/skips.ts';
import { failing, slowPage } from '../support/slow-page.ts';
import { aCheck, passed, type World } from '../support/world.ts';

let world: World;
let api: Api;
let client: Client;
beforeAll(async () => {
  api = await startApi();
  ({ world, client } = api);
});
afterAll(async () => {
  await api.stop();
});

const file = 'clients/cli/page-audit.cjs';
const environment = (url: string | undefined, more = {}) => {
  const { PATH = '', HOME = '' } = process.env;
  return { ...compileCache, PATH, HOME, ...(url && { PAGE_AUDIT_URL: url }), ...more };
};
/** Runs the command as a user does, and checks that no stack trace is shown. */
const pageAudit = (args: string[], { url = api.url as string | undefined, env = {} } = {}) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const options = { env: environment(url, env) };
    const child = execFile(process.execPath, [file, ...args], options, (_, stdout, stderr) => {
      expect(stderr).not.toMatch(/^ {4}at /m);
      resolve({ code: child.exitCode, stdout, stderr });
    });
  });
/** Runs the command in this process. The tests of `pageAudit` show that a process behaves the same. */
const pageAuditHere = async (args: readonly string[]) => {
  const result = await runHere(args, api.url);
  expect(result.stderr).not.toMatch(/^ {4}at /m);
  return result;
};
const finish = async (id: string, state: 'succeeded' | 'failed' = 'succeeded') => {
  const result = state === 'failed' ? { state, error: runError('dns-failure') } : passed;
  await world.finish(await world.runOf(id), result);
};
/** Waits for the one check with this label. */
const checkLabelled = async (label: string): Promise<string> => {
  const { id } = await waitFor(async () => (await client.list({ label: [label] })).checks[0]);
  return id;
};

test.each([
  ['succeeded', 0],
  ['failed', 3],
] as const)('`run` waits for a run that %s, and its exit code is %i', async (state, code) => {
  const label = `test:${randomUUID()}`;
  const ended = pageAudit(['run', 'https://example.com/', '--label', label, '--format', 'json']);
  await finish(await checkLabelled(label), state);
  const { stdout, stderr, ...rest } = await ended;
  expect(rest).toEqual({ code });
  const [check] = JSON.parse(stdout).checks;
  expect(check).toMatchObject({ state, url: 'https://example.com/', regions: ['us-west1'], auditVersion: '13.5.0' });
  expect(stderr).toContain(`  https://example.com/  mobile  ${state}`);
});

test('two URLs on two devices are four checks, whose ids `--detach` prints', async () => {
  const urls = ['https://example.com/a', 'https://example.com/b', '--device', 'mobile,desktop', '--detach'];
  const args = ['run', ...urls, '--region', 'us-east4,us-west1', '--idempotency-key', 'k'];
  const { code, stdout } = await pageAuditHere(args);
  const ids = stdout.trim().split('\n');
  expect([code, ids.length, new Set(ids).size]).toEqual([0, 4, 4]);
  expect(await client.get(ids[1] as string)).toMatchObject({ device: 'desktop', regions: ['us-east4', 'us-west1'] });
  const again = await pageAuditHere(args);
  expect(again.stdout).toBe(stdout);
});

test('throttling and blocked URL patterns have the names of Lighthouse, and missing values are those of the device', async () => {
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await pageAuditHere(['run', 'https://example.com/', '--detach', ...args]);
    expect(code, stderr).toBe(0);
    return Promise.all(
      stdout
        .trim()
        .split('\n')
        .map((id) => client.get(id)),
    );
  };
  const patterns = ['--blocked-url-patterns', '*.js?a,b', '--blocked-url-patterns', 'ads.example.com'];
  const values = ['--throttling.cpuSlowdownMultiplier', '6', '--throttling.throughputKbps', '400.5'];
  const [mobile, desktop] = await run('--device', 'mobile,desktop', ...values, ...patterns);
  expect(mobile).toMatchObject({
    throttling: { rttMs: 150, throughputKbps: 400.5, cpuSlowdownMultiplier: 6 },
    blockedUrlPatterns: ['*.js?a,b', 'ads.example.com'],
  });
  expect(desktop?.throttling).toMatchObject({ rttMs: 40, cpuSlowdownMultiplier: 6 });
  const [without] = await run('--throttling', 'none', '--simulate', '3g,train=800/200/4', '--simulate', 'region');
  expect(without?.throttling).toBe('none');
  const train = { name: 'train', rttMs: 800, throughputKbps: 200, cpuSlowdownMultiplier: 4 };
  expect(without?.simulations).toEqual(['3g', train, 'region']);
});

test('an interrupt erases the unfinished check, prints its id and is exit code 130', async () => {
  const label = `test:${randomUUID()}`;
  const args = [file, 'run', 'https://example.com/', '--label', label];
  const child = spawn(process.execPath, args, { env: environment(api.url) });
  const stderr = child.stderr.toArray();
  const id = await checkLabelled(label);
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([130, null]);
  expect(`${Buffer.concat(await stderr)}`).toContain(`The unfinished check ${id} is erased.`);
  await expect(client.get(id)).rejects.toMatchObject({ code: 'not-found' });
});

test('a check that is erased while the command waits is exit code 4', async () => {
  const label = `test:${randomUUID()}`;
  const ended = pageAuditHere(['run', 'https://example.com/', '--label', label]);
  await client.delete(await checkLabelled(label));
  expect(await ended).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('was erased') });
});

test('a timeout is exit code 4, and the check stays', async () => {
  const label = `test:${randomUUID()}`;
  const { code, stderr } = await pageAuditHere(['run', 'https://example.com/', '--label', label, '--timeout', '1']);
  const id = await checkLabelled(label);
  expect([code, stderr]).toEqual([4, expect.stringMatching(`page-audit get ${id}\n.*did not finish within 1 s`)]);
  expect((await client.get(id)).state).toBe('created');
});

test('`get`, `list`, `report` and `delete` show and erase a check', async () => {
  const stored = { auditVersion: '13.5.0', categories: {}, audits: {} };
  const { check, run } = await world.finishedRun(JSON.stringify(stored));
  const { stdout } = await pageAuditHere(['get', check.id]);
  expect(stdout).toMatch(/^https:\/\/example.com\/ .*\n +us-west1\nPerformance +\S 98\n/);
  expect((await pageAuditHere(['list', '--limit', '1'])).stdout).toMatch(
    new RegExp(`^https://example.com/\n +\\S 98 us-west1\n.*\n +${check.id}\n$`),
  );
  expect(JSON.parse((await pageAuditHere(['report', run.id])).stdout)).toEqual(stored);
  expect((await pageAuditHere(['delete', check.id])).code).toBe(0);
  expect(await pageAuditHere(['get', check.id])).toMatchObject({ code: 2, stdout: '' });
});

test('`fixes` prints what to fix first in a run and in the worst run of a check', async () => {
  const items = [{ url: 'https://a.example/x.js', wastedBytes: 2048 }];
  const report = slowPage({ any: failing({ metricSavings: { LCP: 500 }, details: { type: 'table', items } }) });
  const { check, run } = await world.finishedRun(JSON.stringify(report));
  const { code, stdout } = await pageAuditHere(['fixes', check.id]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('Title of any (Performance, saves 500 ms of LCP)')]);
  expect(stdout).toMatch(/^ +https:\/\/a\.example\/x\.js {2}2 KiB$/m);
  expect((await pageAuditHere(['fixes', run.id])).stdout).toBe(stdout);
  const json = JSON.parse((await pageAuditHere(['fixes', run.id, '--format', 'json'])).stdout);
  expect(json).toMatchObject({ runId: run.id, performance: 98, fixes: [{ audit: 'any', itemCount: 1 }] });
  const markdown = (await pageAuditHere(['fixes', run.id, '--format', 'markdown'])).stdout;
  expect(markdown).toContain('| 500 ms of LCP | <code>https&#58;//a.example/x.js  2 KiB</code> |');
  const got = await pageAuditHere(['get', check.id, '--format', 'json']);
  expect(JSON.parse(got.stdout).checks[0].fixes).toEqual({ runId: run.id, fixes: json.fixes });
});

test('`fixes` audits a URL', async () => {
  const ended = pageAuditHere(['fixes', 'https://example.com/fixes', '--device', 'desktop']);
  const { id } = await waitFor(async () => (await client.list({ url: 'https://example.com/fixes' })).checks[0]);
  const run = await world.runOf(id);
  const report = await world.storeReport(run, gzipSync(JSON.stringify(slowPage({}))));
  await world.finish(run, { ...passed, report });
  const { code, stdout } = await ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining('Lighthouse found nothing to fix.')]);
  expect(stdout).toContain('us-west1, Lighthouse 13.5.0, desktop, Performance 98');
});

test('`fixes` of an unfinished, failed or unknown run says why there are none', async () => {
  const [run] = await world.create(aCheck({ regions: ['us-west1'] }));
  if (!run) throw new Error('no run');
  expect(await pageAuditHere(['fixes', run.id])).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/state created/),
  });
  await world.finish(run, { state: 'failed', error: runError('page-hung') });
  expect(await pageAuditHere(['fixes', run.id])).toMatchObject({ code: 2, stderr: expect.stringMatching(/page-hung/) });
  expect(await pageAuditHere(['fixes', randomUUID()])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/no run with this ID/),
  });
});

test('a gate that judges nothing is exit code 2, and 0 with --allow-empty', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-audit-empty-'));
  const rc = (assert: object) => {
    const name = join(folder, 'lighthouserc.json');
    writeFileSync(name, JSON.stringify({ ci: { assert } }));
    return name;
  };
  const runWith = async (...options: string[]) => {
    const label = `test:${randomUUID()}`;
    const ended = pageAuditHere(['run', 'https://example.com/', '--label', label, ...options]);
    const run = await world.runOf(await checkLabelled(label));
    await world.finishWith(run, readReport('13.5.0'));
    return ended;
  };
  for (const assertions of [{}, { 'categories:seo': 'off' }]) {
    const { code, stderr } = await pageAuditHere(['run', 'https://example.com/', '--assert', rc({ assertions })]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('asserts nothing. Write an assertion')]);
  }
  expect(await runWith('--assert', rc({ assertions: {} }), '--allow-empty')).toMatchObject({ code: 0 });
  const elsewhere = { matchingUrlPattern: 'shop', assertions: { 'categories:seo': 'error' } };
  const matrix = rc({ assertMatrix: [elsewhere] });
  const { code, stderr } = await runWith('--assert', matrix);
  expect([code, stderr]).toEqual([2, expect.stringContaining('No assertion was about a page, so nothing is proved.')]);
  expect(await runWith('--assert', matrix, '--allow-empty')).toMatchObject({ code: 0 });
  expect(await runWith('--base', 'branch=nobody')).toMatchObject({ code: 2 });
  expect(await runWith('--base', 'branch=nobody', '--allow-empty')).toMatchObject({ code: 0 });
  rmSync(folder, { recursive: true });
});

test.each([
  [['run', 'ftp://example.com'], 2, /^ftp:\/\/example.com is no URL of a web page/],
  [['run', 'ftp://example.com'], 2, /Use a URL that starts with http:\/\/ or https:\/\/\.\n$/],
  [['run', 'https://example.com', '--region', 'mars'], 2, /A region is not supported. Supported regions: us-west1/],
  [['run', 'https://example.com', '--device', 'watch'], 2, /Use mobile, desktop/],
  [['run', 'https://example.com', '--device', ''], 2, /The list is empty. Name one or more, or leave out the option/],
  [['run', 'https://example.com', '--region', ''], 2, /The list is empty/],
  [['run', 'https://example.com', '--category', ','], 2, /The list is empty/],
  [['run', 'https://example.com', '--samples', 'many'], 2, /Use a whole number/],
  [['run', 'https://example.com', '--throttling', '4x'], 2, /Use none, or values such as --throttling.rttMs 150/],
  [['run', 'https://example.com', '--throttling', 'none', '--throttling.rttMs', '9'], 2, /cannot be used with/],
  [['run', 'https://example.com', '--throttling.rttMs', 'slow'], 2, /Use a number/],
  [['run', 'https://example.com', '--throttling.rttMs', '9999'], 2, /`rttMs` \(1 to 5,000\)/],
  [['run', 'https://example.com', '--blocked-url-patterns', '*'], 2, /must not match the URL of the page itself/],
  [['run', 'https://example.com', '--format', 'pdf'], 2, /Use one of text, json, markdown, junit, csv/],
  [['run', 'https://example.com', '--nope'], 2, /unknown option '--nope'/],
  [['run', 'http://10.0.0.1/'], 2, /Private, reserved/],
  [['get', 'nothing'], 2, /./],
  [['nothing'], 2, /unknown command 'nothing'/],
] as const)('`page-audit %j` is exit code %i with a message', async (args, code, message) => {
  const result = await pageAuditHere(args);
  expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
  expect(result.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
});

/** Finishes the one run of the check with this label. Its report is the recorded one of the faulty page. */
const finishWithReport = async (label: string) => {
  const run = await world.runOf(await checkLabelled(label));
  await world.finishWith(run, readReport('13.5.0'));
};
const temporary = () => mkdtempSync(join(tmpdir(), 'page-audit-cli-'));

test.each([
  ['error', 1],
  ['warn', 0],
] as const)('a failed assertion of level %s is exit code %i, in every file of --output', async (level, code) => {
  const folder = temporary();
  const rc = join(folder, 'lighthouserc.json');
  const assertions = { 'button-name': level, 'categories:seo': ['error', { minScore: 0 }] };
  writeFileSync(rc, JSON.stringify({ ci: { assert: { assertions } } }));
  const label = `test:${randomUUID()}`;
  const files = ['a.json', 'a.md', 'a.xml', 'a.csv', 'a.txt'].map((name) => join(folder, name));
  const outputs = files.flatMap((file) => ['--output', file]);
  const ended = pageAuditHere(['run', 'https://example.com/', '--label', label, '--assert', rc, ...outputs]);
  await finishWithReport(label);
  const result = await ended;
  expect(result.code, result.stderr).toBe(code);
  const sign = level === 'error' ? '✘' : '!';
  expect(result.stdout).toMatch(new RegExp(`^${sign} Buttons .+: score 0, .+\\(button-name\\)$`, 'm'));
  const [json = '', ...others] = files.map((file) => readFileSync(file, 'utf8'));
  expect(JSON.parse(json).checks[0]).toMatchObject({ assertionsPassed: level !== 'error' });
  for (const text of others.slice(0, 2)) expect(text).toContain('button-name');
  rmSync(folder, { recursive: true });
});

test('the service judges the assertions of a file and its preset, and lists the check by them', async () => {
  const folder = temporary();
  const rc = join(folder, 'lighthouserc.json');
  const preset = { preset: 'lighthouse:no-pwa', assertions: { 'button-name': 'warn', label: 'error' } };
  writeFileSync(rc, JSON.stringify({ ci: { assert: preset } }));
  const label = `test:${randomUUID()}`;
  const args = ['run', 'https://example.com/', '--label', label, '--assert', rc, '--format', 'json'];
  const ended = pageAuditHere(args);
  const run = await world.runOf(await checkLabelled(label));
  expect(await world.store.assertionsOf(run.checkId)).toEqual([preset]);
  await world.finishWith(run, readReport('13.5.0'));
  const { code, stdout } = await ended;
  const [check] = JSON.parse(stdout).checks;
  expect([code, check.assertionsPassed]).toEqual([1, false]);
  const results: AssertionResult[] = check.runs[0].assertions;
  expect(results.map(({ key }) => key)).toEqual(expect.arrayContaining(['label', 'image-alt']));
  expect(results.filter(({ key }) => key === 'button-name')).toMatchObject([{ level: 'warn', passed: false }]);

  const listed = (value: string) => pageAuditHere(['list', '--label', label, '--assertions-passed', value]);
  expect((await listed('false')).stdout).toContain(`✘ assertions failed`);
  expect((await listed('true')).stdout).toBe('There are no checks that match.\n');
  expect(await listed('no')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Allowed choices are true, false'),
  });
  expect((await pageAuditHere(['get', check.id])).stdout).toContain(
    '✘ Form elements do not have associated labels: score 0, expected',
  );
  rmSync(folder, { recursive: true });
});

test('an aggregationMethod that the samples can not serve is refused before the audits', async () => {
  const rc = join(temporary(), 'lighthouserc.json');
  const assert = { aggregationMethod: 'pessimistic', assertions: { 'image-alt': 'error', 'categories:seo': 'error' } };
  writeFileSync(rc, JSON.stringify({ ci: { collect: { numberOfRuns: 3 }, assert } }));
  expect(await pageAuditHere(['run', 'https://example.com/', '--assert', rc])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/The method needs the report of each sample for image-alt, .*and/),
  });
});

test.each([
  ['97', 0],
  ['97.5', 1],
  ['101', 2],
] as const)('--budget %s is the lowest performance score that is allowed', async (budget, expected) => {
  const label = `test:${randomUUID()}`;
  const ended = pageAuditHere(['run', 'https://example.com/', '--label', label, '--budget', budget]);
  if (expected !== 2) {
    const run = await world.runOf(await checkLabelled(label));
    const minScore = Number(budget) / 100;
    expect(await world.store.assertionsOf(run.checkId)).toEqual({ 'categories:performance': ['error', { minScore }] });
    const report = JSON.parse(gunzipSync(readReport('13.5.0')).toString());
    report.categories.performance.score = 0.97;
    await world.finishWith(run, gzipSync(JSON.stringify(report)));
  }
  expect((await ended).code).toBe(expected);
});

test('a wrong file of assertions or an output that can not be written costs no audit', async () => {
  const before = (await client.list({ limit: 1 })).checks[0]?.id;
  const folder = temporary();
  const rc = join(folder, 'lighthouserc.json');
  writeFileSync(rc, '{ "ci": {\n "assert": { "assertions": { "button-name": { "minScore": 1 } } } } }');
  for (const [args, message] of [
    [['--assert', rc], /lighthouserc\.json:2:\d+/],
    [['--assert', join(folder, 'none.json')], /none\.json/],
    [['--output', join(folder, 'none', 'a.json')], /can't be written/],
    [['--output', 'a.pdf'], /unknown extension/],
    [['--base', 'main'], /no base/],
    [['--base', randomUUID()], /./],
  ] as const) {
    const result = await pageAuditHere(['run', 'https://example.com/', ...args]);
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  }
  expect((await client.list({ limit: 1 })).checks[0]?.id).toBe(before);
  rmSync(folder, { recursive: true });
});

/** Finishes the one run of the check with this label with three samples. */
const finishWithSamples = async (label: string, lcp: number) => {
  const samples = [0, 2, 4].map((more) => ({
    ...noMetrics,
    lcp: lcp + more,
    cpuBusy: 0,
    contended: false,
  }));
  const outcome = { ...noMetrics, lcp, samples, spread: spreadOf(samples) };
  await world.finish(await world.runOf(await checkLabelled(label)), { state: 'succeeded', ...outcome });
};

test('a label as base names the newest finished check of the page, and a regression is exit code 1', async () => {
  const base = `suite:${randomUUID()}`;
  const runOn = async (lcp: number) => {
    const label = `test:${randomUUID()}`;
    const args = ['--label', label, '--label', base, '--base', base, '--samples', '3'];
    const ended = pageAuditHere(['run', 'https://example.com/base', ...args]);
    await finishWithSamples(label, lcp);
    return ended;
  };
  const first = await runOn(600);
  expect([first.code, first.stdout]).toEqual([2, expect.stringContaining('nothing is compared')]);
  expect((await runOn(605)).code).toBe(0);
  const slower = await runOn(2600);
  expect([slower.code, slower.stdout]).toEqual([1, expect.stringMatching(/LCP.*slower/)]);
});

const needsScript = unlessMissing(spawnSync('script', ['--version']).status === 0 ? undefined : 'script');

test.each([
  [80, /✔ https:\/\/example.com\/ \[/],
  [20, /^ +\d+ s {2}https:/m],
] as const)('a terminal of %i columns shows the progress and the result', needsScript, async (columns, progress) => {
  const label = `test:${randomUUID()}`;
  const command = `stty cols ${columns}; ${process.execPath} ${file} run https://example.com/ --label ${label}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: environment(api.url) });
  const output = child.stdout.toArray();
  const closed = once(child, 'close');
  const id = await checkLabelled(label);
  await finish(id);
  expect((await closed)[0]).toBe(0);
  const shown = `${Buffer.concat(await output)}`;
  expect(shown).toMatch(progress);
  expect(shown).toContain(`${api.url}/checks/${id}`);
});

const problem = (status: number, code: string) =>
  JSON.stringify({ type: `urn:page-audit:problem:${code}`, status, detail: 'The cause.', code, requestId: 'r' });
const problemAnswer = (status: number, code: string, headers = {}) =>
  answering(status, 'application/problem+json', problem(status, code), headers);
test.each([
  ['HTML', answering(200, 'text/html', '<h1>Hello</h1>'), 2, /Set it to the URL of a page audit service/],
  ['a 401', problemAnswer(401, 'unauthorized'), 2, /Set PAGE_AUDIT_KEY/],
  ['a 500', problemAnswer(500, 'internal'), 4, /The cause. \(requestId r\)/],
  ['a 429', problemAnswer(429, 'too-many-requests', { 'retry-after': '99' }), 4, /Retry in 99 s/],
] as const)('%s is a message with an exit code, and the key stays secret', async (_, answer, code, text) => {
  await using server = await startOddServer(answer);
  const { stderr, ...rest } = await pageAudit(['list'], { url: server.url, env: { PAGE_AUDIT_KEY: 'pa_secret' } });
  expect(rest).toEqual({ code, stdout: '' });
  expect(stderr).toMatch(text);
  expect(stderr).not.toContain('secret');
});

test.each([
  ['http://127.0.0.1:9', 4, /can't be reached .+ PAGE_AUDIT_URL names this service/],
  ['127.0.0.1:4080', 2, /PAGE_AUDIT_URL is no URL/],
  ['http://me:secret@127.0.0.1', 2, /PAGE_AUDIT_URL is no URL/],
  ['', 2, /Set PAGE_AUDIT_URL/],
] as const)('with PAGE_AUDIT_URL=%s, `list` is exit code %i', async (url, code, message) => {
  const { stderr, ...rest } = await pageAudit(['list'], { url });
  expect([rest, stderr]).toEqual([{ code, stdout: '' }, expect.stringMatching(message)]);
});

test('a reader that closes the output ends the command without a message', async () => {
  const child = spawn(process.execPath, [file, 'list', '--format', 'json'], { env: environment(api.url) });
  child.stdout.destroy();
  const stderr = child.stderr.toArray();
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(await stderr).toEqual([]);
});
