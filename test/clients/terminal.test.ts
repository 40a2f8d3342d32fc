import { describe, expect, test } from 'vitest';
import { paint } from '../../clients/cli/formats/terminal.ts';
import { withLighthouseFlags } from '../../clients/cli/lighthouserc/lighthouse-flags.ts';
import { pageUrlFrom } from '../../clients/cli/many/page-urls.ts';
import { showsRows, viewOf } from '../../clients/cli/view.ts';
import { withScheme } from '../../clients/words/urls.ts';
import { runHere } from '../support/command-context.ts';
import { finishedCheck, startFakeService } from '../support/fake-service.ts';
import { answering, startOddServer } from '../support/odd-server.ts';

const commands = [
  [],
  ['run', '--help-all'],
  ['run'],
  ['get'],
  ['third-parties'],
  ['schedule'],
  ['schedule', 'add'],
  ['list'],
];
const helpAt = async (command: readonly string[], width: number) => {
  const { code, stdout } = await runHere([...command, '--help'], undefined, '', { view: { width, color: false } });
  expect(code).toBe(0);
  return stdout;
};
const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);

describe.each(commands.map((command) => [command.join(' ') || 'page-audit', command] as const))(
  'help of %s',
  (_, command) => {
    test.each([20, 40, 80, 200])('fits %i columns, and divides no word', async (width) => {
      const shown = await helpAt(command, width);
      const wide = shown.split('\n').filter((line) => line.length > width && /\S\s+\S/.test(line));
      expect(wide).toEqual([]);
      expect(wordsOf(shown)).toEqual(wordsOf(await helpAt(command, 1000)));
    });
  },
);

test('the help of a command with many options is short, and --help-all has every option', async () => {
  const [short, all] = [await helpAt(['run'], 1000), await helpAt(['run', '--help-all'], 1000)];
  expect(short.split('\n').length).toBeLessThan(all.split('\n').length / 2);
  expect(short).toMatch(/--help-all shows \d+ more options/);
  expect(short).not.toContain('--throttling.rttMs');
  for (const part of ['--throttling.rttMs', 'PAGE_AUDIT_URL', 'Exit codes:']) expect(all).toContain(part);
  expect(await helpAt(['list'], 1000)).toContain('--created-before');
});

test.each<[string, { isTTY?: boolean; columns?: number }, Record<string, string>, boolean]>([
  ['a terminal', { isTTY: true, columns: 80 }, { TERM: 'xterm-256color' }, true],
  ['a pipe', {}, { TERM: 'xterm-256color' }, false],
  ['a pipe with FORCE_COLOR', {}, { FORCE_COLOR: '1' }, true],
  ['a pipe with FORCE_COLOR=0', {}, { FORCE_COLOR: '0' }, false],
  ['a terminal with NO_COLOR', { isTTY: true }, { TERM: 'xterm-256color', NO_COLOR: '1' }, false],
  ['a terminal with TERM=dumb', { isTTY: true }, { TERM: 'dumb' }, false],
])('%s shows colours or not', (_, stream, env, color) => {
  const view = viewOf(stream, env);
  expect(view.color).toBe(color);
  expect(paint('slow', 'poor', view)).toBe(color ? '\u001b[31mslow\u001b[39m' : 'slow');
  expect(paint('grey', 'none', view)).toBe('grey');
});

test('a terminal of 0 columns has 80, and no rows of progress. Neither has a terminal that can not rewrite them', () => {
  expect(viewOf({ isTTY: true, columns: 0 }, {})).toMatchObject({ width: 80 });
  expect(viewOf({}, {})).toMatchObject({ width: 80 });
  expect(showsRows({ isTTY: true, columns: 0 }, {})).toBe(false);
  expect(showsRows({ isTTY: true, columns: 80 }, { TERM: 'dumb' })).toBe(false);
  expect(showsRows({ isTTY: true, columns: 80 }, { TERM: 'xterm' })).toBe(true);
});

