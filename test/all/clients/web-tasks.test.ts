import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finishedCheck } from '../../support/finished-checks.ts';
import { slowedPage } from '../../support/page-history.ts';
import { elementOf, expectAccessible, mainText, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';

const url = 'https://shop.example.com/checkout';
let site: Site;
let slowed: Awaited<ReturnType<typeof slowedPage>>;
beforeAll(async () => {
  site = await startSite({ CHANGES_FROM: 'process' });
  slowed = await slowedPage(site.world, url);
  await finishedCheck(site.world, { url: 'https://shop.example.com/', regions: ['us-west1'] }, [
    { lcps: [900, 910, 905] },
  ]);
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
  expect(await page.$eval('table.pages tbody tr', (row) => row.textContent)).toMatch(
    /shop\.example\.com\/checkout.*−31/,
  );
  expect(clicks()).toBe(1);
  await click('table.pages tbody tr .change a');
  await untilShown(page, 'Why:');
  expect(await mainText(page)).toContain('image /hero.png is 802 KiB larger');
  expect(clicks()).toBe(2);
  expect(errors).toEqual([]);
});

test('three clicks open before and after of a drop 60 checks ago', async () => {
  await using view = await openHome();
  const { page, click, clicks, errors } = view;
  await click(withText('Pages'));
  await click(withText('shop.example.com/checkout', 'td/a'));
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
  await (await elementOf(page, '[name=label]')).type('deploy:v1');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await rows())[0]).toMatch(/92.*deploy: v1/);
  const write = async (name: string, text: string) => {
    await page.$eval(`[name=${name}]`, (input) => (input as HTMLInputElement).select());
    await page.keyboard.press('Backspace');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };
  await write('label', '');
  await write('q', 'SHOP.example.com');
  await expect.poll(async () => (await rows())[0]).toContain('https://shop.example.com/');
  expect(errors).toEqual([]);
});

test('four clicks tell a channel in Slack when the page gets worse, and the next page needs no address', async () => {
  await using view = await openHome();
  const { page, click, clicks, errors } = view;
  await click(withText(url, 'td//a'));
  await click(withText('Tell me when it gets worse'));
  await page.waitForSelector('[name=tell-url]');
  await expectAccessible(page);
  await page.keyboard.type('https://hooks.slack.com/services/T0/B0/secret'); // the focus is in the field
  await click(withText('Tell me', 'form//button'));
  await untilShown(page, 'You will be told.');
  expect(clicks()).toBeLessThanOrEqual(4);
  await expectAccessible(page);
  const read = async (path: string) => (await fetch(`${site.url}${path}`)).json();
  expect(await read('/v1/webhooks')).toMatchObject({
    webhooks: [{ format: 'slack', events: ['page.regressed', 'page.recovered'] }],
  });
  expect(await read('/v1/schedules')).toMatchObject({
    schedules: [{ name: 'shop.example.com/checkout', every: '1d', check: { url, regions: ['us-west1'] } }],
  });

  await page.goto(`${site.url}/schedules`);
  await (await elementOf(page, '[name=schedule-name]')).type('Home');
  await (await elementOf(page, '[name=url]')).type('shop.example.com');
  await (await elementOf(page, '[name=times]')).type('6h');
  await click('[name=tell]');
  await page.waitForSelector('[name=tell-webhook]');
  await expectAccessible(page);
  await click(withText('Create a schedule', 'form//button'));
  await untilShown(page, 'The schedule \u2068Home\u2069 is created.');
  expect((await read('/v1/webhooks')) as object).toMatchObject({ webhooks: { length: 1 } });
  expect(errors).toEqual([]);
});

