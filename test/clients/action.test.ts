import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { inputNames } from '../../clients/action/inputs.ts';
import type { Client } from '../../clients/api/client.ts';
import type { CheckView } from '../../shared/check.ts';
import type { Sample } from '../../shared/page-metrics-schemas.ts';
import { type Api, startApi } from '../support/api.ts';
import { samplesOf } from '../support/check-results.ts';
import { compileCache } from '../support/compile-cache.ts';
import { FakeGitHub } from '../support/fake-github.ts';
import { readReport } from '../support/recorded-reports.ts';
import { waitFor } from '../support/service.ts';
import { passed, type World } from '../support/world.ts';

type Step = { id?: string; run?: string; env?: Record<string, string> };
const actionPath = resolve('clients/action');
const action = parse(readFileSync(join(actionPath, 'action.yml'), 'utf8')) as {
  inputs: Record<string, { default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: Step[] };
};
const audit = action.runs.steps.find(({ id }) => id === 'audit') as Required<Step>;

let world: World;
let api: Api;
let client: Client;
let github: FakeGitHub;
beforeAll(async () => {
  github = await FakeGitHub.start();
  api = await startApi();
  ({ world, client } = api);
});
afterAll(async () => {
  await api.stop();
  github.close();
});

beforeEach(() => Object.assign(github, { comments: {}, answers: {}, failures: [] }));

/** Runs the step `audit` as a runner does. `finish` finishes the run of the check with the label of this use. */
const runAction = async (
  inputs: Record<string, string>,
  finish?: (pid: number) => Promise<void>,
  [eventName, event]: readonly [name: string, payload: object] = pullRequest,
) => {
  const folder = mkdtempSync(join(tmpdir(), 'page-audit-action-'));
  const file = (name: string, content = '') => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const defaults = Object.entries(action.inputs).map(([name, input]) => [name, input.default]);
  const contexts: Record<string, string> = {
    'toJSON(inputs)': JSON.stringify({ ...Object.fromEntries(defaults), ...inputs }, null, 2),
    'github.token': 'ghs_token',
    'github.action_path': actionPath,
  };
  const resolved = (expression: string): string =>
    expression.replace(/\$\{\{ ([\w.()]+) \}\}/g, (_, name: string) => contexts[name] ?? `no ${name}`);
  const env = {
    ...compileCache,
    PATH: `${join(process.execPath, '..')}:${process.env.PATH}`,
    HOME: process.env.HOME,
    RUNNER_TEMP: folder,
    GITHUB_STEP_SUMMARY: file('summary.md'),
    GITHUB_OUTPUT: file('output'),
    GITHUB_EVENT_PATH: file('event.json', JSON.stringify(event)),
    GITHUB_REPOSITORY: 'me/shop',
    GITHUB_EVENT_NAME: eventName,
    GITHUB_REF: 'refs/heads/main',
    GITHUB_SHA: 'b'.repeat(40),
    GITHUB_API_URL: github.url,
    GITHUB_WORKFLOW: 'audit',
    GITHUB_JOB: 'pages',
    ...Object.fromEntries(Object.entries(audit.env).map(([name, value]) => [name, resolved(value)])),
  };
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', audit.run], { env });
  const outputs = [text(child.stdout), text(child.stderr)] as const;
  const closed = once(child, 'close');
  await Promise.race([finish?.(child.pid as number), closed]);
  const [code] = await closed;
  const [stdout, stderr] = await Promise.all(outputs);
  const summary = readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8');
  const output = Object.fromEntries(
    [...readFileSync(env.GITHUB_OUTPUT, 'utf8').matchAll(/^(.*?)<<(.*)\n([\s\S]*?)\n\2\n/gm)].map(
      ([, name, , value]) => [name, value],
    ),
  );
  rmSync(folder, { recursive: true });
  return { code, log: stdout + stderr, stdout, summary, output };
};
const sha = 'a'.repeat(40);
const pull = { number: 7, state: 'open', head: { ref: 'blue', sha, repo: { full_name: 'me/shop' } } };
const pullRequest = ['pull_request', { pull_request: pull }] as const;
const bodies = () => (github.comments[7] ?? []).map(({ body }) => body);

