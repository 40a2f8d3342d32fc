import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finishedCheck } from '../../support/finished-checks.ts';
import { expectAccessible, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ REGION_PLACE: 'this machine' });
});
afterAll(() => site.stop());

const textOf = (page: Page, selector: string) => page.$eval(selector, ({ textContent }) => textContent);
const lcps = { lcps: [633, 640, 629] };

test('one machine is one place: the form ticks one region, and results have no region and no verdict', async () => {
  const { id, runs } = await finishedCheck(site.world, { regions: ['us-west1'] }, [lcps]);
  await using view = await site.open('/');
  const { page, errors } = view;
  await page.waitForSelector('input[name=regions]');
  const ticked = () =>
    page.$$eval('input[name=regions]:checked', (all) => all.map((box) => (box as HTMLInputElement).value));
  expect(await ticked()).toEqual(['us-west1']);
  await untilShown(page, 'Regions, all of them this machine');
  await expect.poll(() => textOf(page, '.outcome')).not.toContain('us-west1');
  await expectAccessible(page);

  for (const path of [`/checks/${id}`, `/checks/${id}/runs/${runs[0]?.id}`]) {
    await page.goto(`${site.url}${path}`);
    await untilShown(page, 'this machine');
    await untilShown(page, 'Performance');
    expect(await textOf(page, 'main')).not.toContain('us-west1');
  }
  const both = await finishedCheck(site.world, {}, [lcps, lcps]);
  await page.goto(`${site.url}/checks/${both.id}`);
  await untilShown(page, 'europe-north1');
  const rows = await page.$$eval('.by-region th', (all) => all.map(({ textContent }) => textContent));
  expect(rows).not.toContain('Verdict');
  expect(rows.indexOf('Performance')).toBe(3); // no metric of the network comes before it
  expect(errors).toEqual([]);
});
