import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pagesIn } from '../../clients/cli/read/pages-text.ts';
import { pagesHeadline, uniquePages } from '../../clients/words/pages.ts';
import { pageExample } from '../../shared/openapi/page-example.ts';
import type { Page, PageList, PageResult } from '../../shared/pages/pages.ts';
import { type Api, startApi } from '../support/api.ts';
import { runHere } from '../support/command-context.ts';
import { finishedCheck } from '../support/finished-checks.ts';
import { startOddServer } from '../support/odd-server.ts';

const now = new Date('2026-11-25T18:49:27.905Z');
const regressed = pageExample();
const [result] = regressed.results as [PageResult];
const change = result.change as NonNullable<PageResult['change']>;
const score = change.metrics.performance as NonNullable<typeof change.metrics.performance>;
const range = { estimate: 0, low: -1, high: 1, confidence: 0.99, by: 'checks' } as const;
/** Returns a page like the example, with another result. */
const pageWith = (changed: Page['changed'], url: string, more: Partial<PageResult>): Page => ({
  url,
  changed,
  results: [{ ...result, ...more }],
});
const pages: Page[] = [
  regressed,
  pageWith('failed', 'https://broken.example/=1+1,"x"', {
    state: 'failed',
    errorCode: 'http-error',
    errorMessage: 'The server answered with status 503.',
    performance: null,
    change: null,
    unjudged: 'failed',
  }),
  pageWith('unchanged', 'https://example.com/same', {
    performance: 95,
    change: { ...change, verdict: 'same', metrics: { performance: { ...score, verdict: 'same', change: range } } },
  }),
  pageWith('untold', 'https://example.com/new', {
    device: 'desktop',
    region: 'us-east4',
    performance: 98,
    change: null,
    unjudged: 'too-few-checks',
  }),
  pageWith('untold', 'https://example.com/other', { change: null, unjudged: 'other-inputs' }),
];
const counts = { total: 5, worse: 1, failed: 1, better: 0, unchanged: 1, untold: 2 };
const answer: PageList = { pages, since: '2026-11-18T18:49:27.905Z', counts, cut: false, nextCursor: null };
const list = { ...answer, isFiltered: false, isOnePlace: false, server: 'http://127.0.0.1:4080', now, sent: '7d' };
const view = { width: 110, color: false };

test.each([
  ['text', 110, 'pages.txt'],
  ['text', 30, 'pages.narrow.txt'],
  ['csv', 110, 'pages.csv'],
  ['markdown', 110, 'pages.md.txt'],
] as const)('pages as %s in %i columns have the result and the change of each page', async (format, width, file) => {
  const shown = pagesIn(format, list, { ...view, width });
  await expect(shown).toMatchFileSnapshot(`snapshots/${file}`);
  if (format === 'text')
    expect(shown.split('\n').filter((line) => line.length > width && !line.includes('//127'))).toEqual([]);
});

test('pages with interactions have a column with the slowest one of each, and its grade', () => {
  const interactions = [
    { name: 'menu', inp: '120ms' },
    { name: 'search', inp: '324ms' },
    { name: 'gone', inp: null },
  ];
  const withInteractions = {
    ...list,
    pages: [
      pageWith('untold', 'https://example.com/a', { change: null, unjudged: 'too-few-checks', interactions }),
      pageWith('untold', 'https://example.com/b', { interactions: [{ name: 'gone', inp: null }] }),
      pageWith('untold', 'https://example.com/c', {}),
    ],
  };
  const shown = (format: 'text' | 'markdown' | 'csv', width = 140) =>
    pagesIn(format, withInteractions, { ...view, width }).split('\n');
  const [header, first, second, third] = shown('text').slice(2);
  expect(header).toMatch(/Performance +slowest interaction +change/);
  expect(first).toMatch(/ ■ INP of search 324 ms +too few checks .*example.com\/a/);
  expect(second).toMatch(/ ○ no INP of gone /);
  expect(third).not.toContain('INP');
  expect(shown('text', 40).join('\n')).toContain('example.com/a\n  ');
  expect(shown('text', 40)).toContainEqual(expect.stringMatching(/^ +■ INP of search 324 ms$/));
  expect(shown('markdown')).toContainEqual(expect.stringMatching(/\| \S+ INP of search 324 ms \|/));
  expect(shown('csv')[0]).toMatch(/,interactions\r?$/);
  expect(shown('csv')[1]).toContain('{""name"":""search"",""inp"":324}');
});

