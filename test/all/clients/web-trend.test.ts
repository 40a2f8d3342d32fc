import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { presets } from '../../../shared/options/throttling.ts';
import { anInteraction } from '../../support/an-interaction.ts';
import { finishedCheck } from '../../support/finished-checks.ts';
import { elementOf, expectAccessible, overflowOf, press, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';

const folder = mkdtempSync(join(tmpdir(), 'page-audit-web-'));
let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(async () => {
  await site.stop();
  rmSync(folder, { recursive: true });
});

const url = 'https://example.com/trend';
const path = `/pages?url=${encodeURIComponent(url)}`;

/** Lets a page save files in the folder. Returns a function that waits for the next one and returns its text. */
const savedBy = async (page: Page) => {
  const session = await page.createCDPSession();
  await session.send('Browser.setDownloadBehavior', {
    behavior: 'allowAndName',
    downloadPath: folder,
    eventsEnabled: true,
  });
  const saved = new Promise<string>((resolve) => {
    session.on('Browser.downloadProgress', ({ state, guid }) => {
      if (state === 'completed') resolve(readFileSync(join(folder, guid), 'utf8'));
    });
  });
  return () => saved;
};

/** Records the texts that a page draws on its canvases. */
const recordDrawn = (page: Page) =>
  page.evaluateOnNewDocument(() => {
    const drawn: string[] = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      drawn.push(text);
      fillText.call(this, text, ...rest);
    };
    Object.assign(globalThis, { drawn });
  });
const drawnOn = (page: Page) => page.evaluate(() => (globalThis as unknown as { drawn: string[] }).drawn);

test('a trend marks runs with other throttling, has times of 24 hours, and saves all of its runs', async () => {
  const of = (throttlingValues: typeof presets.mobile | null) => ({
    lcps: [633, 640, 629],
    environment: { throttlingValues },
  });
  const slow = { ...presets.mobile, cpuSlowdownMultiplier: 8 } as never;
  await finishedCheck(site.world, { url }, [of(slow), of(slow)]);
  for (let i = 0; i < 2; i++) await finishedCheck(site.world, { url }, [of(presets.mobile), of(presets.mobile)]);
  await using view = await site.open('/docs');
  const { page, errors } = view;
  await recordDrawn(page);
  // The page reads 100 runs at once. With 4, a few runs are enough for several pages.
  await page.setRequestInterception(true);
  page.on('request', (request) => void request.continue({ url: request.url().replace('limit=100', 'limit=4') }));
  await page.goto(`${site.url}${path}`);
  await untilShown(page, 'other throttling');
  expect(await page.$$('.runs tbody tr')).toHaveLength(6);
  expect(
    await page.$$eval(
      'td:nth-last-child(2)',
      (cells) => cells.filter((cell) => cell.textContent === 'other throttling').length,
    ),
  ).toBe(2);
  await expect.poll(() => drawnOn(page)).toContainEqual(expect.stringMatching(/^\d\d:\d\d/));
  expect((await drawnOn(page)).filter((text) => /[ap]m/i.test(text))).toEqual([]);
  await expectAccessible(page);

  const saved = await savedBy(page);
  await press(page, 'CSV of all runs');
  const lines = (await saved()).trimEnd().split('\r\n');
  expect(lines.filter((line) => line.startsWith('createdAt,'))).toHaveLength(1);
  expect(new Set(lines.slice(1).map((line) => line.split(',')[2])).size).toBe(6);
  expect(errors).toEqual([]);
});

test('another Chromium is a step of the times with its cause in the chart and the table, and none of other scores', async () => {
  const of = 'https://example.com/browsers';
  const older = { lcps: [633, 640, 629], environment: { chromium: 'HeadlessChrome/150.0.1.0' } };
  const newer = { lcps: [733, 740, 729], environment: { chromium: 'HeadlessChrome/153.0.8010.0' } };
  for (const each of [older, older, newer, newer]) await finishedCheck(site.world, { url: of }, [each, each]);
  await using view = await site.open('/docs');
  const { page, errors } = view;
  await recordDrawn(page);
  await page.goto(`${site.url}/pages?url=${encodeURIComponent(of)}&metric=lcp`);
  const step = 'Chromium 150.0.1.0 → 153.0.8010.0';
  const notes = () =>
    page.$$eval('.runs tbody td:nth-last-child(2)', (cells) =>
      cells.map(({ textContent }) => textContent).filter(Boolean),
    );
  await untilShown(page, `new series: ${step}`);
  expect((await notes()).toSorted()).toEqual([
    ...Array.from({ length: 2 }, () => `new series: ${step}`),
    ...Array.from({ length: 4 }, () => 'other Chromium'),
  ]);
  await expect.poll(() => drawnOn(page)).toContain(step);
  await expectAccessible(page);
  await press(page, 'Accessibility');
  await expect.poll(notes).toEqual([]);
  expect(errors).toEqual([]);
});