/** Finishes the run of the newest check of a URL with the recorded report of the faulty page. */
const finishNext =
  (url: string, known = new Set<string>(), more: { samples?: Sample[] } = {}) =>
  async () => {
    const isNext = ({ id, state }: Pick<CheckView, 'id' | 'state'>) => state === 'created' && !known.has(id);
    const { id } = await waitFor(async () => (await client.list({ url })).checks.find(isNext));
    const run = await world.runOf(id);
    await world.finish(run, { ...passed, ...more, report: await world.storeReport(run, readReport('13.5.0')) });
  };
const aUrl = () => `https://example.com/${randomUUID()}`;

/** Returns the lines that the runner takes for commands: those outside of stopped parts. */
const commandsIn = (stdout: string): string[] => {
  let resume: string | undefined;
  return stdout.split('\n').filter((line) => {
    if (resume !== undefined) {
      if (line === `::${resume}::`) resume = undefined;
      return false;
    }
    resume = /^::stop-commands::(.+)$/.exec(line)?.[1];
    return resume === undefined && line.startsWith('::');
  });
};

test('each input is used, each output is set, and no input is a part of a script', () => {
  expect(Object.keys(action.inputs).sort()).toEqual([...inputNames].sort());
  for (const [name, { value }] of Object.entries(action.outputs))
    expect(value).toBe(`\${{ steps.audit.outputs.${name} }}`);
  for (const { run } of action.runs.steps) expect(run ?? '').not.toContain('${{');
});

test('a base without a service is refused before the audit', async () => {
  const { code, stdout } = await runAction({ urls: aUrl(), base: 'branch=main' });
  expect([code, commandsIn(stdout)]).toEqual([2, [expect.stringMatching(/^::error title=page-audit::base needs/)]]);
});

test('a pull request gets one comment for each leg, which the next run updates also if GitHub fails once', async () => {
  const url = aUrl();
  const inputs = { urls: url, 'server-url': api.url };
  const first = await runAction(inputs, finishNext(url));
  expect(first.code, first.log).toBe(0);
  const { output } = first;
  expect(output).toMatchObject({ passed: 'true', scores: expect.stringContaining('"performance":98') });
  const [id] = JSON.parse(output['check-ids'] as string);
  expect(JSON.parse(output.links as string)).toEqual([`${api.url}/checks/${id}`]);
  expect((await client.get(id)).labels).toEqual({ branch: 'blue', commit: sha, repository: 'me/shop' });
  expect(first.summary).toContain(url.replace(':', '&#58;')); // as a text, not as a link
  const marker = /^<!-- page-audit: audit pages [\da-f]{12} -->\n/;
  expect(bodies()).toEqual([expect.stringMatching(marker)]);

  github.failures = [{ status: 502 }];
  const second = await runAction(inputs, finishNext(url, new Set([id])));
  expect(second.code, second.log).toBe(0);
  expect(bodies().map((body) => body.replace(marker, ''))).toEqual([second.summary]);
  expect(second.summary).not.toContain(id);

  const leg = await runAction({ ...inputs, device: 'desktop' }, finishNext(url, new Set([id])));
  expect(leg.code, leg.log).toBe(0);
  expect(bodies()).toHaveLength(2);
});

test('`base: branch=main` fails without a base and says why, and finds the check of a push to main', async () => {
  const url = aUrl();
  const inputs = { urls: url, 'server-url': api.url, base: 'branch=main' };
  const alone = await runAction(inputs, finishNext(url));
  const [id] = JSON.parse(alone.output['check-ids'] as string);
  expect([alone.code, (await client.get(id)).samples], alone.log).toEqual([2, 5]);
  expect(bodies()[0]).toMatch(
    /Not compared\.\*\* No earlier finished check[\s\S]*Run this workflow on the branch `main`/,
  );
  const known = new Set([id]);
  const measured = { samples: samplesOf('unchanged', 0, 5) };
  const main = await runAction({ ...inputs, 'allow-empty': 'true' }, finishNext(url, known, measured), ['push', {}]);
  expect([main.code, commandsIn(main.stdout)], main.log).toEqual([
    0,
    [expect.stringMatching(/^::warning.*Not compared/)],
  ]);
  const [base] = JSON.parse(main.output['check-ids'] as string);
  const compared = await runAction(inputs, finishNext(url, known, measured));
  expect([compared.code, compared.output.passed], compared.log).toEqual([0, 'true']);
  expect(bodies()).toEqual([expect.stringContaining(base)]);
});

