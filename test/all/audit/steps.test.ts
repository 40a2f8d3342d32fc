import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'puppeteer-core';
import puppeteer from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { prepareChromium } from '../../../functions/auditor/host/chromium.ts';
import { perform } from '../../../functions/auditor/interactions/perform.ts';
import type { Step } from '../../../shared/interactions/interactions.ts';
import { testChromium } from '../../support/chromium-dir.ts';
import { anOrder } from '../../support/order.ts';

/** Each page writes what happened to it into its title. */
const said = "function said(text) { document.title += (document.title && ' ') + text; }";
const list = `<div id="list" style="height:90vh;overflow:auto"></div><script>
  const grow = () => { for (let i = 0; i < 20; i++) list.append(Object.assign(document.createElement('p'), { textContent: 'Row' })); };
  grow(); grow(); let growing = false;
  list.onscroll = () => { if (growing || list.scrollTop + list.clientHeight < list.scrollHeight - 5) return;
    growing = true; setTimeout(() => { grow(); growing = false; }, 300); };</script>`;
const pages: Record<string, string> = {
  touch: `<button id="b">Menu</button><script>for (const type of ['touchstart', 'mousedown', 'click'])
    b.addEventListener(type, () => said(type))</script>`,
  wide: `<meta name="viewport" content="width=1200"><div style="height:900px"></div><button id="b" style="margin-left:900px"
    onclick="said('clicked')">Far</button>`,
  pulse: `<style>@keyframes pulse { to { transform: scale(1.2) } } #b { animation: pulse .5s infinite alternate }</style>
    <p style="height:100px"><button id="b" onclick="said('clicked')">Buy</button>`,
  header: `<header style="position:fixed;inset:0 0 auto;height:55vh;background:#fff">Header</header>
    <p style="height:2000px"></p><button id="b" onclick="said('clicked')">Below</button><p style="height:2000px">`,
  contents: `<button id="b" style="display:contents" onclick="said('clicked')">Only text</button>`,
  corner: `<div style="position:relative"><button id="b" style="width:200px;height:100px" onclick="said('clicked')">Wide</button>
    <span style="position:absolute;left:60px;top:10px;width:90px;height:80px;background:red"></span></div>`,
  fields: `<input id="readonly" readonly value="old"><input id="guarded" readonly onfocus="this.readOnly = false">
    <p id="text">No field</p><div id="rich" contenteditable><b>old</b> words</div><select id="s"><option value="a">A</option></select>`,
  shell: `<style>html, body { margin:0; height:100%; overflow:hidden }</style><nav style="height:40px">Shell</nav>
    <main id="inner" style="height:calc(100% - 40px);overflow:auto"><p style="height:5000px">Long</p></main>`,
  short: '<style>html, body { margin:0; height:100%; overflow:hidden }</style><p>Short',
  map: `<style>html, body { margin:0; height:100%; overflow:hidden }</style>
    <script>addEventListener('wheel', (event) => { event.preventDefault(); said('turned'); }, { passive: false })</script>`,
  double: `<button id="b" ondblclick="said('double')">Twice</button>`,
  held: `<button id="b">Hold</button><script>let at; b.onpointerdown = (event) => { at = event.timeStamp; };
    b.onpointerup = (event) => said(event.timeStamp - at >= 290 ? 'held' : 'short')</script>`,
  canvas: `<canvas id="c" width="300" height="200" onclick="said([event.offsetX, event.offsetY].map(Math.round))"></canvas>`,
  label: `<button id="cart" onclick="said('clicked')">Cart (0)</button>`,
  both: `<button onclick="said('page')">In</button><iframe srcdoc="<button onclick=&quot;parent.said('inner')&quot;>In</button>"></iframe>`,
  growing: list,
  framed: `<p style="height:1500px"><iframe id="f" style="border:3px solid;margin:20px" srcdoc="<p style='height:400px'><button
    id=inner onclick=&quot;parent.said('inner')&quot;>In</button>"></iframe><p style="height:1500px">`,
};
const server = createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  const page = pages[request.url?.slice(1) ?? ''] ?? '';
  const viewport = page.includes('name="viewport"') ? '' : '<meta name="viewport" content="width=device-width">';
  response.end(`<!doctype html>${viewport}<title></title><script>${said}</script><body>${page}`);
});
let browser: Browser;
let page: Page;

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { executable, env } = await prepareChromium(testChromium());
  browser = await puppeteer.launch({ executablePath: executable, env, headless: 'shell', args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser.close();
  server.close();
});
beforeEach(async () => {
  page = await browser.newPage();
});
afterEach(() => page.close());

