import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finishedCheck } from '../../support/finished-checks.ts';
import { emulateMedia, expectAccessible, press, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ CHANGES_FROM: 'process' });
});
afterAll(() => site.stop());

const fast = { lcps: [633, 640, 629] };

test('a trend of one check has a chart with a day, its scores and its regions', async () => {
  const url = 'https://example.com/once';
  await finishedCheck(site.world, { url }, [fast, fast]);
  await using view = await site.open('/health');
  const { page, errors } = view;
  await page.evaluateOnNewDocument(() => {
    const drawn: string[] = [];
    const dashes: number[][] = [];
    const { fillText, setLineDash } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      drawn.push(text);
      fillText.call(this, text, ...rest);
    };
    CanvasRenderingContext2D.prototype.setLineDash = function (dash) {
      dashes.push([...dash]);
      setLineDash.call(this, dash);
    };
    Object.assign(globalThis, { drawn, dashes });
  });
  await page.goto(`${site.url}/pages?url=${encodeURIComponent(url)}`);
  await page.waitForSelector('.chart canvas');
  const drawing = () =>
    page.evaluate(() => {
      const { drawn, dashes } = globalThis as unknown as { drawn: string[]; dashes: number[][] };
      return { drawn, dashes };
    });
  await expect.poll(async () => (await drawing()).drawn).toEqual(expect.arrayContaining(['us-west1', 'europe-north1']));
  const { drawn, dashes } = await drawing();
  expect(drawn.filter((text) => /^\d{4}$/.test(text))).toEqual([]); // years
  const scores = drawn.filter((text) => /^\d{1,3}$/.test(text)).map(Number);
  expect([Math.min(...scores) >= 87, Math.max(...scores) <= 97]).toEqual([true, true]);
  expect(dashes.some((dash) => dash.length > 0)).toBe(true); // the second line shows the first one
  await emulateMedia(page, [{ name: 'forced-colors', value: 'active' }]);
  await page.waitForFunction(() => matchMedia('(forced-colors: active)').matches);
  await untilShown(page, 'Time (');
  expect(errors).toEqual([]);
});

test('an expired run of a trend is no link', async () => {
  const url = 'https://example.com/expired';
  await finishedCheck(site.world, { url }, [fast, fast]);
  await using view = await site.open('/health');
  const { page } = view;
  await page.setRequestInterception(true);
  page.on('request', async (request) => {
    if (!request.url().includes('/v1/runs?')) return void request.continue();
    const list = await (await fetch(request.url())).json();
    for (const run of list.runs) run.links = { self: null, check: null };
    request.respond({ status: 200, contentType: 'application/json', body: JSON.stringify(list) });
  });
  await page.goto(`${site.url}/pages?url=${encodeURIComponent(url)}`);
  await untilShown(page, 'expired, only its numbers are kept');
  expect(await page.$$('.runs tbody a')).toEqual([]);
  const regions = await page.$$eval('.runs tbody td:nth-child(2)', (cells) => cells.map((cell) => cell.textContent));
  expect(regions).toEqual(['us-west1', 'europe-north1']);
});

test('an owner who opens the own link stays the owner, and a dead link says that it is dead', async () => {
  const { id } = await finishedCheck(site.world, {}, [fast, fast]);
  const link = await (await fetch(`${site.url}/v1/checks/${id}/links`, { method: 'POST' })).json();
  await using view = await site.open(new URL(link.url).pathname + new URL(link.url).hash);
  const { page } = view;
  await untilShown(page, 'Audit again');
  await press(page, 'Share');
  await untilShown(page, 'This service has no API keys.');
  await page.goto('about:blank');
  await page.goto(`${site.url}/checks/${randomUUID()}${new URL(link.url).hash}`);
  await untilShown(page, 'This link is dead.');
});

test('a repeated name of a label and a header is an error at its field, and sends nothing', async () => {
  await using view = await site.open('/');
  const { page } = view;
  await untilShown(page, 'us-east4');
  const fill = (name: string, text: string) =>
    page.$eval(`[name=${name}]`, (field, value) => ((field as HTMLTextAreaElement).value = value), text);
  await fill('url', 'https://example.com/');
  await fill('labels', 'branch: a\ncommit: b\nbranch: c');
  await press(page, 'Audit', ['button']);
  await untilShown(page, 'Line 3 repeats the name branch.');
  expect(await page.$eval('[name=labels]', (field) => field.getAttribute('aria-invalid'))).toBe('true');
  expect(new URL(page.url()).pathname).toBe('/');
});

test('a check without a success shows why first, and no table without values', async () => {
  const { id } = await finishedCheck(site.world, {}, [{ failed: 'dns-failure' }, { failed: 'dns-failure' }]);
  await using view = await site.open(`/checks/${id}`);
  await untilShown(view.page, 'us-west1, europe-north1 failed: dns-failure');
  expect(await view.page.$$('table')).toEqual([]);
  expect(await view.page.$eval('main h2', (first) => first.textContent)).toContain('failed: dns-failure');
  await expectAccessible(view.page);
});
