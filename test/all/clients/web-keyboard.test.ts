import { afterAll, beforeAll, expect, test } from 'vitest';
import { localTime } from '../../../clients/words/times.ts';
import { finishedCheck, finishRun } from '../../support/finished-checks.ts';
import { readReport } from '../../support/recorded-reports.ts';
import { expectAccessible, untilShown } from '../../support/web-browser.ts';
import { focusOf, pressOn, tabTo, untilHeading } from '../../support/web-keyboard.ts';
import { type Site, startSite } from '../../support/web-site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ CHANGES_FROM: 'process' });
});
afterAll(() => site.stop());

const url = 'https://example.com/keyboard';
const fast = { lcps: [633, 640, 629] };

test('a keyboard alone makes a check, follows and shares it, and opens its run, report, comparison and trend', async () => {
  await finishedCheck(site.world, { url, device: 'desktop' }, [fast, fast]);
  await using view = await site.open('/');
  const { page, errors } = view;
  await untilShown(page, 'us-east4');
  await tabTo(page, 'URL');
  await page.keyboard.type(url);
  await pressOn(page, 'us-east4', 'Space');
  await pressOn(page, 'mobile', 'Space');
  await pressOn(page, 'desktop', 'Space');
  await tabTo(page, 'Audit', { back: true });
  await page.keyboard.press('Enter');
  await untilHeading(page, url);
  const checkId = new URL(page.url()).pathname.split('/')[2] as string;
  const { item, runs } = await site.world.find(checkId);
  expect([item.device, item.regions]).toEqual(['desktop', ['us-west1', 'europe-north1', 'us-east4']]);

  for (const run of runs) {
    await finishRun(site.world, run, fast, await site.world.storeReport(run, await readReport('13.5.0')));
  }
  await untilShown(page, 'us-east4 finished');

  await pressOn(page, 'Share');
  await untilShown(page, 'Make a link');
  await pressOn(page, 'Make a link');
  await untilShown(page, 'Ends on');
  await pressOn(page, 'Revoke all links');
  await untilShown(page, 'All links of this check are revoked.');
  expect((await focusOf(page)).name).toBe('Revoke all links');

  await pressOn(page, 'us-west1');
  await untilHeading(page, 'us-west1');
  await pressOn(page, 'Show the report');
  const frame = await (await page.waitForSelector('iframe'))?.contentFrame();
  await frame?.waitForSelector('.lh-scores-header');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Hide the report');
  await expectAccessible(page);
  await pressOn(page, '← All regions', 'Enter', { back: true });
  await untilHeading(page, url);
  await pressOn(page, 'Compare with');
  await untilShown(page, 'Compare with another check');
  await page.waitForSelector('table[aria-labelledby=others] a');
  await pressOn(page, /^\w{3} \d+, \d{4}/);
  await untilHeading(page, 'Two checks');
  await untilShown(page, localTime(item.createdAt));
  await pressOn(page, localTime(item.createdAt));
  await untilHeading(page, url);
  await pressOn(page, 'Over time');
  await page.waitForSelector('::-p-xpath(//button[@aria-pressed][.="LCP"])'); // both views have the same heading
  await untilHeading(page, url);
  await pressOn(page, 'LCP');
  await page.waitForSelector('::-p-xpath(//button[@aria-pressed="true"][.="LCP"])');
  await pressOn(page, 'Page audit', 'Enter', { back: true });
  await untilHeading(page, 'Audit a page');
  await pressOn(page, 'State', 'f'); // the option "failed"
  await untilShown(page, 'No check matches the filter.');
  expect(await focusOf(page)).toMatchObject({ name: expect.stringContaining('State'), visible: true });
  expect(errors).toEqual([]);
});
