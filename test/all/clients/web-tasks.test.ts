import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finishedCheck } from '../../support/finished-checks.ts';
import { slowedPage } from '../../support/page-history.ts';
import { expectAccessible, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';

const url = 'https://shop.example/checkout';
let site: Site;
let slowed: Awaited<ReturnType<typeof slowedPage>>;
beforeAll(async () => {
  site = await startSite({ CHANGES_FROM: 'process' });
  slowed = await slowedPage(site.world, url);
  await finishedCheck(site.world, { url: 'https://shop.example/', regions: ['us-west1'] }, [{ lcps: [900, 910, 905] }]);
});
afterAll(() => site.stop());

/** Opens the first page as a user who reads no documentation. Counts the real clicks of the mouse. */
const openHome = async () => {
  const view = await site.open('/');
  await untilShown(view.page, 'Recent checks');
  let clicks = 0;
  const click = async (selector: string) => {
    const handle = await view.page.waitForSelector(selector, { visible: true });
    await handle?.click();
    clicks += 1;
  };
  return { ...view, click, clicks: () => clicks };
};
const withText = (text: string, of = '*[self::a or self::button]') =>
  `::-p-xpath(//${of}[contains(normalize-space(.), ${JSON.stringify(text)})])`;
const pathOf = (page: Page) => new URL(page.url()).pathname;

test('one click shows the page that got worst this week, and two show why', async () => {
  await using view = await openHome();
  const { page, click, clicks, errors } = view;
  await click(withText('Pages'));
  await untilShown(page, '1 page got worse this week');
  expect(await page.$eval('table.pages tbody tr', (row) => row.textContent)).toMatch(/shop\.example\/checkout.*−31/);
  expect(clicks()).toBe(1);
  await click('table.pages tbody tr .change a');
  await untilShown(page, 'Why:');
  expect(await page.$eval('main', ({ textContent }) => textContent)).toContain('image /hero.png is 802 KiB larger');
  expect(clicks()).toBe(2);
  expect(errors).toEqual([]);
});

test('three clicks open before and after of a drop 60 checks ago', async () => {
  await using view = await openHome();
  const { page, click, clicks, errors } = view;
  await click(withText('Pages'));
  await click(withText('shop.example/checkout', 'td/a'));
  await untilShown(page, 'Performance 92 → 61');
  await expectAccessible(page);
  await click(withText('Before and after'));
  await untilShown(page, 'Two checks of');
  expect([clicks(), pathOf(page)]).toEqual([3, `/comparisons/${slowed.before}...${slowed.after}`]);
  expect(errors).toEqual([]);
});

test('any two runs of a trend, and any two checks of the list, open their comparison', async () => {
  await using view = await openHome();
  const { page, click } = view;
  await click('.list tr:nth-child(2) input[type=checkbox]');
  await untilShown(page, 'Choose another check to compare it with.');
  await click('.list tr:nth-child(3) input[type=checkbox]');
  await expectAccessible(page);
  await click(withText('Before and after'));
  await untilShown(page, 'Two checks of');
  expect(pathOf(page)).toMatch(new RegExp(`^/comparisons/.*[.]{3}${slowed.newest}$`));

  await page.goto(`${site.url}/pages?url=${encodeURIComponent(url)}`);
  await click(withText('Older'));
  await click('.runs tr:nth-child(40) input[type=checkbox]');
  await click('.chart .u-over'); // a point of the chart below the cursor
  await expectAccessible(page);
});

test('the picker of a check shows scores and dates, finds other URLs, and reaches the oldest check', async () => {
  await using view = await site.open(`/checks/${slowed.newest}`);
  const { page, errors } = view;
  const press = async (text: string) => (await page.waitForSelector(withText(text), { visible: true }))?.click();
  await press('Compare with');
  const rows = () => page.$$eval('table[aria-labelledby=others] tbody tr', (all) => all.map((row) => row.textContent));
  await expect.poll(rows).toHaveLength(19);
  expect((await rows())[0]).toMatch(/^\w{3} \d+, \d{4}.*61/);
  await expectAccessible(page);
  for (const count of [39, 59, 79, 99]) {
    await press('Older checks to compare');
    await expect.poll(rows).toHaveLength(count);
  }
  await page.type('[name=label]', 'deploy:v1');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await rows())[0]).toMatch(/92.*deploy: v1/);
  const write = async (name: string, text: string) => {
    await page.$eval(`[name=${name}]`, (input) => (input as HTMLInputElement).select());
    await page.keyboard.press('Backspace');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };
  await write('label', '');
  await write('q', 'SHOP.example');
  await expect.poll(async () => (await rows())[0]).toContain('https://shop.example/');
  expect(errors).toEqual([]);
});
