import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Client, CreatedCheck } from '../../clients/api/client.ts';
import { ServiceError } from '../../clients/api/service-error.ts';
import { createPatiently } from '../../clients/cli/run/creating.ts';
import type { CheckView, CreateCheckBody } from '../../shared/check.ts';
import { checkWith, resultOf } from '../support/check-results.ts';
import { runHere } from '../support/command-context.ts';
import { startFakeService } from '../support/fake-service.ts';
import { answering, startOddServer } from '../support/odd-server.ts';
import { runOf, startScoredService } from '../support/scored-service.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'page-audit-many-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const fileWith = (text: string): string => {
  const name = join(folder, 'pages.txt');
  writeFileSync(name, text);
  return name;
};

test('many pages are one table, worst first, and each check has the label of the batch', async () => {
  await using service = await startScoredService();
  const pages = `# a comment\n\nhttps://shop.example/99\r\n  https://shop.example/45  \nhttps://shop.example/broken\nhttps://shop.example/99\n`;
  const args = ['run', '--urls-file', fileWith(pages), '--region', 'us-west1'];
  const { code, stdout, stderr } = await runHere(args, service.url);
  expect(code, stderr).toBe(3);
  const rows = stdout.split('\n').filter((line) => / \/\w+$/.test(line));
  expect(rows.map((line) => line.split(/ +/).at(-1))).toEqual(['/broken', '/45', '/99']);
  expect(stdout).toMatch(/^✘ .*\/broken$/m);
  expect(stdout).toContain('https://shop.example/broken\n✘ The audit failed: http-error');
  expect(stderr).toMatch(/^ +\d+ s {2}3 of 3 {2}https:\/\/shop\.example\/\w+ {2}mobile {2}\w+$/m);
  const batches = new Set(service.bodies.map(({ labels }) => labels?.batch));
  const [batch] = batches;
  expect([batches.size, stdout]).toEqual([
    1,
    expect.stringMatching(
      new RegExp(`^✘ 1 of 3 checks failed\\.\n.*To list the checks:  page-audit list --label batch=${batch}\n$`, 's'),
    ),
  ]);
});

