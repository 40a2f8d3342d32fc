import { randomUUID } from 'node:crypto';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyText } from '../../../shared/service/key-text.ts';
import { finishedCheck, finishRun } from '../../support/finished-checks.ts';
import { announcementsOf } from '../../support/web-announcements.ts';
import { elementOf, expectAccessible, mainText, press, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';
import { aCheck } from '../../support/world.ts';

const url = `https://example.com/${'a-long-path/'.repeat(20)}`;
const result = { lcps: [633, 640, 629] };
let site: Site;
let paths: Record<'list' | 'check' | 'run' | 'trend' | 'comparison', string>;
beforeAll(async () => {
  site = await startSite({ CHANGES_FROM: 'process' });
  const before = await finishedCheck(site.world, { url }, [result, result]);
  const { id, runs } = await finishedCheck(site.world, { url }, [result, { failed: 'dns-failure' }]);
  const [first] = runs;
  paths = {
    list: '/',
    check: `/checks/${id}`,
    run: `/checks/${id}/runs/${first?.id}`,
    trend: `/pages?url=${encodeURIComponent(url)}`,
    comparison: `/comparisons/${before.id}...${id}`,
  };
});
afterAll(() => site.stop());

/** Answers the API requests of a page with a status until `pass`. Leaves them without an answer if the status is 0. */
const failingApi = async (page: Page) => {
  let failure: { status: number; headers: Record<string, string> } | undefined;
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (!failure || !request.url().includes('/v1/')) return void request.continue();
    if (failure.status === 0) return; // no answer
    const { status, headers } = failure;
    const problem = {
      type: 'urn:page-audit:problem:internal',
      title: `Title ${status}`,
      detail: `Detail ${status}.`,
      code: 'internal',
      requestId: `id-${status}`,
    };
    const body = JSON.stringify(problem);
    return void request.respond({ status, headers: { 'content-type': 'application/problem+json', ...headers }, body });
  });
  return {
    fail: (status: number, headers = {}) => {
      failure = { status, headers };
    },
    pass: () => {
      failure = undefined;
    },
  };
};

test.each([
  ['list', 'us-west1'],
  ['check', '633 ms'],
  ['run', 'CPU benchmark'],
  ['trend', 'CSV of all runs'],
  ['comparison', 'Change'],
] as const)(
  'without a key, with too many requests and after a fault, the %s says so once, and goes on',
  async (name, content) => {
    await using view = await site.open('/health');
    const { page } = view;
    const announced = await announcementsOf(page);
    const api = await failingApi(page);
    api.fail(401);
    await page.goto(`${site.url}${paths[name]}`);
    await untilShown(page, 'This service needs an API key');
    api.fail(429, { 'retry-after': '1' });
    await (await elementOf(page, '#api-key')).type(keyText('0'.repeat(12), '0'.repeat(64)));
    await page.keyboard.press('Enter');
    await untilShown(page, 'The page retries in');
    await expectAccessible(page);
    await page.waitForFunction(() => document.activeElement?.matches('h1, h2')); // the form with the focus is gone
    api.fail(500); // the page retries by itself
    await untilShown(page, 'Request id: id-500');
    api.pass();
    await page.evaluate(() => {
      // A live view may have retried by itself.
      for (const button of document.querySelectorAll('button')) if (button.textContent === 'Retry now') button.click();
    });
    await untilShown(page, content);
    const problems = (await announced()).filter((text) => text.startsWith('Title'));
    expect(problems.map((text) => text.slice(0, 9))).toEqual(['Title 429', 'Title 500']);
  },
);

test('a view says after ten seconds that the service has not answered', async () => {
  await using view = await site.open('/health');
  const { page } = view;
  await page.evaluateOnNewDocument(() => {
    const { setTimeout } = globalThis;
    const faster = (act: () => void, ms = 0) => setTimeout(act, ms / 50);
    Object.assign(globalThis, { setTimeout: faster });
  });
  const api = await failingApi(page);
  api.fail(0);
  await page.goto(`${site.url}${paths.comparison}`);
  await untilShown(page, 'The service has not answered yet.');
  await expectAccessible(page);
});

test('a create that is refused says when to retry, and goes out with the same form', async () => {
  await using view = await site.open('/');
  const { page } = view;
  await untilShown(page, 'us-east4');
  await (await elementOf(page, '#url')).type('https://example.com/refused');
  const api = await failingApi(page);
  api.fail(429, { 'retry-after': '30' });
  await press(page, 'Audit', ['button']);
  await untilShown(page, 'The page retries in');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Audit');
  api.fail(500);
  await press(page, 'Retry now');
  await untilShown(page, 'Request id: id-500');
  api.fail(429, { 'retry-after': '1' });
  await press(page, 'Retry now');
  await untilShown(page, 'The page retries in');
  api.pass();
  await untilShown(page, 'waiting'); // the countdown has sent the create
});

test('a run and a comparison that do not exist say so, and a trend without runs says how to begin', async () => {
  const id = randomUUID();
  await using view = await site.open(`/checks/${id}/runs/${id}`);
  const { page } = view;
  await untilShown(page, 'There is no such run.');
  await expectAccessible(page);
  await page.goto(`${site.url}/comparisons/${id}...${id}`);
  await untilShown(page, 'One of the two checks does not exist.');
  await expectAccessible(page);
  await page.goto(`${site.url}/pages`);
  await untilShown(page, 'Enter a URL');
  await page.goto(`${site.url}/pages?url=https://example.com/never`);
  await untilShown(page, 'No finished run of this URL');
  await expectAccessible(page);
});

test('a check that finishes while the tab sleeps shows its results when the tab wakes up, and announces each once', async () => {
  const check = aCheck({ url: 'https://example.com/asleep', regions: ['us-west1', 'europe-north1'] });
  const [first, second] = await site.world.create(check);
  if (!first || !second) throw new Error('The check has no two runs.');
  await using view = await site.open('/health');
  const { page } = view;
  const announced = await announcementsOf(page);
  await page.goto(`${site.url}/checks/${check.id}`);
  await untilShown(page, 'waiting');
  const session = await page.createCDPSession();
  await session.send('Page.setWebLifecycleState', { state: 'frozen' });
  await finishRun(site.world, first, result);
  await finishRun(site.world, second, { failed: 'tls-error' });
  await session.send('Page.setWebLifecycleState', { state: 'active' });
  const results = async () => (await announced()).filter((text) => /finished|failed/.test(text)).join(' ');
  const all = 'us-west1 finished. Performance 92. europe-north1 failed: tls-error.';
  await expect.poll(results).toBe(all);
  expect(await mainText(page)).toContain('Check the certificate of the server');
});
