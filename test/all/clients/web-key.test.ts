import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scope } from '../../../shared/service/keys.ts';
import { readReport } from '../../support/recorded-reports.ts';
import { elementOf, expectAccessible, openPage, press, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ AUTH: 'keys', REGIONS: 'us-west1' });
});
afterAll(() => site.stop());

/** Creates an API key. Returns its text. */
const newKey = async (...scopes: Scope[]): Promise<string> => {
  const { text } = await site.world.newKey({ owner: 'anonymous', scopes });
  return text;
};
const enterKey = async (page: Page, key: string): Promise<void> => {
  await untilShown(page, 'This service needs an API key');
  await (await elementOf(page, '#api-key')).type(key);
  await page.keyboard.press('Enter');
};
/** Returns the frame of the report when it shows the report. */
const shownReport = async (page: Page) => {
  const frame = await (await page.waitForSelector('iframe'))?.contentFrame();
  await frame?.waitForSelector('.lh-scores-header');
  return frame;
};

test('a share link shows one check without a key, to read only, with its report', async () => {
  const key = await newKey('checks:read', 'checks:write');
  const { check, run } = await site.world.finishedRun('{}', { gzip: await readReport('13.5.0') });
  await using own = await site.open(`/checks/${check.id}`);
  await enterKey(own.page, key);
  await press(own.page, 'Share');
  await press(own.page, 'Make a link');
  await expectAccessible(own.page);
  const link = await own.page.$eval('input#share-url', (input) => input.value);
  await own.page.goto(`${site.url}/checks/${check.id}/runs/${run.id}`);
  await press(own.page, 'Show the report');
  await shownReport(own.page);
  const alone = site.browser.waitForTarget(
    (target) => target.url().endsWith('/report-frame.html') && target.opener() !== undefined,
  );
  await press(own.page, 'Open it alone');
  const page = await (await alone).page();
  await page?.waitForSelector('.lh-scores-header');
  expect(await page?.evaluate(() => [self.origin, opener])).toEqual(['null', null]);

  const guests = await site.browser.createBrowserContext();
  await using guest = await openPage(guests, link);
  await untilShown(guest.page, 'A shared check, to read only');
  await expectAccessible(guest.page);
  await press(guest.page, 'us-west1');
  await untilShown(guest.page, 'All regions of this check');
  await press(guest.page, 'Show the report');
  await (await (await guest.page.waitForSelector('iframe'))?.contentFrame())?.waitForSelector('.lh-scores-header');
  await guest.page.goto(`${site.url}/`);
  await untilShown(guest.page, 'This service needs an API key');
  expect([...own.errors, ...guest.errors]).toEqual([]);
});

test('a key that only reads shows a report, and makes no share link for it', async () => {
  const key = await newKey('checks:read');
  const { check, run } = await site.world.finishedRun('{}', { gzip: await readReport('13.5.0') });
  await using view = await site.open(`/checks/${check.id}/runs/${run.id}`);
  const { page, errors } = view;
  await enterKey(page, key);
  await press(page, 'Show the report');
  const frame = await shownReport(page);
  expect(await frame?.evaluate(() => self.origin)).toBe('null');
  expect(await site.world.store.findShare(check.id)).toBeUndefined();
  await page.goto(`${site.url}/checks/${check.id}`);
  await press(page, 'Share');
  await press(page, 'Make a link');
  await untilShown(page, 'This request needs an API key with the scope checks:write.');
  expect(errors).toEqual([]);
});

