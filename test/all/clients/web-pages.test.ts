import { afterAll, beforeAll, expect, test } from 'vitest';
import { noMetrics } from '../../../shared/metrics/page-metrics.ts';
import { elementOf, expectAccessible, overflowOf, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';
import { aCheck } from '../../support/world.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.stop());

const audited = async (url: string, performance: number, lcp: number, inputs: Parameters<typeof aCheck>[0] = {}) => {
  const { world } = site;
  const check = aCheck({ url, regions: ['us-west1'], ...inputs });
  const metrics = { ...noMetrics, performance, lcp };
  const samples = [1, 2, 3].map(() => ({ ...metrics, cpuBusy: 0, contended: false }));
  for (const run of await world.create(check)) await world.finish(run, { state: 'succeeded', ...metrics, samples });
};

const DAY_MS = 24 * 3600_000;

test('the list of pages says which got worse, filters by the address, and leads to the checks before and after', async () => {
  const bad = 'https://shop.example/bad';
  for (let day = 8; day >= 0; day -= 1) {
    const now = new Date(Date.now() - day * DAY_MS);
    await audited('https://shop.example/good', 95, 900, { now, labels: { branch: 'main' } });
    await audited(bad, day > 2 ? 80 : 41, day > 2 ? 2436 : 3795, { now, device: 'desktop' });
  }
  await audited('https://www.example/new', 70, 900);
  await using home = await site.open('/');
  await (await home.page.waitForSelector('a[href="/pages"]'))?.click();
  await untilShown(home.page, 'shop.example/bad');

  await using view = await site.open('/pages', { width: 360 });
  const { page, errors } = view;
  await untilShown(
    page,
    '1 page got worse this week, 1 without a sign of a change, 1 with too few checks to tell, of 3 pages.',
  );
  const urls = () => page.$$eval('td.page a', (links) => links.map(({ textContent }) => textContent));
  expect(await urls()).toEqual(['shop.example/bad', 'shop.example/good', 'www.example/new']);
  await untilShown(page, '−39');
  expect(await page.$eval('svg.spark', (chart) => chart.getAttribute('aria-label'))).toBe(
    'Scores from 41 to 80, the last one 41',
  );
  await expectAccessible(page);
  expect(await overflowOf(page)).toBe(0);

  await (await elementOf(page, '[name=q]')).type('SHOP');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('td.page a').length === 2);
  expect(new URL(page.url()).search).toBe('?q=SHOP');
  await (await elementOf(page, '[name=changed]')).select('better');
  await untilShown(page, 'No page matches the filter.');
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll('td.page a').length === 2);
  await (await elementOf(page, '[name=group]')).select('host');
  await untilShown(page, '2 pages');

  const compared = await page.$eval('td.change a', (link) => link.getAttribute('href'));
  expect(compared).toMatch(/^\/comparisons\/[0-9a-f-]+\.\.\.[0-9a-f-]+$/);
  await (await page.waitForSelector('td.page a'))?.click();
  await untilShown(page, 'Change this week');
  expect(new URL(page.url()).search).toBe('?url=https%3A%2F%2Fshop.example%2Fbad&device=desktop');
  await expectAccessible(page);
  expect(errors).toEqual([]);
});

test('a page is a row of 40 pixels', async () => {
  await using view = await site.open('/pages', { width: 1280 });
  const { page } = view;
  await page.waitForSelector('td.page a');
  const heights = await page.$$eval('table.pages tbody tr', (rows) =>
    rows.map((row) => row.getBoundingClientRect().height),
  );
  expect(Math.max(...heights)).toBeLessThanOrEqual(41);
});