test('the INP of each interaction is a metric of the trend, and the slowest one is in the list of pages', async () => {
  const of = 'https://example.com/interactions';
  const menu = anInteraction([90], { name: 'menu' });
  for (const search of [anInteraction([120]), anInteraction([null]), anInteraction([324])]) {
    const each = { lcps: [633], interactions: [search, menu] };
    await finishedCheck(site.world, { url: of }, [each, each]);
  }
  await using view = await site.open(`/pages?url=${encodeURIComponent(of)}`, { width: 360 });
  const { page, errors } = view;
  await untilShown(page, 'INP of search');
  await press(page, 'INP of search');
  const cells = () =>
    page.$$eval('.runs tbody td:nth-of-type(2)', (all) => all.map(({ textContent }) => textContent?.slice(0, 13)));
  await expect
    .poll(async () => (await cells()).toSorted())
    .toEqual([
      ...['– not measure', '– not measure'],
      ...['■ 324 ms need', '■ 324 ms need', '● 120 ms good', '● 120 ms good'],
    ]);
  expect(new URL(page.url()).searchParams.get('metric')).toBe('interactions:search:inp');
  await expectAccessible(page);
  expect(await overflowOf(page)).toBe(0);
  await page.goto(`${site.url}/pages?q=interactions`);
  await untilShown(page, 'INP of search 324 ms');
  expect(await overflowOf(page)).toBe(0);
  expect(errors).toEqual([]);
});

test('a CSV that is cut says so, and how to read the older runs', async () => {
  await finishedCheck(site.world, { url }, [{ lcps: [633, 640, 629] }, { lcps: [633, 640, 629] }]);
  await using view = await site.open(path);
  const { page } = view;
  await untilShown(page, 'CSV of all runs');
  await page.setRequestInterception(true);
  let pages = 0;
  page.on('request', (request) => {
    if (!request.headers().accept?.includes('text/csv')) return void request.continue();
    pages += 1;
    const body = `createdAt,id\r\n2026-01-01T00:00:00.000Z,${pages}\r\n`;
    const link = `</v1/runs?url=x&cursor=${pages}>; rel="next"`;
    request.respond({ status: 200, headers: { 'content-type': 'text/csv', link }, body });
  });
  const saved = await savedBy(page);
  await press(page, 'CSV of all runs');
  await untilShown(page, 'The file is cut. It has the runs back to 2026-01-01T00:00:00.000Z.');
  expect((await saved()).trimEnd().split('\r\n')).toHaveLength(101);
  expect(pages).toBe(100);
  await expectAccessible(page);
});

test('the filters of a trend are in the address, and errors of the URL, the label and the days stand at their fields', async () => {
  const of = 'https://example.com/filtered';
  await finishedCheck(site.world, { url: of, labels: { branch: 'main' } }, [
    { lcps: [633, 640, 629] },
    { lcps: [912, 905, 918] },
  ]);
  await finishedCheck(site.world, { url: of }, [{ lcps: [1912, 1905, 1918] }, { lcps: [1912, 1905, 1918] }]);
  const from = new Date().getFullYear() - 1;
  const address = `/pages?url=${encodeURIComponent(of)}&from=${from}-01-01`;
  await using view = await site.open(`${address}&metric=lcp`, { width: 360 });
  const { page, errors } = view;
  const rows = () => page.$$eval('.runs tbody tr', (all) => all.map((row) => row.textContent));
  await expect.poll(rows).toHaveLength(4);
  await expectAccessible(page);
  expect(await overflowOf(page)).toBe(0);

  await (await elementOf(page, '[name=region]')).select('us-west1');
  await (await elementOf(page, '[name=label]')).type('branch:main');
  await press(page, 'Show');
  await expect.poll(rows).toEqual([expect.stringMatching(/us-west1.*633/)]);
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    url: of,
    device: 'mobile',
    region: 'us-west1',
    label: 'branch:main',
    from: `${from}-01-01`,
    metric: 'lcp',
  });
  await page.goBack();
  await expect.poll(rows).toHaveLength(4);
  expect(await page.$eval('[name=label]', (input) => (input as HTMLInputElement).value)).toBe('');

  const faults = () => page.$$eval('form .error', (all) => all.map(({ id, textContent }) => [id, textContent]));
  await page.goto(`${site.url}/pages?url=example&label=main`);
  await expect.poll(faults).toEqual([
    ['url-error', 'Enter a URL that starts with https:// or http://, such as https://example.com/.'],
    ['filter-label-error', 'Enter a name, a colon and a value, such as branch:main.'],
  ]);
  expect([await page.$('.problem'), await page.$('[name=url][aria-invalid]')]).toEqual([null, expect.anything()]);
  await page.goto(`${site.url}${address}&to=${from - 1}-01-01`);
  await expect.poll(faults).toEqual([['filter-to-error', 'The last day must not be before the first one.']]);
  await page.goto(`${site.url}${address}&to=${from}-01-02`);
  await untilShown(page, 'No finished run of this URL matches the filter.');
  expect(errors.filter((each) => !each.includes('400'))).toEqual([]);
});

