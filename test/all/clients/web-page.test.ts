import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { localTime } from '../../../clients/words/times.ts';
import type { AssertionResult } from '../../../shared/assertions/assertions.ts';
import { knownCauses } from '../../support/changing-site.ts';
import { finishedCheck, finishRun, slowedPair, slowedTexts } from '../../support/finished-checks.ts';
import { nameOf, readReports } from '../../support/recorded-explanations.ts';
import { readReport } from '../../support/recorded-reports.ts';
import { elementOf, expectAccessible, mainText, press, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';
import { aCheck } from '../../support/world.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ CHANGES_FROM: 'process' });
});
afterAll(() => site.stop());

const twoResults = [{ lcps: [633, 640, 629] }, { lcps: [1912, 1905, 1918] }];

const slowPaint: AssertionResult = {
  key: 'largest-contentful-paint',
  name: 'maxNumericValue',
  level: 'error',
  passed: false,
  ...{
    operator: '<=',
    expected: 500,
    actual: 633,
    message: 'Largest contentful paint: 633 ms, expected at most 500 ms. Element: body > h1',
  },
};

test('a check starts from the form with Enter, fills in region by region, and leads to its runs', async () => {
  await using view = await site.open('/');
  const { page, errors } = view;
  await untilShown(page, 'No checks yet');
  await expectAccessible(page);
  await page.$eval('#assertions', (field) => {
    (field as HTMLTextAreaElement).value = '{ "largest-contentful-paint": ["error", { "maxNumericValue": 500 }] }';
  });
  await (await elementOf(page, '#url')).type('https://example.com/live');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.pathname.startsWith('/checks/'));
  await untilShown(page, 'waiting');
  await expectAccessible(page);

  const id = new URL(page.url()).pathname.split('/')[2] as string;
  const [first, second] = (await site.world.find(id)).runs;
  if (!first || !second) throw new Error('The check has no two runs.');
  await finishRun(site.world, first, { lcps: [633, 640, 629], assertions: [slowPaint] });
  await untilShown(page, '633 ms');
  await untilShown(page, '1 failed, 0 warned, 0 passed');
  expect(await page.$eval('[aria-live=polite]', (each) => each.textContent)).toBe('us-west1 finished. Performance 92.');
  await finishRun(site.world, second, { failed: 'dns-failure' });
  await untilShown(page, 'europe-north1 failed: dns-failure');
  await untilShown(page, 'The cause is the page.');
  await expectAccessible(page);

  await press(page, 'us-west1');
  await untilShown(page, 'CPU benchmark');
  expect(new URL(page.url()).pathname).toBe(`/checks/${id}/runs/${first.id}`);
  await untilShown(page, '2 blocked requests');
  const [failed] = await page.$$eval('table[aria-labelledby=assertions] tbody tr', (rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent)),
  );
  expect(failed).toEqual(['✗ failed', 'us-west1', slowPaint.message]);
  await expectAccessible(page);
  expect(errors).toEqual([]);

  await page.goto(site.url);
  await untilShown(page, 'assertions failed');
  await (await elementOf(page, 'select[name=assertionsPassed]')).select('true');
  await untilShown(page, 'No check matches the filter');
});

test('the form shows the errors of the API at their fields, and sends nothing twice', async () => {
  await using view = await site.open('/');
  const { page } = view;
  await page.waitForSelector('input[name=regions]');
  await (await elementOf(page, '#url')).type('http://10.0.0.1/');
  await press(page, 'More: version');
  await (await elementOf(page, '#assertions')).type('{ "imageAlt": "warn" }');
  await press(page, 'Audit', ['button']);
  await page.waitForSelector('#url[aria-invalid=true]');
  expect(await page.$eval('#url-error', (each) => each.textContent)).toContain('Private');
  expect(await page.$eval('#assertions-error', (each) => each.textContent)).toMatch(/^imageAlt: .*"image-alt"/);
  await expectAccessible(page);
});

test('regions are compared in the check, two checks on a page, and a page over time', async () => {
  const url = 'https://example.com/compared';
  const before = await finishedCheck(site.world, { url }, twoResults);
  const after = await finishedCheck(site.world, { url }, [
    { lcps: [1633, 1640, 1629] },
    { lcps: [1912, 1905, 1918], contended: true },
  ]);
  await using view = await site.open(`/checks/${before.id}`);
  const { page, errors } = view;
  await untilShown(page, 'us-west1 better by 1.3 s');
  await press(page, 'Compare with');
  await page.waitForSelector('table[aria-labelledby=others]');
  await press(page, localTime((await site.world.find(after.id)).item.createdAt));
  await untilShown(page, '1.0 s slower');
  expect(new URL(page.url()).pathname).toBe(`/comparisons/${before.id}...${after.id}`);
  await untilShown(page, 'The machine was busy');
  await untilShown(page, 'not comparable (');
  await expectAccessible(page);

  await page.goto(`${site.url}/pages?url=${encodeURIComponent(url)}`);
  await page.waitForSelector('.chart canvas');
  await untilShown(page, 'other work used the CPU');
  await press(page, 'LCP');
  await untilShown(page, '1.6 s');
  await expectAccessible(page);
  expect(errors).toEqual([]);
});

