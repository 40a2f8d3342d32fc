import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FULL } from '../../support/full.ts';
import { answerHostile, hostileViews, TURN } from '../../support/hostile-views.ts';
import { elementOf, emulateMedia, expectAccessible, overflowOf, press, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';

let site: Site;
let views: Awaited<ReturnType<typeof hostileViews>>;
beforeAll(async () => {
  site = await startSite({ CHANGES_FROM: 'process' }, '', 'C'); // Chromium's language for C is no valid tag
  views = await hostileViews(site.world);
});
afterAll(() => site.stop());

/** Narrow first, because a chart must shrink from the width of paper. */
const widths = FULL ? [360, 640, 1280, 1600] : [360, 1600];
const names = ['list', 'check', 'run', 'pages', 'trend', 'comparison', 'schedules', 'webhooks', 'missing'] as const;

test.each(names)(
  'the %s shows hostile texts as texts, and fits narrow and wide windows, and paper, without a fault that axe finds',
  async (name) => {
    const [path, content] = views[name];
    await using view = await site.open('/health', { width: 794 });
    const { page, errors } = view;
    expect(await page.evaluate(() => navigator.language)).toBe('en-US@posix');
    await page.setRequestInterception(true);
    page.on('request', answerHostile);
    await page.goto(`${site.url}${path}`);
    await untilShown(page, content);
    if (name === 'trend') await page.waitForSelector('.chart canvas');
    await page.$$eval('details', (all) => {
      for (const each of all) each.setAttribute('open', '');
    });
    if (name === 'comparison') expect(await page.$$('h1 bdi')).toHaveLength(2); // both URLs
    expect(await looseTexts(page)).toEqual([]);
    expect(await page.$$('main :is(img[src=x], script)')).toEqual([]);
    expect(await page.title()).not.toBe('hacked');
    for (const width of widths) {
      await page.setViewport({ width, height: 800 });
      await expect.poll(() => overflowOf(page)).toBe(0);
      await expect.poll(() => misfits(page)).toEqual([]); // the chart follows its window later
      await expectAccessible(page, { forced: width === 360 });
    }
    await expectPrinted(page);
    expect(errors).toEqual([]);
  },
);

test('a button shows the whole of a long URL, and a table that is wider than the window scrolls by keyboard', async () => {
  await using view = await site.open(views.run[0], { width: 720 });
  const { page } = view;
  await press(page, 'Whole URL');
  await page.waitForSelector('h1 [aria-expanded=true]');
  const heightOf = (selector: string) => page.$eval(selector, (each) => each.getBoundingClientRect().height);
  expect(await heightOf('h1 .lines')).toBeGreaterThan(300);
  await press(page, 'Shorten the URL');
  await page.waitForSelector('h1 [aria-expanded=false]');
  expect(await heightOf('h1 .lines')).toBeLessThan(90);
  expect(await misfits(page)).toEqual([]);
  await (await elementOf(page, '.scroll[tabindex]')).focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => (document.activeElement?.scrollLeft ?? 0) > 0);
});

test('bars keep their colour where the browser replaces all colours, and one place is marked', async () => {
  await using view = await site.open(views.check[0]);
  const { page } = view;
  await page.waitForSelector('.bar i');
  await emulateMedia(page, [{ name: 'forced-colors', value: 'active' }]);
  const styles = (selector: string, name: 'backgroundColor' | 'borderBottomWidth') =>
    page.$$eval(selector, (all, property) => all.map((each) => getComputedStyle(each)[property]), name);
  const [back] = await styles('.bar', 'backgroundColor');
  expect(await styles('.bar i', 'backgroundColor')).not.toContain(back);
  expect(await styles('.places a', 'borderBottomWidth')).toEqual(['2px', '0px', '0px']);
});

/** Returns texts and attributes with a turn of the direction that nothing isolates. */
const looseTexts = (page: Page) =>
  page.evaluate((turn) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      if (text.nodeValue?.includes(turn) && !text.parentElement?.closest('bdi'))
        found.push(text.parentElement?.outerHTML.slice(0, 200) ?? '');
    const shown = ['title', 'alt', 'aria-label', 'placeholder'];
    for (const each of document.querySelectorAll(shown.map((name) => `[${name}]`).join()))
      for (const name of shown)
        if (
          each
            .getAttribute(name)
            ?.replace(/\u2068[^\u2069]*\u2069/g, '')
            .includes(turn)
        )
          found.push(`${name}: ${each.outerHTML.slice(0, 200)}`);
    return document.title.replace(/\u2068[^\u2069]*\u2069/g, '').includes(turn) ? [...found, 'title'] : found;
  }, TURN);

/**
 * Returns elements in a wrong place: cells out of a narrow window, more than two lines of a URL, a gap above a URL. A keyboard
 * must reach the tables that scroll, and no others.
 */
const misfits = (page: Page) =>
  page.evaluate(() => {
    const top = (each: Element) => each.getBoundingClientRect().top;
    const isWrong: Record<string, (each: Element) => boolean> = {
      'tbody :is(td, th)': (cell) => innerWidth <= 700 && cell.getBoundingClientRect().right > innerWidth,
      '.lines': (url) => url.clientHeight > 2.2 * Number.parseFloat(getComputedStyle(url).lineHeight),
      '.page .lines': (url) => top(url) - top(url.parentElement as Element) > 12,
      '.scroll': (table) => table.scrollWidth > table.clientWidth + 1 !== table.hasAttribute('tabindex'),
    };
    return Object.entries(isWrong).flatMap(([selector, wrong]) =>
      [...document.querySelectorAll(selector)]
        .filter(wrong)
        .map((each) => `${selector}: ${each.outerHTML.slice(0, 200)}`),
    );
  });

/** Expects that a print has every row, no control and dark text on white. */
const expectPrinted = async (page: Page) => {
  const rows = await page.$$eval('tbody tr', (all) => all.length);
  await page.setViewport({ width: 794, height: 800 }); // A4
  await emulateMedia(page, [{ name: 'prefers-color-scheme', value: 'dark' }], 'print');
  await expect.poll(() => overflowOf(page)).toBe(0);
  const print = await page.evaluate(() => {
    const isShown = (each: Element) => each.getClientRects().length > 0;
    const shown = (selector: string) => [...document.querySelectorAll(selector)].filter(isShown);
    const isCut = (each: Element) =>
      getComputedStyle(each).overflowX !== 'visible' && each.scrollWidth > each.clientWidth + 1;
    const { backgroundColor, color, colorScheme } = getComputedStyle(document.body);
    return {
      controls: shown('button, input, select, textarea, iframe').map(({ outerHTML }) => outerHTML),
      rows: shown('tbody tr').length,
      cut: shown('main *:not(.hidden)')
        .filter(isCut)
        .map(({ outerHTML }) => outerHTML.slice(0, 200)),
      colors: [backgroundColor, color, colorScheme],
    };
  });
  expect(print).toEqual({
    controls: [],
    rows,
    cut: [],
    colors: ['rgb(255, 255, 255)', 'rgb(26, 31, 36)', 'light'],
  });
};
