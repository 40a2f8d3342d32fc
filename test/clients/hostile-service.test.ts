import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { error } from '@actions/core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Client } from '../../clients/api/client.ts';
import { annotationsOf } from '../../clients/cli/ci/findings.ts';
import { explain } from '../../clients/cli/exit-codes.ts';
import { jsonOf } from '../../clients/cli/formats/json.ts';
import { formatNames } from '../../clients/cli/formats/render.ts';
import * as read from '../../clients/cli/read/read.ts';
import { get } from '../../clients/cli/run/get.ts';
import { mcpServer } from '../../clients/mcp/server.ts';
import { runError } from '../../shared/problems.ts';
import { checkWith, failed, resultOf, samplesOf, succeeded } from '../support/check-results.ts';
import { commandContext } from '../support/command-context.ts';
import { shortReport, startFakeService } from '../support/fake-service.ts';
import { answering, startOddServer } from '../support/odd-server.ts';

/** Escape sequences of 7 and 8 bits, marks that reorder text, line breaks, a formula, and commands of other readers. */
const attack =
  '=1\u001b[2J\u009b31m\u009d0;x\u0007\u202e\u2066\u200f\u0000\r\n::error::x\n# H\u2028@octocat | `x` </code></testcase>]]> <img src=x>';
/** Texts that the client computes with. A walk attacks each of them alone. */
const isComputedWith = (path: string) => /\.(state|device|blame|lighthouseVersion)$/.test(path);

/** Replaces every text of an answer, also the names of its fields where the service chooses them. */
const attacked = (value: unknown, isSpared = isComputedWith, path = ''): unknown => {
  if (typeof value === 'string') return isSpared(path) ? value : attack;
  if (Array.isArray(value)) return value.map((each, i) => attacked(each, isSpared, `${path}.${i}`));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      path.endsWith('.labels') ? attack : name,
      attacked(each, isSpared, `${path}.${name}`),
    ]),
  );
};
const textsOf = (value: unknown, path = ''): string[] =>
  typeof value === 'string'
    ? [path]
    : Object.entries(value ?? {}).flatMap(([name, each]) => textsOf(each, `${path}.${name}`));

const runs = {
  'us-west1': succeeded(samplesOf('unchanged', 3), { warnings: ['a warning'], finalUrl: 'https://shop.example/x' }),
  'us-east4': succeeded(samplesOf('slower', 0)),
  'europe-north1': { ...failed('http-error'), error: runError('http-error', { detail: 'A cause.' }) },
};
const { check, comparison } = resultOf(checkWith(runs, { labels: { branch: 'main' }, samples: 3 }));
const answers = {
  check,
  comparison,
  report: { ...shortReport, audits: { a: { id: 'a', title: 'A', score: 0, scoreDisplayMode: 'binary' } } },
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'page-audit-hostile-'));
  const assertions = { 'categories:performance': ['error', { minScore: 0.9 }], 'no-such-audit': 'warn' };
  writeFileSync(join(folder, 'rc.json'), JSON.stringify({ ci: { assert: { assertions } } }));
});
afterAll(() => rm(folder, { recursive: true }));

const startHostile = ({ check, comparison, report }: Record<keyof typeof answers, unknown>) =>
  startFakeService({
    regions: () => attacked({ regions: [{ id: 'us-west1' }] }),
    create: () => check,
    get: () => check,
    list: () => ({ checks: [check], nextCursor: null }),
    comparison: () => comparison,
    report: () => report,
    run: () => (check as { runs: unknown[] }).runs[0],
  });

/** Runs commands that show the check, and returns everything that they show and write. */
const shownBy = async (url: string, formats = formatNames): Promise<Record<string, string>> => {
  const id = crypto.randomUUID();
  const shown: Record<string, string> = {};
  const show = async (name: string, work: (command: ReturnType<typeof commandContext>) => Promise<unknown>) => {
    const command = commandContext(url);
    await work(command).catch((error) => command.context.note(explain(error).text));
    shown[name] = command.shown.stdout;
    shown[`messages of ${name}`] = command.shown.stderr;
  };
  for (const format of formats) {
    await show(`run ${format}`, ({ run }) => run({ format, assert: join(folder, 'rc.json') }));
    await show(`get ${format}`, ({ context }) => get(context, [id], { format, timeout: 900 }));
  }
  for (const format of ['text', 'json'] as const) {
    await show(`list ${format}`, ({ context }) => read.list(context, { format }));
    await show(`compare ${format}`, ({ context }) => read.compare(context, id, { format }));
  }
  await show('report', ({ context }) => read.report(context, id, {}));
  return shown;
};

