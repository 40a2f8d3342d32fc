import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Client } from '../../clients/api/client.ts';
import type { CheckView } from '../../shared/check.ts';
import { type Api, startApi } from '../support/api.ts';
import { compileCache } from '../support/compile-cache.ts';
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
beforeAll(async () => {
  api = await startApi();
  ({ world, client } = api);
});
afterAll(async () => {
  await api.stop();
  github.close();
});

/** GitHub's API, as far as the action uses it. */
type Comment = { id: number; body: string; user: { type: string } };
let comments: Comment[] = [];
let refusal: number | undefined;
const github = createServer(async (request, response) => {
  const body = request.method === 'GET' ? undefined : (JSON.parse(await text(request)) as { body: string }).body;
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://github');
  const found = comments.find(({ id }) => pathname === `/repos/me/shop/issues/comments/${id}`);
  const isList = pathname === '/repos/me/shop/issues/7/comments';
  const authorized = request.headers.authorization === 'Bearer ghs_token';
  const page = Number(searchParams.get('page') ?? 1);
  const answer = (status: number, value: object) => response.writeHead(status).end(JSON.stringify(value));
  if (refusal || !authorized) return answer(refusal ?? 401, {});
  if (request.method === 'GET' && isList) return answer(200, comments.slice((page - 1) * 100, page * 100));
  if (request.method === 'POST' && isList && body)
    comments.push({ id: 500 + comments.length, body, user: { type: 'Bot' } });
  else if (request.method === 'PATCH' && found && body) found.body = body;
  else return answer(404, {});
  return answer(200, {});
}).listen(0, '127.0.0.1');
beforeEach(() => {
  comments = [];
  refusal = undefined;
});

/** Runs the step `audit` as a runner does. `finish` finishes the run of the check with the label of this use. */
const runAction = async (
  inputs: Record<string, string>,
  finish?: (pid: number) => Promise<void>,
  event: object = pullRequest,
) => {
  const folder = mkdtempSync(join(tmpdir(), 'page-audit-action-'));
  const file = (name: string, content = '') => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const resolved = (expression: string): string =>
    expression.replace(/\$\{\{ (?:inputs\.([\w-]+)|github\.(\w+)) \}\}/g, (_, input: string, context: string) =>
      input ? (inputs[input] ?? action.inputs[input]?.default ?? '') : context === 'token' ? 'ghs_token' : actionPath,
    );
  const env = {
    ...compileCache,
    PATH: `${join(process.execPath, '..')}:${process.env.PATH}`,
    HOME: process.env.HOME,
    RUNNER_TEMP: folder,
    GITHUB_STEP_SUMMARY: file('summary.md'),
    GITHUB_OUTPUT: file('output'),
    GITHUB_EVENT_PATH: file('event.json', JSON.stringify(event)),
    GITHUB_REPOSITORY: 'me/shop',
    GITHUB_API_URL: `http://127.0.0.1:${(github.address() as AddressInfo).port}`,
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
const pullRequest = { pull_request: { number: 7 } };

/** Finishes the run of the newest check of a URL with the recorded report of the faulty page. */
const finishNext =
  (url: string, known = new Set<string>()) =>
  async () => {
    const isNext = ({ id, state }: Pick<CheckView, 'id' | 'state'>) => state === 'created' && !known.has(id);
    const { id } = await waitFor(async () => (await client.list({ url })).checks.find(isNext));
    const run = await world.runOf(id);
    await world.finish(run, { ...passed, report: await world.storeReport(run, readReport('13.5.0')) });
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
  const used = Object.values(audit.env).join('\n');
  for (const input of Object.keys(action.inputs)) expect(used).toContain(`\${{ inputs.${input} }}`);
  for (const [name, { value }] of Object.entries(action.outputs))
    expect(value).toBe(`\${{ steps.audit.outputs.${name} }}`);
  for (const { run } of action.runs.steps) expect(run ?? '').not.toContain('${{');
});

test('a pull request gets one comment, which the next run updates', async () => {
  const url = aUrl();
  comments = Array.from({ length: 100 }, (_, i) => ({ id: i, body: 'Nice!', user: { type: 'User' } }));
  const first = await runAction({ urls: url, 'server-url': api.url }, finishNext(url));
  expect(first.code, first.log).toBe(0);
  const { output } = first;
  expect(output).toMatchObject({ passed: 'true', scores: expect.stringContaining('"performance":98') });
  const [id] = JSON.parse(output['check-ids'] as string);
  expect(JSON.parse(output.links as string)).toEqual([`${api.url}/checks/${id}`]);
  expect(first.summary).toContain(url.replace(':', '&#58;')); // as a text, not as a link
  expect(comments).toHaveLength(101);
  const marker = /^<!-- page-audit: audit pages .*-->\n/;
  expect(comments[100]?.body).toMatch(marker);

  const second = await runAction({ urls: url, 'server-url': api.url }, finishNext(url, new Set([id])));
  expect(second.code, second.log).toBe(0);
  expect(comments).toHaveLength(101);
  expect(comments[100]?.body.replace(marker, '')).toBe(second.summary);
  expect(second.summary).not.toContain(id);
});

test('a failed assertion fails the step with annotations, and `passed` is false', async () => {
  const url = aUrl();
  const folder = mkdtempSync(join(tmpdir(), 'page-audit-action-'));
  const assertions = join(folder, 'lighthouserc.json');
  const many = Array.from({ length: 20 }, (_, i) => [
    `no-such-audit-${String.fromCharCode(97 + i)}`,
    i === 19 ? 'error' : 'warn',
  ]);
  writeFileSync(assertions, JSON.stringify({ ci: { assert: { assertions: Object.fromEntries(many) } } }));
  const { code, stdout, output } = await runAction({ urls: url, 'server-url': api.url, assertions }, finishNext(url));
  expect([code, output.passed]).toEqual([1, 'false']);
  const commands = commandsIn(stdout);
  expect(commands).toHaveLength(10);
  expect(commands[0]).toMatch(/^::error title=us-west1%3A no-such-audit-t::/);
  rmSync(folder, { recursive: true });
});

test('a comment that is not allowed is a warning, and neither a copied marker nor another event gets a comment', async () => {
  const url = aUrl();
  refusal = 403;
  const { code, stdout } = await runAction({ urls: url, 'server-url': api.url }, finishNext(url));
  expect([code, commandsIn(stdout)]).toEqual([0, [expect.stringMatching(/^::warning .*pull-requests: write/)]]);
  refusal = undefined;
  const copy = { id: 1, body: '<!-- page-audit: audit pages - -->\nmine', user: { type: 'User' } };
  comments = [copy];
  const other = aUrl();
  await runAction({ urls: other, 'server-url': api.url }, finishNext(other), { ref: 'main' });
  expect(comments).toEqual([copy]);
  const third = aUrl();
  await runAction({ urls: third, 'server-url': api.url }, finishNext(third));
  expect(comments).toHaveLength(2);
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