test("Lighthouse's report opens in a frame of its own origin", async () => {
  const gzip = await readReport('13.5.0');
  const { check, run } = await site.world.finishedRun('{}', { gzip });
  await using view = await site.open(`/checks/${check.id}/runs/${run.id}`);
  await press(view.page, 'Show the report');
  const frame = await (await view.page.waitForSelector('iframe'))?.contentFrame();
  await frame?.waitForSelector('.lh-scores-header');
  expect(await frame?.evaluate(() => self.origin)).toBe('null');
  await untilShown(view.page, 'While it loads');
  expect(view.errors).toEqual([]);
});

test('what to fix first stands above the filmstrip, in the view of a run and of its check', async () => {
  const { check, run } = await site.world.finishedRun('{}', { gzip: await readReport('13.5.0') });
  for (const path of [`/checks/${check.id}/runs/${run.id}`, `/checks/${check.id}`]) {
    await using view = await site.open(path);
    await expect
      .poll(() => mainText(view.page))
      .toMatch(/What to fix first.*up to 12.*Best practices.*body > input.*While it loads/s);
    await expectAccessible(view.page);
    expect(view.errors).toEqual([]);
  }
});

test('a comparison says why its results differ, and what changed', async () => {
  const reports = readReports();
  const [before, after] = await Promise.all(
    [{}, knownCauses['an image larger']?.after ?? {}].map(async (served, i) => {
      const check = aCheck({ regions: ['us-west1'] });
      const [run] = await site.world.create(check);
      const gzip = gzipSync(JSON.stringify(reports[nameOf('13.5.0', served)]));
      if (run)
        await finishRun(
          site.world,
          run,
          { lcps: [1500 + 4000 * i, 1510 + 4000 * i, 1490 + 4000 * i] },
          await site.world.storeReport(run, gzip),
        );
      return check;
    }),
  );
  await using view = await site.open(`/comparisons/${before?.id}...${after?.id}`);
  await untilShown(view.page, 'Why:');
  await press(view.page, 'What changed');
  await expect
    .poll(() => mainText(view.page))
    .toMatch(/Why: LCP is 4\.0 s slower.*hero\.png.*Requests.*larger.*118 KiB → 920 KiB.*LCP element.*img\.hero/s);
  await expectAccessible(view.page);
  expect(view.errors).toEqual([]);
});

test('a comparison names a script that works longer, other orders of paints, and a machine of another speed', async () => {
  const { base, check } = await slowedPair(site.world);
  await using view = await site.open(`/comparisons/${base}...${check}`);
  await untilShown(view.page, slowedTexts.reason);
  const listed = (label: string) => view.page.$eval(`ul[aria-label="${label}"]`, (list) => list.textContent ?? '');
  expect(await listed('Seen in the loads')).toBe(slowedTexts.work + slowedTexts.orders);
  expect(await listed('Why verdicts are unknown')).toContain(slowedTexts.reason);
  await expectAccessible(view.page);
  expect(view.errors).toEqual([]);
});

test('a missing check and an unknown address say so, and an erased check stays on the screen', async () => {
  await using view = await site.open(`/checks/${randomUUID()}`);
  const { page } = view;
  await untilShown(page, 'There is no such check.');
  await expectAccessible(page);
  await page.goto(`${site.url}/nothing/here`);
  await untilShown(page, 'There is no page at this address');
  await expectAccessible(page);

  const check = aCheck();
  await site.world.create(check);
  await page.goto(`${site.url}/checks/${check.id}`);
  await untilShown(page, 'waiting');
  expect((await fetch(`${site.url}/v1/checks/${check.id}`, { method: 'DELETE' })).status).toBe(204);
  await untilShown(page, 'The check was erased while you looked at it.');
  await untilShown(page, 'waiting');
});

test('a view without a connection keeps what it shows', async () => {
  const { id } = await finishedCheck(site.world, {}, twoResults);
  const check = aCheck({ url: 'https://example.com/offline' });
  const [run] = await site.world.create(check);
  await using view = await site.open(`/checks/${check.id}`);
  const { page } = view;
  await untilShown(page, 'waiting');
  await page.setOfflineMode(true);
  await untilShown(page, 'You are offline.');
  if (run) await finishRun(site.world, run, { lcps: [633, 640, 629] });
  await untilShown(page, 'https://example.com/offline');
  await expectAccessible(page);
  await page.setOfflineMode(false);
  await untilShown(page, '633 ms');
  expect(id).not.toBe(check.id);
});