test('three clicks audit a page again on desktop, and a form with all inputs changes anything else', async () => {
  await using view = await openHome();
  const { page, click, clicks, errors } = view;
  await click(withText(url, 'td//a'));
  await click(withText('Audit on desktop'));
  await page.waitForFunction((earlier) => !location.pathname.endsWith(earlier), {}, slowed.newest);
  await untilShown(page, 'desktop');
  expect(clicks()).toBeLessThanOrEqual(3);
  const { item } = await site.world.find(pathOf(page).split('/').at(-1) as string);
  expect(item).toMatchObject({ url, device: 'desktop', regions: ['us-west1'], samples: 3, labels: { deploy: 'v2' } });

  const inputs = {
    url,
    regions: ['us-west1', 'us-east4'],
    device: 'desktop',
    samples: 2,
    categories: ['performance', 'seo'],
    auditVersion: '12.8.2',
    labels: { branch: 'main' },
    blockedUrlPatterns: ['*://ads.example/*'],
    throttling: { rttMs: 40, throughputKbps: 5000, cpuSlowdownMultiplier: 2 },
    simulations: ['3g', { name: 'train', rttMs: 800, throughputKbps: 200, cpuSlowdownMultiplier: 4 }],
    assertions: { 'categories:seo': ['error', { minScore: 0.9 }] },
    against: { url: 'https://preview.example.com/', blockedUrlPatterns: [] },
  };
  const sent = await fetch(`${site.url}/v1/checks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(inputs),
  });
  const { id } = (await sent.json()) as { id: string };
  await page.goto(`${site.url}/checks/${id}`);
  await click(withText('Audit with a change'));
  await page.waitForSelector('[name=auditVersion] option:checked');
  await page.waitForSelector('[name=regions]:checked');
  await expectAccessible(page);
  await click('[name=samples]');
  await (await elementOf(page, '[name=samples]')).select('5');
  await click(withText('Audit', 'form//button[@type="submit"]'));
  await page.waitForFunction(() => location.pathname.startsWith('/checks/'));
  const { item: changed } = await site.world.find(pathOf(page).split('/').at(-1) as string);
  expect(changed).toMatchObject({ ...inputs, samples: 5 });
  expect(errors).toEqual([]);
});

/** Holds the timer of eight seconds in a page until a test calls `erase`, so that a slow machine has the time to undo. */
const holdErasure = () => {
  const { setTimeout } = globalThis;
  const held = (act: () => void, ms = 0) =>
    ms === 8000 ? Object.assign(globalThis, { erase: act }) : setTimeout(act, ms);
  Object.assign(globalThis, { setTimeout: held });
};

test('two clicks delete a check, an undo keeps it, and a page that closes meanwhile still erases it', async () => {
  const of = 'https://shop.example.com/old';
  const statusOf = async (id: string) => (await fetch(`${site.url}/v1/checks/${id}`)).status;
  const aged = () => finishedCheck(site.world, { url: of, regions: ['us-west1'] }, [{ lcps: [900] }]);
  const [first, second] = [await aged(), await aged()];
  await using view = await openHome();
  const { page, click, clicks, errors } = view;
  await page.evaluate(holdErasure);
  await click(withText(of, 'td//a'));
  await click(withText('Delete'));
  await untilShown(page, 'The check will be erased in 8 seconds');
  expect(clicks()).toBe(2);
  await page.waitForFunction(
    (text) => document.querySelectorAll(`td.page a[href$="${text}"]`).length === 0,
    {},
    second.id,
  );
  await click(withText('Undo'));
  await untilShown(page, 'Audit on desktop');
  expect(pathOf(page)).toBe(`/checks/${second.id}`);
  await click(withText('Delete'));
  await untilShown(page, 'The check will be erased in 8 seconds');
  await page.evaluate(() => (globalThis as unknown as { erase: () => void }).erase());
  await expect.poll(() => statusOf(second.id)).toBe(404);
  await untilShown(page, 'The check is erased.');
  await expectAccessible(page);

  await page.goto(`${site.url}/checks/${first.id}`);
  await click(withText('Delete'));
  await untilShown(page, 'The check will be erased');
  await page.goto('about:blank');
  await expect.poll(() => statusOf(first.id)).toBe(404);
  expect(errors).toEqual([]);
});

test('a check that the service does not erase is still there, and the page says why', async () => {
  const { id } = await finishedCheck(site.world, { regions: ['us-west1'] }, [{ lcps: [900] }]);
  await using view = await site.open(`/checks/${id}`);
  const { page } = view;
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (request.method() !== 'DELETE') return void request.continue();
    const problem = { type: 'urn:page-audit:problem:forbidden', title: 'Forbidden', status: 403, code: 'forbidden' };
    const body = JSON.stringify({ ...problem, detail: 'The key lacks a scope.', requestId: 'r-1' });
    request.respond({ status: 403, headers: { 'content-type': 'application/problem+json' }, body });
  });
  await (await page.waitForSelector(withText('Delete')))?.click();
  await untilShown(page, 'will be erased');
  await page.evaluate(() => dispatchEvent(new Event('pagehide')));
  await untilShown(page, 'The check is not erased.');
  await untilShown(page, 'The key lacks a scope.');
  await page.waitForSelector(`td.page a[href$="${id}"]`);
  await expectAccessible(page);
});