test('a preview gets its comment on the pull request of its commit', async () => {
  const url = aUrl();
  github.answers = { [`/commits/${sha}/pulls`]: [pull] };
  const deployment = ['deployment_status', { deployment: { sha, ref: sha }, deployment_status: {} }] as const;
  const { code, log, summary } = await runAction({ urls: url, 'server-url': api.url }, finishNext(url), deployment);
  expect(code, log).toBe(0);
  expect(bodies()).toEqual([expect.stringContaining(summary)]);
});

test('a failed assertion fails the step with annotations, and `passed` is false', async () => {
  const url = aUrl();
  const folder = mkdtempSync(join(tmpdir(), 'page-audit-action-'));
  const assertions = join(folder, 'lighthouserc.json');
  const many = Array.from({ length: 18 }, (_, i) => [
    `no-such-audit-${String.fromCharCode(97 + i)}`,
    i === 17 ? 'error' : 'warn',
  ]);
  writeFileSync(assertions, JSON.stringify({ ci: { assert: { assertions: Object.fromEntries(many) } } }));
  const { code, stdout, output } = await runAction({ urls: url, 'server-url': api.url, assertions }, finishNext(url));
  expect([code, output.passed]).toEqual([1, 'false']);
  const commands = commandsIn(stdout);
  expect(commands).toHaveLength(10);
  expect(commands[0]).toMatch(/^::error title=us-west1%3A no-such-audit-r::/);
  expect(commands[9]).toMatch(/^::warning title=and 9 more::/);
  rmSync(folder, { recursive: true });
});

test('a fork, whose token may not comment, gets a warning and the label of its own branch', async () => {
  const url = aUrl();
  github.failures = [{ status: 403 }];
  const fork = { ...pull, head: { ref: 'main', sha, repo: { full_name: 'fork/shop' } } };
  const event = ['pull_request', { pull_request: fork }] as const;
  const { code, stdout, output } = await runAction({ urls: url, 'server-url': api.url }, finishNext(url), event);
  expect([code, commandsIn(stdout)]).toEqual([0, [expect.stringMatching(/^::warning .*pull-requests: write/)]]);
  const [id] = JSON.parse(output['check-ids'] as string);
  expect((await client.get(id)).labels).toMatchObject({ branch: 'fork:main' });
});

test('no input and no text of a page is a command of the shell or of the workflow', async () => {
  const url = `${aUrl()}?%0A::error::x`;
  const { code, stdout, output } = await runAction(
    { urls: url, 'server-url': api.url, comment: 'false' },
    finishNext(url),
  );
  expect([code, commandsIn(stdout), output.passed]).toEqual([0, [], 'true']);
  const shell = await runAction({ urls: '$(touch /tmp/x) --base=x', 'server-url': api.url, 'api-key': 'pa_secret' });
  expect([shell.code, shell.output.passed, shell.summary]).toEqual([2, 'false', '']);
  expect(commandsIn(shell.stdout)).toEqual([
    '::add-mask::pa_secret',
    expect.stringMatching(/^::error title=page-audit::The command ended with exit code 2/),
  ]);
  expect(shell.log.replace('::add-mask::pa_secret', '')).not.toContain('pa_secret');
});

test('a cancelled step erases its unfinished check, which has the second variant of `against`', async () => {
  const [url, against] = [aUrl(), 'https://www.example.com/'];
  let check: CheckView | undefined;
  const cancel = async (pid: number) => {
    const { id } = await waitFor(async () => (await client.list({ url })).checks[0]);
    check = await client.get(id);
    process.kill(pid, 'SIGINT'); // the runner signals the shell only
  };
  const { code, log } = await runAction({ urls: url, against, 'server-url': api.url }, cancel);
  expect(check, log).toMatchObject({ samples: 5, against: { url: against } });
  expect([code, log]).toEqual([130, expect.stringMatching(/The unfinished check \S+ is erased/)]);
  expect((await client.list({ url })).checks).toEqual([]);
});