test('Markdown has one table and the failed checks, and other formats are worst first', async () => {
  await using service = await startScoredService();
  const file = fileWith('https://shop.example/99\nhttps://shop.example/broken\n');
  const as = async (format: string) => {
    const args = ['run', '--urls-file', file, '--region', 'us-west1', '--label', 'batch=nightly', '--format', format];
    return (await runHere(args, service.url)).stdout;
  };
  const markdown = await as('markdown');
  expect(markdown).toContain('**1 of 2 checks failed.** https&#58;//shop.example');
  expect(markdown).toMatch(/^\| ❌ \| – .*<code>\/broken<\/code>/m);
  expect(markdown.match(/^### /gm)).toHaveLength(1);
  expect(JSON.parse(await as('json')).checks.map(({ url }: CheckView) => url)).toEqual([
    'https://shop.example/broken',
    'https://shop.example/99',
  ]);
});

test('standard input, a sitemap and arguments are one list, at most ten checks are unfinished at once', async () => {
  await using service = await startScoredService();
  const pages = Array.from({ length: 30 }, (_, i) => `<url><loc>/${i + 50}</loc></url>`).join('');
  await using host = await startOddServer(answering(200, 'application/xml', `<urlset>${pages}</urlset>`));
  const args = ['run', 'https://shop.example/1', '--urls-file', '-', '--sitemap', `${host.url}/sitemap.xml`];
  const limit = ['--limit', '22', '--region', 'us-west1', '--basic-auth', 'me:secret', '--header', 'Cookie: a=b; c=d'];
  const { code, stderr } = await runHere([...args, ...limit], service.url, 'https://shop.example/2\n');
  expect(code, stderr).toBe(0);
  expect(service.bodies.map(({ url }) => new URL(url).pathname)).toEqual([
    '/1',
    '/2',
    ...Array.from({ length: 20 }, (_, i) => `/${i + 50}`),
  ]);
  expect(stderr).toContain('The command audits the first 20 pages of the sitemap.');
  expect(service.most()).toBeLessThanOrEqual(10);
  expect(host.requests[0]?.headers).toMatchObject({ authorization: `Basic ${btoa('me:secret')}`, cookie: 'a=b; c=d' });
});

test.each([
  [
    'a line that is no URL',
    ['--urls-file', '-'],
    'https://shop.example/\nshop.example/a\nftp://b/\nfile:///c',
    2,
    /^standard input:3: ftp:\/\/b\/ is no URL .*\nstandard input:4: file:/,
  ],
  ['an empty list', ['--urls-file', '-'], '\n# nothing\n', 2, /standard input names no page/],
  ['a missing file', ['--urls-file', '/nowhere/pages.txt'], '', 2, /\/nowhere\/pages\.txt does not exist/],
  ['a folder', ['--urls-file', tmpdir()], '', 2, /is a folder/],
  ['a sitemap of another scheme', ['--sitemap', 'ftp://shop.example/sitemap.xml'], '', 2, /is no URL of a sitemap/],
  ['a limit of 0', ['--urls-file', '-', '--limit', '0'], 'https://shop.example/', 2, /--limit 0 leaves no page/],
  [
    'a host of sitemaps alone',
    ['https://shop.example/', '--sitemap-host', 'same'],
    '',
    2,
    /is for the pages of --sitemap/,
  ],
  [
    'another host of sitemaps',
    ['--sitemap', 'https://a.example/', '--sitemap-host', 'x'],
    '',
    2,
    /Allowed choices are same/,
  ],
  ['a limit alone', ['https://shop.example/', '--limit', '3'], '', 2, /--limit is for the pages of --sitemap/],
] as const)('%s is exit code 2 before any audit', async (_, args, stdin, code, message) => {
  await using service = await startScoredService();
  const result = await runHere(['run', ...args], service.url, stdin);
  expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
  expect(service.bodies).toEqual([]);
});

test('a page that the service refuses is named, and the others are audited', async () => {
  await using service = await startScoredService();
  const pages = 'https://refused.example/\nhttps://shop.example/99\n';
  const args = ['run', '--urls-file', '-', '--region', 'us-west1'];
  const { code, stdout, stderr } = await runHere(args, service.url, pages);
  expect([code, stdout]).toEqual([2, expect.stringContaining('0 of 1 checks failed.')]);
  expect(stderr).toContain('https://refused.example/ is not audited. The URL is refused.');
  const none = await runHere(args, service.url, 'https://refused.example/\n');
  expect(none).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('No page is audited') });
});

test('a limit of the plan is waited out as long as the service says, until the time limit of the command', async () => {
  vi.useFakeTimers();
  try {
    const refusal = new ServiceError('problem', 'The plan allows 200 audits a day. Retry in 432 s.', {
      status: 429,
      retryAfter: 432,
    });
    const answers: (CreatedCheck | ServiceError)[] = [refusal, refusal, { id: 'c' } as CreatedCheck];
    const keys: unknown[] = [];
    const create: Client['create'] = async (_, { idempotencyKey } = {}) => {
      keys.push(idempotencyKey);
      const answer = answers.shift();
      if (answer instanceof ServiceError) throw answer;
      return answer as CreatedCheck;
    };
    const over = new AbortController();
    const limit = { signal: over.signal, explained: () => new Error('too late') };
    const waits: string[] = [];
    const options = {
      limit,
      signal: new AbortController().signal,
      onWait: ({ message }: Error) => void waits.push(message),
    };
    const body = { url: 'https://shop.example/', auditVersion: 'latest', regions: ['us-west1'] };
    const created = createPatiently({ create } as Client, body, options);
    await vi.advanceTimersByTimeAsync(863_000);
    expect([keys.length, waits.length]).toEqual([2, 2]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await created).toEqual({ id: 'c' });
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    answers.push(refusal);
    const late = createPatiently({ create } as Client, body, options);
    const ended = expect(late).rejects.toThrow('too late');
    await vi.advanceTimersByTimeAsync(10_000);
    over.abort();
    await ended;
  } finally {
    vi.useRealTimers();
  }
});

