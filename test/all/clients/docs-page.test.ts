import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccessible } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.stop());

test('the page of the API has no fault that axe finds', async () => {
  await using view = await site.open('/docs');
  const { page, errors } = view;
  await page.waitForSelector('.opblock-tag[aria-level]');
  expect(await page.$$eval('h1', (all) => all.length)).toBe(1);
  await expectAccessible(page);
  expect(errors).toEqual([]);
});