/** Characters that steer a terminal or reorder its text. */
const steering = /(?![\n\r])\p{C}|[\u2028\u2029]/u;
const expectSafe = (shown: Record<string, string>) => {
  for (const [name, text] of Object.entries(shown)) {
    expect(text, name).not.toMatch(steering);
    expect(text, name).not.toMatch(/^(?:::error|# H)/m);
  }
};

test('no text of a hostile service steers a terminal or leaves its line, in any command and format', async () => {
  const hostile = attacked(answers) as typeof answers;
  await using service = await startHostile(hostile);
  const shown = await shownBy(service.url);
  expectSafe(shown);
  for (const name of ['run text', 'run markdown', 'run junit', 'run csv', 'get json', 'list text'])
    expect(shown[name], name).toContain('octocat'); // the command has shown the attack
  for (const name of ['run markdown', 'get markdown']) {
    expect(shown[name]).not.toMatch(/<img|<\/testcase>|@octocat| \| `x`/);
  }
  expect(shown['get csv']?.split('\r\n')).toHaveLength(5); // the heading, three runs and the end
  const markup = shown['get junit']?.replace(/<!\[CDATA\[[\s\S]*?\]\]>/g, '');
  expect(markup?.match(/<\/testcase>/g)).toHaveLength(3);
  expect(markup).not.toContain('<img');
});

test('each text that the client computes with is as safe, also if the command fails', async () => {
  for (const path of textsOf(answers).filter(isComputedWith)) {
    if (path === '.check.state') continue; // the check would never finish
    await using service = await startHostile(attacked(answers, (each) => each !== path) as typeof answers);
    expectSafe(await shownBy(service.url, ['text', 'markdown']));
  }
});

test('annotations of the action are one line each', async () => {
  const hostile = attacked(resultOf(checkWith(runs)).check) as typeof check;
  const results = {
    check: hostile,
    comparison: null,
    base: null,
    baseProblem: attack,
    explanation: null,
    assertions: {},
    fixes: null,
    server: null,
    readWith: null,
    isOnePlace: false,
  };
  const annotations = annotationsOf(JSON.parse(jsonOf([results])));
  expect(annotations.length).toBeGreaterThan(1);
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  for (const { message, title } of annotations) error(message, { title });
  const lines = written.mock.calls.map(([line]) => line);
  written.mockRestore();
  expect(lines).toHaveLength(annotations.length);
  for (const line of lines) expect(line).toMatch(/^::error title=[^\r\n]*::[^\r\n]*\n$/);
});

test('a tool of agents returns no steering text', async () => {
  await using service = await startHostile(attacked(answers) as typeof answers);
  const server = mcpServer({ version: '1', connect: async () => new Client({ url: service.url }) });
  // biome-ignore lint/suspicious/noExplicitAny: the SDK keeps its tools in a private field
  const tools = (server as any)._registeredTools as Record<string, any>;
  const ids = { checkId: crypto.randomUUID(), id: crypto.randomUUID(), limit: 1 };
  for (const name of ['get_check', 'list_checks', 'compare', 'fixes']) {
    const { content } = await tools[name].handler(ids, { signal: new AbortController().signal });
    expectSafe({ [name]: content[0].text });
  }
});

const problem = { type: 'urn:page-audit:problem:x', status: 400, detail: attack, code: attack, requestId: attack };
test.each([
  [
    'a problem',
    answering(
      400,
      'application/problem+json',
      JSON.stringify({
        ...problem,
        errors: [
          { path: attack, message: attack },
          { path: attack, message: attack },
        ],
      }),
    ),
  ],
  [
    'a problem of the service',
    answering(500, 'application/problem+json', JSON.stringify({ ...problem, errors: attack })),
  ],
  ['a redirect', answering(302, 'text/html', '', { location: 'http://x/\u009b31m' })],
  ['a content type', answering(200, 'text/\u009b31m', '')],
] as const)('the message about %s is safe', async (_, answer) => {
  await using server = await startOddServer(answer);
  const { context, shown } = commandContext(server.url);
  const error = await read.list(context, {}).catch((error) => error);
  const { text } = explain(error);
  expect(`${text}${shown.stderr}`).not.toMatch(steering);
  expect(text.split('\n').length).toBeLessThanOrEqual(2);
});