type Device = 'mobile' | 'desktop';
const screens = {
  mobile: { width: 412, height: 823, deviceScaleFactor: 1.75, isMobile: true, hasTouch: true },
  desktop: { width: 1350, height: 940 },
};
/** Performs steps on a page. Returns its title. */
const after = async (path: string, steps: Step[], device: Device = 'mobile', ms = 4000): Promise<string> => {
  await page.setViewport(screens[device]);
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`);
  for (const step of steps) await perform(page, step, anOrder({ device }), AbortSignal.timeout(ms));
  await new Promise((resolve) => setTimeout(resolve, 50));
  return (await page.title()).trim();
};

test('a phone is touched, and a desktop has a mouse', async () => {
  expect(await after('touch', [{ click: '#b' }])).toBe('touchstart mousedown click');
  expect(await after('touch', [{ click: '#b' }], 'desktop')).toBe('mousedown click');
});

test.each(['wide', 'pulse', 'header', 'contents', 'corner'])(
  'a person can click the button of the page %s, and so can a step',
  async (name) => {
    for (const device of ['mobile', 'desktop'] as const)
      expect(await after(name, [{ click: '#b' }], device), device).toBe('clicked');
  },
);

test('a button in a frame below the screen is clicked', async () => {
  for (const device of ['mobile', 'desktop'] as const)
    expect(await after('framed', [{ click: '#inner' }], device), device).toBe('inner');
});

test('a field that takes no text and a list without the value say so, and one that a focus unlocks takes its text', async () => {
  for (const id of ['#readonly', '#text'])
    await expect(after('fields', [{ type: id, text: 'new' }])).rejects.toThrow('The field takes no text.');
  await expect(after('fields', [{ select: '#s', values: ['b'] }])).rejects.toThrow('The list has no value "b".');
  await expect(after('fields', [{ type: '#s', text: 'b' }])).rejects.toThrow('The list has no value "b".');
  await after('fields', [{ type: '#guarded', text: 'new' }]);
  expect(await page.$eval('#guarded', (field) => (field as HTMLInputElement).value)).toBe('new');
});

test('a text replaces that of an editable element', async () => {
  await after('fields', [{ type: '#rich', text: 'new' }]);
  expect(await page.$eval('#rich', (field) => field.textContent)).toBe('new');
});

test('the wheel scrolls the element in the middle where the page does not scroll, or says that nothing scrolls', async () => {
  await after('shell', [{ scroll: 1500 }]);
  expect(await page.$eval('#inner', ({ scrollTop }) => scrollTop)).toBe(1500);
  await expect(after('short', [{ scroll: 1500 }])).rejects.toThrow('Nothing scrolls');
  expect(await after('map', [{ scroll: 1500 }])).toContain('turned');
});

test('each turn of the wheel waits until a list that grows stands', async () => {
  await after('growing', Array(3).fill({ scroll: 3000 }), 'desktop', 10_000);
  expect(await page.$$eval('#list p', ({ length }) => length)).toBe(100);
});

test('a double click, a held one, an offset, other selectors, a frame and a scroll inside reach the page', async () => {
  for (const device of ['mobile', 'desktop'] as const) {
    expect(await after('double', [{ click: '#b', times: 2 }], device), device).toBe('double');
    expect(await after('held', [{ click: '#b', duration: 300 }], device), device).toBe('held');
    expect(await after('canvas', [{ click: '#c', offset: { x: 30, y: 20 } }], device), device).toBe('30,20');
  }
  expect(await after('label', [{ click: 'aria/Cart (1)', or: ['#cart'] }])).toBe('clicked');
  expect(await after('both', [{ click: 'button', frame: [0] }])).toBe('inner');
  await after('shell', [{ scroll: '#inner', to: { x: 0, y: 2000 } }]);
  expect(await page.$eval('#inner', ({ scrollTop }) => scrollTop)).toBe(2000);
  await after('framed', [{ scroll: ':root', to: { x: 0, y: 700 } }]);
  expect(await page.evaluate(() => scrollY)).toBe(700);
});
