import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchQuiet, watchRequests } from '../../../functions/auditor/child/quiet-page.ts';
import { type Pages, startPages } from '../../bench/pages.ts';
import { type ResizingPageName, resizingPageNames, resizingPages } from '../../bench/resizing-pages.ts';
import { startBrowser } from '../../support/web-browser.ts';

/** Time that Lighthouse waits at least after a resize, in milliseconds. */
const OWN_WAIT_MS = 1000;

let browser: Browser;
let pages: Pages;
beforeAll(async () => {
  [browser, pages] = await Promise.all([startBrowser(), startPages()]);
});
afterAll(async () => {
  await browser.close();
  await pages[Symbol.asyncDispose]();
});

/** Pages that start requests after their load. */
const requestsByItself: readonly ResizingPageName[] = ['polling', 'waiting'];

/** Makes the window as tall as a page, and waits until the page is quiet, or as long as Lighthouse waits. */
const resized = async (page: Page, name: ResizingPageName) => {
  const requests = watchRequests(page);
  await page.setViewport({ width: 412, height: 823 });
  const ownRequest = requestsByItself.includes(name)
    ? page.waitForRequest((request) => request.url().includes('?'))
    : null;
  await page.goto(pages.url(name));
  await ownRequest;
  const session = await page.createCDPSession();
  const { untilQuiet, end } = watchQuiet(session, { requests, now: () => performance.now() });
  const metrics = { mobile: true, deviceScaleFactor: 1, width: 412, height: 9000 };
  await session.send('Emulation.setDeviceMetricsOverride', metrics);
  const quiet = untilQuiet();
  const ownWait = new Promise<false>((resolve) => setTimeout(resolve, OWN_WAIT_MS, false));
  const isQuiet = await (resizingPages[name].isLong ? Promise.race([quiet, ownWait]) : quiet);
  const last = await page.$eval('#end', (element) => ({
    opacity: getComputedStyle(element).opacity,
    background: getComputedStyle(document.body).backgroundColor,
  }));
  end();
  return { isQuiet, last };
};

test.each(resizingPageNames)('the page %s is quiet only if nothing changes any more', async (name) => {
  const page = await browser.newPage();
  const { isQuiet, last } = await resized(page, name);
  expect(isQuiet).toBe(!resizingPages[name].isLong);
  if (name === 'revealed') expect(last.opacity).toBe('1');
  if (name === 'redrawn') expect(last.background).not.toBe('rgba(0, 0, 0, 0)');
  await page.close();
});

test('a page that goes away is never quiet', async () => {
  const page = await browser.newPage();
  const session = await page.createCDPSession();
  const { untilQuiet } = watchQuiet(session, { requests: watchRequests(page), now: () => performance.now() });
  const quiet = untilQuiet().catch(() => false);
  await page.close();
  expect(await quiet).toBe(false);
});