test('JSON has the entries as the service sends them', () => {
  expect(JSON.parse(pagesIn('json', list, view))).toEqual(answer);
});

/** Starts a service with this many pages, which it sends in parts of at most two. */
const startLongList = (count: number) =>
  startOddServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://service').searchParams;
    const from = Number(query.get('cursor') ?? 0);
    const to = Math.min(from + Math.min(2, Number(query.get('limit'))), count);
    const part = Array.from({ length: to - from }, (_, i) => ({
      ...regressed,
      url: `https://example.com/${from + i}`,
    }));
    const body: PageList = { ...answer, pages: part, nextCursor: to < count ? `${to}` : null };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });

test('`pages` reads the list to its end, with its filters in each request', async () => {
  await using service = await startLongList(5);
  const args = ['--label', 'branch=main', '--label', 'team=a', '--device', 'desktop', '--region', 'us-east4'];
  const found = ['--since', 'release=1.2', '--search', 'shop', '--changed', 'worse'];
  const { code, stdout, stderr } = await runHere(
    ['pages', ...args, ...found, '--url', 'https://example.com/', '--format', 'json'],
    service.url,
  );
  expect([code, stderr]).toEqual([0, '']);
  expect((JSON.parse(stdout) as PageList).pages.map(({ url }) => url.at(-1))).toEqual(['0', '1', '2', '3', '4']);
  const queries = service.requests.map(({ url = '' }) => decodeURIComponent(url));
  expect(queries).toHaveLength(3);
  for (const query of queries)
    expect(query).toMatch(
      /url=https:\/\/example.com\/&q=shop&region=us-east4&device=desktop&label=branch:main&label=team:a&changed=worse&since=release:1.2&sort=change/,
    );
});

test('--limit ends the list, and a message says that there are more', async () => {
  await using service = await startLongList(5);
  const { stdout, ...rest } = await runHere(['pages', '--limit', '3', '--format', 'json'], service.url);
  expect(rest).toEqual({ code: 0, stderr: 'There are more pages. Raise --limit, which is 3.\n' });
  expect(JSON.parse(stdout)).toMatchObject({ pages: [{}, {}, {}], nextCursor: '3' });
  expect(await runHere(['pages', '--limit', '0'], service.url)).toMatchObject({ code: 2 });
});

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

test('`pages` shows the results of a service, and says what to do about an empty list', async () => {
  const shown = (...args: string[]) => runHere(['pages', ...args], api.url);
  expect(await shown()).toEqual({
    code: 0,
    stderr: '',
    stdout: 'No page has a result yet. Audit one: page-audit run https://example.com/\n',
  });
  const url = `https://example.com/${randomUUID()}`;
  const [fast, slow] = [
    [600, 610, 605],
    [2600, 2610, 2605],
  ];
  for (const lcps of [fast, fast, fast, slow, slow])
    await finishedCheck(api.world, { url, regions: ['us-west1'], samples: 3 }, [{ lcps }]);
  const { stdout } = await shown();
  expect(stdout).toContain(url.slice(0, 40));
  expect(stdout).toMatch(/^1 page got worse this week, of 1 page\.\n/);
  expect(stdout).toContain('✘ LCP +2.0 s since');
  expect((await shown('--since', 'previous')).stdout).toMatch(
    /^No page got worse since the check before, 1 without a sign/,
  );
  expect((await shown('--device', 'desktop')).stdout).toBe('No page matches. Leave out a filter to see more pages.\n');
  expect(await shown('--region', 'mars')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The region must be one of'),
  });
  expect(await runHere(['pages'], undefined)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^Set PAGE_AUDIT_URL/),
  });
});

test('a page that moves past a cursor is shown once, with the later result', () => {
  const [url, other] = ['https://example.com/', { url: 'https://example.com/other' }];
  expect(uniquePages([{ url, at: 1 }, other, { url, at: 2 }])).toEqual([{ url, at: 2 }, other]);
});

test('the first line says how many pages got worse, and of how many nobody can tell', () => {
  const none = { total: 4, worse: 0, failed: 0, better: 0, unchanged: 3, untold: 1 };
  expect(pagesHeadline({ counts: none, cut: false }, '30d')).toBe(
    'No page got worse this month, 3 without a sign of a change, 1 with too few checks to tell, of 4 pages.',
  );
  expect(pagesHeadline({ counts: { ...none, total: 7, worse: 3 }, cut: true }, 'release:1.2')).toMatch(
    /^3 pages got worse since release:1.2, .* of 7 pages that the list reads, and there are more\.$/,
  );
});