test.each([
  ['localhost:3000', 'http://localhost:3000'],
  ['[::1]:3000', 'http://[::1]:3000'],
  ['127.0.0.1/x', 'http://127.0.0.1/x'],
  ['shop.localhost', 'http://shop.localhost'],
  ['localhost.example', 'https://localhost.example'],
  ['example.com/a', 'https://example.com/a'],
])('%s without a scheme means %s, in each client', (typed, url) => {
  expect([withScheme(typed), pageUrlFrom(typed)]).toEqual([url, url]);
  expect(withScheme(url)).toBe(url);
});

test('a URL of another scheme is refused', async () => {
  const { code, stderr } = await runHere(['run', 'ftp://example.com/'], undefined);
  expect([code, stderr]).toEqual([2, expect.stringContaining('Use a URL that starts with http:// or https://.')]);
});

test('a file or a misspelled command is no page', () => {
  for (const word of ['lighthouserc.json', 'rnu', 'list', '.lighthouserc.yml'])
    expect(withLighthouseFlags([word])).toEqual([word]);
});

test('a wrong option says how to see the right ones', async () => {
  const { code, stderr } = await runHere(['run', '--bogus'], undefined);
  expect([code, stderr]).toEqual([2, "error: unknown option '--bogus'\nAdd --help to see what the command accepts.\n"]);
});

test.each([
  [['trend', 'https://example.com/'], /^trend is no command\. The web page of the service shows a page over time/],
  [['fixes', 'abc'], /^abc is no id of a run or a check, and no URL\./],
])('%j says what to use', async (args, message) => {
  expect(await runHere(args, undefined)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

test('a list says that there are older checks, and what to do if there is none', async () => {
  let list = { checks: [finishedCheck], nextCursor: 'a' } as object;
  await using service = await startFakeService({ list: () => list });
  const older = 'There are older checks. Raise --limit, to 100 at most, or use a filter, such as --url.\n';
  expect(await runHere(['list'], service.url)).toMatchObject({ code: 0, stderr: older });
  list = { checks: [], nextCursor: null };
  expect((await runHere(['list'], service.url)).stdout).toMatch(
    /^There are no checks yet\. Audit a page: page-audit run/,
  );
  const filtered = await runHere(['list', '--state', 'failed'], service.url);
  expect(filtered).toMatchObject({ stdout: 'There are no checks that match.\n', stderr: '' });
});

test('`report` of a check names its runs, and `compare` speaks of its own options', async () => {
  await using service = await startFakeService({ report: () => 'not-found', comparison: () => 'not-comparable' });
  const [run] = finishedCheck.runs;
  expect((await runHere(['report', finishedCheck.id], service.url)).stderr).toContain(
    `Its runs: ${run?.id} (us-west1).`,
  );
  const { code, stderr } = await runHere(['compare', finishedCheck.id], service.url);
  expect([code, stderr]).toEqual([2, expect.stringContaining('use --base <check>')]);
});

const notFound = JSON.stringify({
  type: 'urn:page-audit:problem:not-found',
  status: 404,
  detail: 'No route.',
  code: 'not-found',
});
const noRoute = answering(404, 'application/problem+json', notFound);
const regions = answering(200, 'application/json', JSON.stringify({ regions: [] }));
const page = answering(200, 'text/html', '<h1>Shop</h1>');

test.each([
  [
    'a service at another path',
    (path = '') => (path.startsWith('/wrong') ? noRoute : regions),
    'The service answers at ORIGIN. Set PAGE_AUDIT_URL to it.',
  ],
  [
    'another web site',
    () => page,
    'Set PAGE_AUDIT_URL to the URL of a page audit service, such as http://127.0.0.1:4080.',
  ],
] as const)('a wrong path of PAGE_AUDIT_URL on %s is named as the cause', async (_, answerTo, advice) => {
  await using server = await startOddServer((request, response) => answerTo(request.url)(request, response));
  for (const args of [['list'], ['run', 'https://example.com/', '--region', 'us-west1']]) {
    expect(await runHere(args, `${server.url}/wrong`)).toMatchObject({
      code: 2,
      stderr: `PAGE_AUDIT_URL is ${server.url}/wrong, and no page audit service answers there. ${advice.replace('ORIGIN', server.url)}\n`,
    });
  }
});