test('a check that needs a key is sent when the user has entered a valid one, at the one prompt', async () => {
  const key = await newKey('checks:read', 'checks:write');
  await using view = await site.open('/');
  const { page, errors } = view;
  await page.waitForSelector('input[name=regions]');
  await (await elementOf(page, '#url')).type('https://example.com/pending');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.matches('#api-key'));
  expect(await page.$$eval('#api-key', (all) => all.length)).toBe(1);
  expect(await page.$$('form form')).toEqual([]);
  const enter = async (text: string) => {
    await page.$eval('#api-key', (input) => (input as HTMLInputElement).select());
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };
  await enter(key.replace('pas_', 'p\u0430s_')); // a Cyrillic letter
  await untilShown(page, 'Character 2 of the key (U+0430)');
  await enter(`${key.slice(0, 5)}\u200b${key.slice(5)}`);
  await untilShown(page, 'Character 6 of the key (U+200B)');
  await expectAccessible(page);
  await enter(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`);
  await untilShown(page, 'This key is incomplete or mistyped. Copy it whole, from pas_ to its last character');
  expect(await page.$eval('#url', (input) => (input as HTMLInputElement).value)).toBe('https://example.com/pending');
  await enter(key);
  await page.waitForFunction(() => location.pathname.startsWith('/checks/'));
  await untilShown(page, 'https://example.com/pending');
  expect(await page.$$('#api-key')).toEqual([]);
  expect(errors).toEqual([]);
});

test('a page without a key asks for one, says why it is refused, and keeps it in the tab only', async () => {
  const { text: key } = await site.world.newKey();
  await using view = await site.open('/');
  const { page, errors } = view;
  await untilShown(page, 'This service needs an API key');
  await expectAccessible(page);
  await (await elementOf(page, '#api-key')).type(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`);
  await page.keyboard.press('Enter');
  await untilShown(page, 'This key is incomplete or mistyped. Copy it whole');
  await expectAccessible(page);
  await page.$eval('#api-key', (input) => (input as HTMLInputElement).select());
  await (await elementOf(page, '#api-key')).type(key);
  await page.keyboard.press('Enter');
  await untilShown(page, 'No checks yet');
  await untilShown(page, `Key ${key.slice(0, 8)}…`);
  await expectAccessible(page);
  const kept = await page.evaluate(
    (text) => [location.href, document.cookie, JSON.stringify(localStorage).includes(text), sessionStorage.length],
    key.slice(0, 8),
  );
  expect(kept).toEqual([`${site.url}/`, '', false, 1]);
  await press(page, 'Forget');
  await untilShown(page, 'This service needs an API key');
  expect(errors).toEqual([]);
});

test('a key is kept in the browser on request, until somebody forgets it', async () => {
  const key = await newKey('checks:read');
  const context = await site.browser.createBrowserContext();
  await using first = await openPage(context, `${site.url}/`);
  await untilShown(first.page, 'Keep the key in this browser');
  await (await elementOf(first.page, '[name=forBrowser]')).click();
  await enterKey(first.page, key);
  await untilShown(first.page, `Key ${key.slice(0, 8)}…`);
  await using second = await openPage(context, `${site.url}/`);
  await untilShown(second.page, `Key ${key.slice(0, 8)}…`);
  await press(second.page, 'Forget');
  await untilShown(second.page, 'This service needs an API key');
  expect(await second.page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0]);
});

test('a report of 20 MB opens in the frame and is saved, from the bucket', async () => {
  const report = JSON.parse(gunzipSync(await readReport('13.5.0')).toString());
  report.fullPageScreenshot.screenshot.data = `data:image/webp;base64,${randomBytes(15 * 2 ** 20).toString('base64')}`;
  const json = JSON.stringify(report);
  expect(json.length).toBeGreaterThan(20_000_000);
  const { check, run } = await site.world.finishedRun(json, { gzip: gzipSync(json, { level: 1 }) });
  const key = await newKey('checks:read', 'checks:write');
  await using view = await site.open(`/checks/${check.id}/runs/${run.id}`);
  const { page, errors } = view;
  await enterKey(page, key);
  await page.setRequestInterception(true);
  page.on('request', async (request) => {
    const { origin, pathname: path } = new URL(request.url());
    if (origin !== 'http://in-process') return request.continue();
    const { response } = await site.world.aws.handle({ method: 'GET', path, headers: {} });
    const body = gunzipSync(await buffer(response.body as Readable));
    await request.respond({ headers: { 'access-control-allow-origin': '*' }, contentType: 'application/json', body });
  });
  await press(page, 'Show the report');
  await shownReport(page);
  const session = await page.createCDPSession();
  await session.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true });
  const saved = new Promise((resolve) => session.once('Browser.downloadWillBegin', resolve));
  await press(page, 'Download the JSON');
  expect(await saved).toMatchObject({ suggestedFilename: expect.stringMatching(/^lighthouse-us-west1-.*\.json$/) });
  const fromBucket = expect.stringMatching(/^http:\/\/in-process\/\S+X-Amz-Signature/); // a request to another origin
  expect(errors).toEqual([fromBucket, fromBucket]); // to show the report, and to save it
});
