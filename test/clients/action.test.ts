import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { inputNames, markerOf, readInputs } from '../../clients/action/inputs.ts';
import { baseId, checkWith, resultOf } from '../support/check-results.ts';
import { compileCache } from '../support/compile-cache.ts';
import { FakeGitHub } from '../support/fake-github.ts';
import { finishedCheck } from '../support/fake-service.ts';
import { runOf, startScoredService } from '../support/scored-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Step = { id?: string; run?: string; env?: Record<string, string> };
const actionPath = resolve('clients/action');
const action = parse(readFileSync(join(actionPath, 'action.yml'), 'utf8')) as {
  inputs: Record<string, { default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: Step[] };
};
const audit = action.runs.steps.find(({ id }) => id === 'audit') as Required<Step>;

const work = temporaryFolder('action');
let github: FakeGitHub;
beforeAll(async () => {
  github = await FakeGitHub.start();
});
afterAll(() => github.close());

beforeEach(() => Object.assign(github, { comments: {}, answers: {}, failures: [] }));

type Run = {
  event?: readonly [name: string, payload: object];
  /** Does something with the process while it runs. */
  meanwhile?: (pid: number) => Promise<void>;
};

/** Runs the step `audit` as a runner does. */
const runAction = async (
  inputs: Record<string, string>,
  { event: [eventName, event] = pullRequest, meanwhile }: Run = {},
) => {
  const folder = mkdtempSync(join(work, 'run-'));
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
  await Promise.race([meanwhile?.(child.pid as number), closed]);
  const [code] = await closed;
  const [stdout, stderr] = await Promise.all(outputs);
  const summary = readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8');
  const output = Object.fromEntries(
    [...readFileSync(env.GITHUB_OUTPUT, 'utf8').matchAll(/^(.*?)<<(.*)\n([\s\S]*?)\n\2\n/gm)].map(
      ([, name, , value]) => [name, value],
    ),
  );
  return { code, log: stdout + stderr, stdout, summary, output };
};
const sha = 'a'.repeat(40);
const pull = { number: 7, state: 'open', head: { ref: 'blue', sha, repo: { full_name: 'me/shop' } } };
const pullRequest = ['pull_request', { pull_request: pull }] as const;
const bodies = () => (github.comments[7] ?? []).map(({ body }) => body);

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
  const { code, stdout } = await runAction({ urls: 'https://example.com/', 'base-url': 'https://www.example.com' });
  expect([code, commandsIn(stdout)]).toEqual([2, [expect.stringMatching(/^::error title=page-audit::base-url needs/)]]);
});

test('an invalid URL is named in the annotation', async () => {
  await using service = await startScoredService();
  const { code, stdout } = await runAction({ urls: 'ftp://shop.example/', 'server-url': service.url });
  expect([code, commandsIn(stdout)]).toEqual([
    2,
    [expect.stringMatching(/^::error title=page-audit::ftp:\/\/shop\.example\/ is no URL of a web page\. Use a URL/)],
  ]);
});

test('a pull request is compared with its base, and its comment is updated also if GitHub fails once', async () => {
  const url = 'https://shop.example/98?%0A::error::x'; // no text of a page is a command of the workflow
  const other = checkWith({ 'us-west1': runOf(url) }, { id: baseId, url });
  const queries: unknown[] = [];
  await using service = await startScoredService({
    comparison: ({ searchParams }) => {
      queries.push(Object.fromEntries(searchParams));
      return resultOf(checkWith({ 'us-west1': runOf(url) }, { url }), { base: other }).base;
    },
  });
  const inputs = { urls: url, 'server-url': service.url, base: 'branch=main' };
  const marker = markerOf(readInputs(JSON.stringify(inputs)), { workflow: 'audit', job: 'pages' });
  github.comments = { 7: [{ id: 1, body: `${marker}\nolder`, user: { type: 'Bot' } }] };
  github.failures = [{ status: 502 }];
  const { code, log, stdout, output, summary } = await runAction(inputs);
  expect([code, commandsIn(stdout)], log).toEqual([0, []]);
  const [check] = [...service.checks.values()];
  expect(output).toMatchObject({
    'check-ids': JSON.stringify([check?.id]),
    links: JSON.stringify([`${service.url}/checks/${check?.id}`]),
    scores: expect.stringContaining('"performance":98'),
    passed: 'true',
    files: '',
  });
  const labels = { branch: 'blue', commit: sha, repository: 'me/shop' };
  expect(service.bodies).toMatchObject([{ url, samples: 5, labels }]);
  expect(queries).toEqual([{ base: 'label:branch=main' }]);
  expect(summary).toContain(baseId);
  expect(summary).toContain(url.replace(':', '&#58;')); // as a text, not as a link
  expect(bodies()).toEqual([`${marker}\n${summary}`]);
});