test('--base-url finds the check of the same path or label on another host, and says why there is none', async () => {
  const other = checkWith(
    { 'us-west1': runOf('https://www.example/99') },
    { id: randomUUID(), url: 'https://www.example/99?x=1' },
  );
  const elsewhere = { ...resultOf(other).check, id: randomUUID(), url: 'https://other.example/99' };
  const queries: URLSearchParams[] = [];
  const compared: URLSearchParams[] = [];
  const check = checkWith(
    { 'us-west1': runOf('https://www.example/99') },
    { id: randomUUID(), url: 'https://preview.example/99?x=1' },
  );
  const { check: view, base } = resultOf(check, { base: other });
  let listed: CheckView[] = [elsewhere, resultOf(other).check];
  await using service = await startFakeService({
    create: (_, sent) => ({ ...view, labels: (sent as CreateCheckBody).labels }),
    get: () => view,
    comparison: ({ searchParams }) => {
      compared.push(searchParams);
      return base;
    },
    list: ({ searchParams }) => {
      queries.push(searchParams);
      return { checks: listed, nextCursor: null };
    },
  });
  const audit = (...args: string[]) =>
    runHere(['run', view.url, '--region', 'us-west1', '--base-url', 'https://www.example', ...args], service.url);
  await audit('--base', 'branch=main');
  expect(Object.fromEntries(queries[0] ?? [])).toEqual({
    url: 'https://www.example/99?x=1',
    device: 'mobile',
    state: 'succeeded',
    label: 'branch:main',
    limit: '100',
  });
  expect(Object.fromEntries(compared[0] ?? [])).toEqual({ base: other.id, intended: 'url' });
  view.labels = { page: 'start' };
  await audit('--label', 'page=start');
  expect([queries[1]?.get('url'), queries[1]?.get('label'), compared[1]?.get('base')]).toEqual([
    null,
    'page:start',
    other.id,
  ]);
  view.labels = {};
  listed = [];
  const missing = await audit();
  expect([missing.code, missing.stdout]).toEqual([
    2,
    expect.stringContaining('✘ https://preview.example/99?x=1 is compared with nothing.'),
  ]);
  expect(missing.stdout.replaceAll(/\s+/g, ' ')).toContain('The service has no check of https://www.example/99?x=1.');
  expect((await audit('--allow-empty')).code).toBe(0);

  const get = (...args: string[]) =>
    runHere(['get', view.id, '--base-url', 'https://www.example', ...args], service.url);
  expect(await get()).toMatchObject({ code: 2, stdout: missing.stdout });
  listed = [resultOf(other).check];
  await get('--base', 'branch=main');
  expect([queries.at(-1)?.get('label'), compared.at(-1)?.get('base')]).toEqual(['branch:main', other.id]);
  expect(await get('--pool', '3')).toMatchObject({ code: 2, stderr: expect.stringContaining('Use one.') });
});

test.each([
  [['--base-url', 'https://www.example/shop'], /is no host/],
  [['--base-url', 'www.example'], /is no host/],
  [['--base-url', 'https://www.example', '--base', randomUUID()], /Leave out --base/],
  [['--base-url', 'https://www.example', '--pool', '3'], /--pool is for a label/],
  [['--base-url', 'https://www.example', '--against', 'https://b.example/'], /Use one/],
  [['https://b.example/', '--base-url', 'https://www.example', '--label', 'page=a'], /names one page/],
])('%j is exit code 2 before any audit', async (args, message) => {
  await using service = await startScoredService();
  const { code, stderr } = await runHere(['run', 'https://shop.example/', ...args], service.url);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});
