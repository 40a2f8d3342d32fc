import { afterAll, beforeAll, expect, test } from 'vitest';
import { noMetrics } from '../../../shared/page-metrics.ts';
import { expectAccessible, overflowOf, untilShown } from '../../support/web-browser.ts';
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

test('the list of pages shows the worst first with its change, filters by the address, and leads to the trend', async () => {
  const yesterday = new Date(Date.now() - 24 * 3600_000);
  await audited('https://shop.example/good', 95, 900, { labels: { branch: 'main' } });
  await audited('https://shop.example/bad', 80, 2436, { now: yesterday });
  await audited('https://shop.example/bad', 41, 3795);
  await using home = await site.open('/');
  await (await home.page.waitForSelector('a[href="/pages"]'))?.click();
  await untilShown(home.page, 'https://shop.example/bad');

  await using view = await site.open('/pages', { width: 360 });
  const { page, errors } = view;
  await untilShown(page, 'LCP 1.4 s slower');
  const urls = () => page.$$eval('td.page a', (links) => links.map(({ textContent }) => textContent));
  expect(await urls()).toEqual(['https://shop.example/bad', 'https://shop.example/good']);
  expect(await page.$eval('svg.spark', (chart) => chart.getAttribute('aria-label'))).toBe('Scores: 80, 41');
  await expectAccessible(page);
  expect(await overflowOf(page)).toBe(0);

  await page.type('[name=label]', 'branch:main');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('td.page a').length === 1);
  expect(new URL(page.url()).search).toBe('?label=branch%3Amain');
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll('td.page a').length === 2);

  await page.focus('[name=device]');
  await page.keyboard.type('desktop');
  await untilShown(page, 'No page matches the filter.');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('device');
  await page.goBack();
  await page.waitForSelector('td.page a');
  expect(await page.$eval('[name=device]', (select) => (select as HTMLSelectElement).value)).toBe('');

  await page.click('td.page a');
  await untilShown(page, 'Change since the result before');
  expect(new URL(page.url()).search).toBe('?url=https%3A%2F%2Fshop.example%2Fbad&device=mobile');
  await untilShown(page, 'LCP 1.4 s slower');
  await expectAccessible(page);
  expect(errors).toEqual([]);
});
