import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importApi, startGateway } from '../../../infra/local/gateway.ts';
import { expectAccessible, openPage, press, startBrowser, untilShown } from '../../support/web-browser.ts';
import { startWorld, type World } from '../../support/world.ts';

let world: World;
let api: Awaited<ReturnType<typeof startGateway>>;
let browser: Browser;
beforeAll(async () => {
  world = await startWorld({ AUTH: 'keys', REGIONS: 'us-west1' });
  api = await startGateway({ port: 0, functions: await importApi() });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  await api.close();
  await world.stop();
});

test('a page without a key asks for one, says why it is refused, and keeps it in the tab only', async () => {
  const { text: key } = await world.keys.create(
    { owner: 'acme', name: 'test', scopes: ['checks:read', 'checks:write'], plan: 'large', expiresAt: null },
    new Date(),
  );
  await using view = await openPage(browser, api.url);
  const { page, errors } = view;
  await untilShown(page, 'This service needs an API key');
  await expectAccessible(page);
  await page.type('input[type=password]', `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`);
  await page.keyboard.press('Enter');
  await untilShown(page, 'The API key is unknown.');
  await expectAccessible(page);
  await page.$eval('input[type=password]', (input) => input.select());
  await page.type('input[type=password]', key);
  await page.keyboard.press('Enter');
  await untilShown(page, 'No checks yet');
  await untilShown(page, `Key ${key.slice(0, 8)}…`);
  await expectAccessible(page);
  const kept = await page.evaluate(() => [location.href, document.cookie, localStorage.length, sessionStorage.length]);
  expect(kept).toEqual([`${api.url}/`, '', 0, 1]);
  await press(page, 'Forget');
  await untilShown(page, 'This service needs an API key');
  expect(errors).toEqual([]);
});
