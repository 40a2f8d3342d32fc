import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElementHandle, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { samplesOf, succeeded } from '../../support/check-results.ts';
import { elementOf, expectAccessible, overflowOf, press, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({}, '/audit');
  await site.world.regions.pause('us-east4', new Date());
});
afterAll(() => site.stop());
afterEach(() => expect(site.outside).toEqual([])); // the page lies under a path of its host

const named = (name: string) => `[name="${name}"]`;
/** Replaces the text of a field by the keyboard. */
const fill = async (page: Page, name: string, text: string) => {
  await (await elementOf(page, named(name))).focus();
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.type(text);
};
/** Returns the text of the error that belongs to a field, as a screen reader reads it. */
const errorOf = (page: Page, name: string) =>
  page.$eval(named(name), (field) => {
    const ids = field.getAttribute('aria-describedby')?.split(' ') ?? [];
    const error = ids.find((id) => id.endsWith('-error'));
    return field.getAttribute('aria-invalid') === 'true' && error ? document.getElementById(error)?.textContent : null;
  });

test('a second variant has fields and errors of its own, and its check shows both variants with the change', async () => {
  await using view = await site.open('/', { width: 360 });
  const { page, errors } = view;
  await page.waitForSelector('input[name=regions]');
  expect(
    await page.$$eval('input[name=regions]', (boxes) =>
      boxes.map((box) => [box.parentElement?.textContent?.trim(), (box as HTMLInputElement).disabled]),
    ),
  ).toEqual([
    ['us-west1 Oregon, USA', false],
    ['europe-north1 Stockholm, Sweden', false],
    ['us-east4 Virginia, USA (paused by the operator)', true],
  ]);
  await fill(page, 'url', 'https://preview.example.com/');
  await press(page, 'Compare with');
  await fill(page, 'against.url', 'http://10.0.0.1/');
  await expectAccessible(page);
  expect(await overflowOf(page)).toBe(0);
  await press(page, 'Audit', ['button']);
  await page.waitForSelector('[aria-invalid=true]');
  expect(await errorOf(page, 'against.url')).toContain('Private');
  expect(await errorOf(page, 'url')).toBeNull();
  await fill(page, 'against.url', 'https://www.example.com/');
  await press(page, 'Audit', ['button']);
  await page.waitForFunction(() => location.pathname.startsWith('/audit/checks/'));
  await untilShown(page, 'against https://www.example.com/');

  const { runs } = await site.world.find(new URL(page.url()).pathname.split('/').at(-1) as string);
  const [run] = runs;
  if (!run?.against) throw new Error('The run has no second variant.');
  const samples = samplesOf('unchanged', 3, 5);
  const against = { ...run.against, ...samples[0], samples };
  await site.world.finish(run, { ...succeeded(samplesOf('slower', 0, 5)), state: 'succeeded', against });
  await untilShown(page, '1.4 s slower (1.1 to 1.7)');
  await expectAccessible(page);
  expect(await overflowOf(page)).toBe(0);
  await press(page, 'us-west1');
  await untilShown(page, 'Samples of the second variant');
  await untilShown(page, 'Compared with https://www.example.com/');
  await expectAccessible(page);
  expect(errors).toEqual([]);
});

