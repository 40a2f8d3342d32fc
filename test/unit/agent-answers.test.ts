import { expect, test } from 'vitest';
import { fixesAnswer } from '../../clients/mcp/fixes.ts';
import { listed, pagesAnswer, schedulesAnswer } from '../../clients/mcp/list.ts';
import { summaryOf } from '../../clients/mcp/summary.ts';
import type { Fix } from '../../shared/fixes/fix.ts';
import { pageExample, pagesExample } from '../../shared/openapi/page-example.ts';
import type { PageResult } from '../../shared/pages/pages.ts';
import type { Schedule } from '../../shared/schedules.ts';
import { finishedCheck } from '../support/fake-service.ts';

const site = 'https://audit.example';
const sizeOf = (answer: object) => Buffer.byteLength(JSON.stringify(answer));
const long = 'é'.repeat(2000);
const [run] = finishedCheck.runs as [(typeof finishedCheck.runs)[number]];

test('a check of six regions takes at most 2,000 bytes, says what is cut, and is whole with a limit', () => {
  const check = { ...finishedCheck, runs: Array(6).fill(run) };
  const answer = summaryOf(check, site);
  expect(sizeOf(answer)).toBeLessThanOrEqual(2000);
  expect(answer).toMatchObject({ moreRuns: expect.any(Number), cut: expect.stringContaining('larger limit') });
  const whole = summaryOf(check, site, 10) as { runs: unknown[] };
  expect(whole).not.toHaveProperty('cut');
  expect(whole.runs).toHaveLength(6);
});

test('long texts of a page are cut, and the link to the page is not', () => {
  const labels = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`l${i}`, 'y'.repeat(128)]));
  const runs = [{ ...run, warnings: Array(10).fill(long) }];
  const answer = summaryOf({ ...finishedCheck, url: long, labels, runs }, site);
  expect(sizeOf(answer)).toBeLessThanOrEqual(2000);
  expect(answer).toMatchObject({ page: `${site}/checks/${finishedCheck.id}` });
});

test('an item without a file and an element names the document', () => {
  const savings = { fcp: null, lcp: 1, tbt: null, cls: null, ms: null, bytes: null };
  const none = { url: null, selector: null, snippet: 'words', bytes: null, ms: null };
  const fix: Fix = {
    audit: 'a',
    title: 't',
    category: 'c',
    points: 1,
    savings,
    items: [none],
    itemCount: 1,
    contended: false,
    documentation: null,
  };
  const answer = fixesAnswer({ ...run, finalUrl: 'https://shop.example/home' }, [fix, { ...fix, items: [] }], site);
  const url = 'https://shop.example/home';
  expect(answer).toMatchObject({ fixes: [{ items: [{ url, snippet: 'words' }] }, { items: [{ url }] }] });
});

test('schedules have their times and last result in words', () => {
  const schedule: Schedule = {
    id: finishedCheck.id,
    name: 'nightly',
    every: { cron: '0 6 * * 1-5', timeZone: 'Europe/Berlin' },
    check: { url: 'https://shop.example/', auditVersion: '13', regions: ['us-west1'] },
    createdAt: '2026-11-25T12:00:00.000Z',
    pausedAt: null,
    nextAt: '2026-11-30T05:00:00.000Z',
    last: null,
    watched: [],
    links: { self: `/v1/schedules/${finishedCheck.id}` },
  };
  const answer = schedulesAnswer({ schedules: [schedule] }, site);
  expect(answer).toEqual({
    page: `${site}/schedules`,
    schedules: [
      {
        scheduleId: schedule.id,
        name: 'nightly',
        url: 'https://shop.example/',
        regions: ['us-west1'],
        every: '0 6 * * 1-5 (Europe/Berlin)',
        nextAt: schedule.nextAt,
        last: 'no check yet',
      },
    ],
  });
  const many = schedulesAnswer({ schedules: Array(50).fill(schedule) }, site);
  expect(sizeOf(many)).toBeLessThanOrEqual(2000);
  expect(many).toMatchObject({ more: expect.any(Number), cut: expect.stringContaining('larger limit') });
});

test('a list of pages has as many as fit in 2,000 bytes, and its cursor skips none', async () => {
  const pages = Array.from({ length: 40 }, (_, i) => ({ ...pageExample(), url: `https://shop.example/${i}` }));
  const counts: number[] = [];
  const read = async (count: number) => {
    counts.push(count);
    return { ...pagesExample(), pages: pages.slice(0, count), nextCursor: `after ${count}` };
  };
  const answer = (await listed(read, pagesAnswer(site), undefined)) as ReturnType<ReturnType<typeof pagesAnswer>>;
  expect(sizeOf(answer)).toBeLessThanOrEqual(2000);
  expect(answer.pages.length).toBeGreaterThan(2);
  expect(answer.nextCursor).toBe(`after ${answer.pages.length}`);
  expect(counts).toEqual([10, answer.pages.length]);
  expect(await listed(read, pagesAnswer(site), 20)).toMatchObject({ pages: { length: 20 }, nextCursor: 'after 20' });
});

test('a page of a list has its change in words, and links to its results over time', () => {
  const example = pagesExample();
  const [result] = pageExample().results as [PageResult];
  const answer = pagesAnswer(site)(example);
  expect(answer).toMatchObject({ summary: '1 page got worse this week, of 1 page.', total: 1 });
  const { changedAt, checkId, baseCheckId } = result.change as NonNullable<PageResult['change']>;
  expect(answer.pages).toMatchObject([
    {
      url: 'https://example.com/',
      changed: 'worse',
      results: [
        {
          performance: 55,
          runId: result.id,
          changedAt,
          checkId,
          baseCheckId,
          change: expect.stringMatching(/^regressed: −19 \(−20 to −18\), LCP \+1.4 s/),
        },
      ],
      page: `${site}/pages?url=https%3A%2F%2Fexample.com%2F&device=mobile`,
    },
  ]);
  const shown = (more: Partial<PageResult>) =>
    pagesAnswer(site)({ ...example, pages: [{ ...pageExample(), results: [{ ...result, ...more }] }] }).pages[0]
      ?.results[0];
  expect(shown({ change: null, unjudged: 'other-inputs' })).toMatchObject({
    change: 'other inputs before',
    checkId: result.checkId,
  });
  const links = { self: null, check: null, page: '/pages' };
  const failed = { state: 'failed', errorCode: 'page-hung', change: null, links } as const;
  expect(shown(failed)).toMatchObject({ state: 'failed', error: 'page-hung' });
  expect(shown(failed)).not.toHaveProperty('checkId'); // it has expired
});
