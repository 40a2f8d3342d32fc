import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AssertionResult } from '../../../shared/assertions/assertions.ts';
import { finishedCheck } from '../../support/finished-checks.ts';
import { expectAccessible, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ REGION_PLACE: 'this machine' });
});
afterAll(() => site.stop());

const textOf = (page: Page, selector: string) => page.$eval(selector, ({ textContent }) => textContent);
const slowPaint: AssertionResult = {
  key: 'largest-contentful-paint',
  name: 'maxNumericValue',
  level: 'error',
  passed: false,
  ...{
    operator: '<=',
    expected: 500,
    actual: 633,
    message: 'Largest contentful paint: 633 ms, expected at most 500 ms.',
  },
};
const lcps = { lcps: [633, 640, 629] };

test('one machine is one place: the form ticks one region, and results have no region and no verdict', async () => {
  const { id, runs } = await finishedCheck(site.world, { regions: ['us-west1'] }, [lcps]);
  await using view = await site.open('/');
  const { page, errors } = view;
  await page.waitForSelector('input[name=regions]');
  const ticked = () =>
    page.$$eval('input[name=regions]:checked', (all) => all.map((box) => (box as HTMLInputElement).value));
  expect(await ticked()).toEqual(['us-west1']);
  await untilShown(page, 'all of them are this machine');
  await expect.poll(() => textOf(page, '.outcome')).not.toContain('us-west1');
  await expectAccessible(page);

  const { id: later } = await finishedCheck(site.world, { regions: ['us-west1'] }, [
    { ...lcps, warnings: ['The page redirects.'], assertions: [slowPaint] },
  ]);
  const failed = await finishedCheck(site.world, { regions: ['us-west1'] }, [{ failed: 'dns-failure' }]);
  const views = {
    [`/checks/${id}`]: 'this machine',
    [`/checks/${id}/runs/${runs[0]?.id}`]: 'this machine',
    [`/checks/${later}`]: '1 failed, 0 warned, 0 passed',
    [`/checks/${failed.id}`]: 'The cause is the page.',
    '/pages?url=https%3A%2F%2Fexample.com%2F': 'CSV of all runs',
    '/pages': '1 failed, of 1 page',
    [`/comparisons/${id}...${later}`]: 'this machine',
  };
  for (const [path, text] of Object.entries(views)) {
    await page.goto(`${site.url}${path}`);
    await untilShown(page, text);
    expect([path, await textOf(page, 'main')]).toEqual([path, expect.not.stringContaining('us-west1')]);
    await expectAccessible(page);
  }
  const both = await finishedCheck(site.world, {}, [lcps, lcps]);
  await page.goto(`${site.url}/checks/${both.id}`);
  await untilShown(page, 'europe-north1');
  const rows = await page.$$eval('.by-region th', (all) => all.map(({ textContent }) => textContent));
  expect(rows).not.toContain('Verdict');
  expect(rows.indexOf('Performance')).toBe(3); // no metric of the network comes before it
  expect(errors).toEqual([]);
});

/** Returns the cumulative layout shift of a page until now. */
const layoutShiftOf = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    type Shift = PerformanceEntry & { value: number };
    const shifts = await new Promise<Shift[]>((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries() as Shift[])).observe({
        type: 'layout-shift',
        buffered: true,
      });
      setTimeout(resolve, 500, []);
    });
    return shifts.reduce((sum, { value }) => sum + value, 0);
  });

test('the form of a phone does not move when the regions arrive', async () => {
  await using view = await site.open('/health');
  const { page } = view;
  await page.setViewport({ width: 412, height: 823, isMobile: true });
  await page.goto(site.url);
  await untilShown(page, 'all of them are this machine');
  await page.waitForSelector('input[name=regions]');
  expect(await layoutShiftOf(page)).toBeLessThanOrEqual(0.01);
});