test('throttling and blocked URL patterns are set by the keyboard, and have errors of their own', async () => {
  await using view = await site.open('/', { width: 360 });
  const { page, errors } = view;
  await page.waitForSelector('input[name=regions]');
  await fill(page, 'url', 'https://example.com/form');
  await press(page, 'More: version');
  await (await elementOf(page, named('throttling'))).focus();
  await page.keyboard.type('custom'); // chooses the option, as a select does
  await page.waitForSelector(named('throttling.rttMs'));
  await fill(page, 'throttling.rttMs', '9999');
  await fill(page, 'blockedUrlPatterns', 'ads.example.com');
  await page.keyboard.press('Enter');
  await page.keyboard.type('*/form');
  await expectAccessible(page);
  expect(await overflowOf(page)).toBe(0);

  await press(page, 'Audit', ['button']);
  await page.waitForSelector('[aria-invalid=true]');
  expect(await errorOf(page, 'throttling.rttMs')).toBe('Enter a number from 1 to 5,000.');
  expect(await errorOf(page, 'blockedUrlPatterns')).toMatch(
    /^See entry 2. The pattern "\*\/form" blocks the page itself./,
  );
  expect(await errorOf(page, 'throttling')).toBeNull();
  expect(await errorOf(page, 'throttling.throughputKbps')).toBeNull();
  await expectAccessible(page);
  expect(await overflowOf(page)).toBe(0);

  await fill(page, 'throttling.rttMs', '300');
  await fill(page, 'blockedUrlPatterns', 'ads.example.com');
  await press(page, 'Audit', ['button']);
  await page.waitForFunction(() => location.pathname.startsWith('/audit/checks/'));
  await untilShown(page, 'throttled to 300 ms round trip, 1,638.4 kbit/s and CPU 4× slower');
  await untilShown(page, '1 blocked URL pattern');
  const { item } = await site.world.find(new URL(page.url()).pathname.split('/').at(-1) as string);
  expect(item).toMatchObject({
    throttling: { rttMs: 300, throughputKbps: 1638.4, cpuSlowdownMultiplier: 4 },
    blockedUrlPatterns: ['ads.example.com'],
  });
  expect(errors).toEqual([]);
});

test('secrets have fields and errors of their own, and stay in no storage of the browser', async () => {
  await using view = await site.open('/', { width: 360 });
  const { page, errors } = view;
  await page.waitForSelector('input[name=regions]');
  await fill(page, 'url', 'https://app.example.com/');
  await press(page, 'Behind a login');
  await fill(page, 'headers', 'x-preview: hdr-value');
  await fill(page, 'basicAuth.username', 'anna');
  await fill(page, 'basicAuth.password', 'pwd-value');
  await fill(page, 'cookies', 'ck-value');
  const folder = await mkdtemp(join(tmpdir(), 'web-form-'));
  const file = join(folder, 'state.json');
  const origins = [{ origin: 'https://app.example.com', localStorage: [{ name: 'token', value: 'loc-value' }] }];
  await writeFile(
    file,
    JSON.stringify({ cookies: [], origins: [...origins, { origin: 'https://ads.example' }], credentials: [{}] }),
  );
  const chooser = (await page.$('[aria-label="File of the storage state"]')) as ElementHandle<HTMLInputElement>;
  await chooser.uploadFile(file);
  await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>('[name=storageState]')?.value);
  await untilShown(page, 'Passkeys of the storage state are left out');
  await rm(folder, { recursive: true });
  await expectAccessible(page);
  expect(await overflowOf(page)).toBe(0);

  await press(page, 'Audit', ['button']);
  await page.waitForSelector('[aria-invalid=true]');
  expect(await errorOf(page, 'cookies')).toMatch(/^The cookie has no name and value in pair 1/);
  expect(await errorOf(page, 'headers')).toBeNull();
  await fill(page, 'cookies', '[{"name":"session","value":"ck-value","domain":".example.com"}]');
  await press(page, 'Audit', ['button']);
  await page.waitForFunction(() => location.pathname.startsWith('/audit/checks/'));
  await untilShown(page, 'with x-preview, a password, 1 cookie, a storage state');
  await untilShown(page, 'Audit with a change');
  const { item } = await site.world.find(new URL(page.url()).pathname.split('/').at(-1) as string);
  expect(await site.world.secrets.get(item.secretsKey as string)).toEqual({
    headers: { 'x-preview': 'hdr-value' },
    basicAuth: { username: 'anna', password: 'pwd-value' },
    cookies: [{ name: 'session', value: 'ck-value', domain: '.example.com' }],
    storageState: { cookies: [], origins },
  });
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]));
  expect(stored).not.toMatch(/(hdr|pwd|ck|loc)-value/);
  await expectAccessible(page);
  expect(errors).toEqual([]);
});
