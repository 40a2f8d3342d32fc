import { randomUUID } from 'node:crypto';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finishedCheck } from '../../support/finished-checks.ts';
import { expectAccessible, overflowOf, press, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ CHANGES_FROM: 'process' });
});
afterAll(() => site.stop());

const fast = { lcps: [633, 640, 629] };
const emulate = async (page: Page, name: string, value: string) =>
  (await page.createCDPSession()).send('Emulation.setEmulatedMedia', { features: [{ name, value }] });

test('a trend of one check has a chart in a browser whose language is no tag, with a day, its scores and its regions', async () => {
  const url = 'https://example.com/once';
  await finishedCheck(site.world, { url }, [fast, fast]);
  await using view = await site.open('/health');
  const { page, errors } = view;
  await page.evaluateOnNewDocument(() => {
    Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' });
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
  await emulate(page, 'forced-colors', 'active');
  await page.waitForFunction(() => matchMedia('(forced-colors: active)').matches);
  await untilShown(page, 'Time (');
  expect(errors).toEqual([]);
});

test('bars keep their colour where the browser replaces all colours', async () => {
  const { id } = await finishedCheck(site.world, {}, [fast, { lcps: [1912, 1905, 1918] }]);
  await using view = await site.open(`/checks/${id}`);
  await view.page.waitForSelector('.bar i');
  await emulate(view.page, 'forced-colors', 'active');
  const [back, bar] = await view.page.$eval('.bar', (each) =>
    [each, each.firstElementChild as Element].map((part) => getComputedStyle(part).backgroundColor),
  );
  expect(bar).not.toBe(back);
});

test('a narrow window shows every value of a check and a trend, long labels, and two lines of a long URL', async () => {
  const url = `https://example.com/${'x'.repeat(1900)}`;
  const labels = { branch: 'y'.repeat(128) };
  const regions = ['us-west1', 'europe-north1', 'us-east4'] as ['us-west1', 'europe-north1', 'us-east4'];
  const { id } = await finishedCheck(site.world, { url, labels, regions }, [fast, fast, { lcps: [1912, 1905, 1918] }]);
  for (const width of [360, 640]) {
    for (const [path, text] of [
      [`/checks/${id}`, 'better by'],
      [`/pages?url=${encodeURIComponent(url)}`, 'CSV of all runs'],
      ['/', 'y'.repeat(128)],
    ] as const) {
      await using view = await site.open(path, { width });
      const { page } = view;
      await untilShown(page, text);
      await page.waitForSelector('td .number, td .value');
      expect([path.slice(0, 8), await overflowOf(page)]).toEqual([path.slice(0, 8), 0]);
      const cut = await page.$$eval('tbody :is(td, th)', (cells) =>
        cells.filter((cell) => cell.getBoundingClientRect().right > innerWidth).map((cell) => cell.outerHTML),
      );
      expect(cut).toEqual([]);
      if (path !== '/') continue;
      const lines = await page.$eval(`a[href="/checks/${id}"]`, (link) => {
        const { lineHeight } = getComputedStyle(link);
        return link.getBoundingClientRect().height / Number.parseFloat(lineHeight);
      });
      expect(Math.round(lines)).toBeLessThanOrEqual(2);
    }
  }
});

test('a text that turns the direction of writing turns nothing after it, also in the title', async () => {
  const url = 'https://example.com/\u202ereversed';
  const label = '\u202elabel';
  const { id } = await finishedCheck(site.world, { url, labels: { branch: label } }, [fast, { failed: 'dns-failure' }]);
  for (const path of ['/', `/checks/${id}`, `/pages?url=${encodeURIComponent(url)}`]) {
    await using view = await site.open(path);
    await untilShown(view.page, url);
    const loose = await view.page.evaluate(() => {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const found: string[] = [];
      for (let text = texts.nextNode(); text; text = texts.nextNode())
        if (text.nodeValue?.includes('\u202e') && !text.parentElement?.closest('bdi')) found.push(text.nodeValue);
      return found;
    });
    expect([path, loose]).toEqual([path, []]);
    if (path !== '/') expect(await view.page.title()).toContain(`\u2068${url}\u2069`);
  }
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
  await untilShown(page, 'expired');
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

test('a comparison of two URLs names both', async () => {
  const [before, after] = [
    await finishedCheck(site.world, { url: 'https://example.com/before' }, [fast, fast]),
    await finishedCheck(site.world, { url: 'https://example.com/after' }, [fast, fast]),
  ];
  await using view = await site.open(`/comparisons/${before.id}...${after.id}`);
  await untilShown(view.page, 'https://example.com/before compared with https://example.com/after');
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