test('many runs are shown as days with their range, the table has pages, and a button shows the last days', async () => {
  const of = 'https://example.com/years';
  for (const lcp of [633, 933, 733])
    await finishedCheck(site.world, { url: of }, [{ lcps: [lcp] }, { lcps: [lcp + 100] }]);
  const answer = await fetch(`${site.url}/v1/runs?url=${of}`);
  const { runs } = (await answer.json()) as { runs: { id: string }[] };
  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ ...runs[0], id: `${i}` }));
  await using view = await site.open('/docs');
  const { page, errors } = view;
  await page.setRequestInterception(true);
  let count = 401;
  const asked: URLSearchParams[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname !== '/v1/runs') return void request.continue();
    asked.push(searchParams);
    if (searchParams.has('every')) return void request.continue();
    const body = JSON.stringify({ runs: many(count), nextCursor: null });
    request.respond({ status: 200, headers: { 'content-type': 'application/json' }, body });
  });
  await page.goto(`${site.url}/pages?url=${encodeURIComponent(of)}&metric=lcp`);
  await untilShown(page, 'each point is the median of a day');
  const rows = () => page.$$eval('.runs tbody tr', (all) => all.map((row) => row.textContent));
  expect(await rows()).toEqual([
    expect.stringMatching(/us-west1.*733 ms good \(633–933\)/),
    expect.stringMatching(/europe-north1.*833 ms good \(733–1033\)/),
  ]);
  await expectAccessible(page);

  count = 60;
  await press(page, '7 days');
  await untilShown(page, '1 to 50 of 60');
  expect(asked.at(-1)?.get('createdAfter')).toBeTruthy();
  expect(
    await page.$$eval('[aria-label=Time] [aria-pressed=true]', (all) => all.map((each) => each.textContent)),
  ).toEqual(['7 days']);
  await expect.poll(rows).toHaveLength(50);
  await press(page, 'Older');
  await expect.poll(rows).toHaveLength(10);
  await expectAccessible(page);
  expect(errors).toEqual([]);
});

test('a person makes the badge of a page with the filters of its trend, copies it, and revokes it', async () => {
  const of = 'https://example.com/badge';
  const labels = { branch: 'main' };
  await finishedCheck(site.world, { url: of, labels }, [
    { lcps: [633], performance: 97 },
    { lcps: [633], performance: 96 },
  ]);
  await using view = await site.open(`/pages?url=${encodeURIComponent(of)}&label=branch:main`);
  const { page, errors } = view;
  await press(page, 'Badge for a README', ['summary']);
  await press(page, 'Show the badge');
  await untilShown(page, 'Revoke the badge');
  const image = await elementOf(page, 'img[alt="The badge"]');
  await expect.poll(() => image.evaluate((each) => (each as HTMLImageElement).naturalWidth)).toBeGreaterThan(90);
  const markdown = await page.$eval('#badge-markdown', (field) => (field as HTMLInputElement).value);
  const [, svg = ''] = /^\[!\[performance\]\((\S+)\)\]\(\S+&label=branch%3Amain\)$/.exec(markdown) ?? [];
  expect(await (await fetch(svg)).text()).toContain('<title>performance: 96</title>');
  await expectAccessible(page);
  await press(page, 'Revoke the badge');
  await untilShown(page, 'The badge is revoked');
  expect(await (await fetch(svg)).text()).toContain('no such badge');
  expect(errors).toEqual([]);
});