test('a preview of many pages gets a comment on the pull request of its commit, and its files for a later step', async () => {
  const asked: unknown[] = [];
  await using service = await startScoredService({
    list: ({ searchParams }) => {
      asked.push(searchParams.get('url'));
      return { checks: [], nextCursor: null };
    },
  });
  const list = join(work, 'pages.txt');
  writeFileSync(list, 'https://preview.example/99\nhttps://preview.example/45\n');
  github.answers = { [`/commits/${sha}/pulls`]: [pull] };
  const { code, log, stdout, output, summary } = await runAction(
    {
      'urls-file': list,
      'base-url': 'https://www.example.com',
      'server-url': service.url,
      'allow-empty': 'true',
      output: [join(work, '{url}.html'), join(work, 'results.json')].join('\n'),
    },
    { event: ['deployment_status', { deployment: { sha, ref: sha }, deployment_status: {} }] },
  );
  expect(code, log).toBe(0);
  expect(new Set(asked)).toEqual(new Set(['https://www.example.com/45', 'https://www.example.com/99']));
  expect(commandsIn(stdout)).toEqual(Array(2).fill(expect.stringMatching(/^::warning title=Not compared::/)));
  expect(bodies()).toEqual([expect.stringContaining(summary)]);
  expect(summary.indexOf('/45')).toBeLessThan(summary.indexOf('/99'));
  const names = ['preview.example_45.html', 'preview.example_99.html', 'results.json'];
  expect((output.files ?? '').split('\n')).toEqual(names.map((name) => join(work, name)));
  expect(JSON.parse(readFileSync(join(work, 'results.json'), 'utf8')).checks).toHaveLength(2);
});

test('a failed assertion of a fork fails the step with annotations, and its token may not comment', async () => {
  await using service = await startScoredService();
  github.failures = [{ status: 403 }];
  const assertions = join(work, 'lighthouserc.json');
  const many = Array.from({ length: 18 }, (_, i) => [
    `no-such-audit-${String.fromCharCode(97 + i)}`,
    i === 17 ? 'error' : 'warn',
  ]);
  writeFileSync(assertions, JSON.stringify({ ci: { assert: { assertions: Object.fromEntries(many) } } }));
  const fork = { ...pull, head: { ref: 'main', sha, repo: { full_name: 'fork/shop' } } };
  const { code, log, stdout, output } = await runAction(
    { urls: 'https://shop.example/50', 'server-url': service.url, assertions },
    { event: ['pull_request', { pull_request: fork }] },
  );
  expect([code, output.passed], log).toEqual([1, 'false']);
  const commands = commandsIn(stdout);
  expect(commands).toHaveLength(11);
  expect(commands[0]).toMatch(/^::error title=us-west1%3A no-such-audit-r::/);
  expect(commands[9]).toMatch(/^::warning title=and 9 more::/);
  expect(commands[10]).toMatch(/^::warning .*pull-requests: write/);
  expect(service.bodies[0]?.labels).toMatchObject({ branch: 'fork:main' });
});

test('no input is a command of the shell, and no log has the key', async () => {
  const inputs = { urls: 'ftp://$(touch /tmp/x) --base=x', 'server-url': 'http://127.0.0.1:1', 'api-key': 'pa_secret' };
  const { code, stdout, output, summary, log } = await runAction(inputs);
  expect([code, output.passed, summary]).toEqual([2, 'false', '']);
  expect(commandsIn(stdout)).toEqual([
    '::add-mask::pa_secret',
    expect.stringMatching(/^::error title=page-audit::ftp:\/\/\$\(touch is no URL of a web page/),
  ]);
  expect(log.replace('::add-mask::pa_secret', '')).not.toContain('pa_secret');
});

test('a cancelled step erases its unfinished check, which has the second variant of `against`', async () => {
  const deleted: string[] = [];
  await using service = await startScoredService({
    get: () => ({ ...finishedCheck, state: 'running' }),
    delete: ({ pathname }) => {
      deleted.push(pathname);
      return null;
    },
  });
  const against = 'https://www.example.com/';
  const cancel = async (pid: number) => {
    await vi.waitUntil(() => service.bodies.length > 0, 30_000);
    process.kill(pid, 'SIGINT'); // the runner signals the shell only
  };
  const inputs = { urls: 'https://shop.example/1', against, 'server-url': service.url };
  const { code, log } = await runAction(inputs, { meanwhile: cancel });
  expect(service.bodies, log).toMatchObject([{ samples: 'auto', against: { url: against } }]);
  expect([code, log]).toEqual([130, expect.stringMatching(/The unfinished check \S+ is erased/)]);
  expect(deleted).toEqual([...service.checks.keys()].map((id) => `/v1/checks/${id}`));
});
