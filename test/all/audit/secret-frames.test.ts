import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, ElementHandle, Page } from 'puppeteer-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareChromium } from '../../../functions/auditor/host/chromium.ts';
import { typeInto } from '../../../functions/auditor/interactions/typing.ts';
import { testChromium } from '../../support/chromium-dir.ts';

/*
 * The site `shop.localhost` has frames of `evil.localhost`. Each frame shows a field, and the address of the frame says nothing
 * about who wrote it.
 */
const field = '<input id="p" name="p">';
let port: number;
const evil = (path: string) => `http://evil.localhost:${port}${path}`;
const documents: Record<string, () => string> = {
  '/': () => `${field}<iframe name="a" src="${evil('/a')}"></iframe><iframe name="b" src="${evil('/b')}"></iframe>
    <iframe name="own" srcdoc='${field}'></iframe><iframe name="sandboxed" sandbox="allow-scripts" srcdoc='${field}'></iframe>
    <iframe name="data" src='data:text/html,${field}'></iframe><iframe name="blob" src="${evil('/blob')}"></iframe>
    <script>document.execCommand = (...given) => { window.taken = given; return true; };</script>`,
  '/a': () => '<script>location.href = "about:blank";</script>',
  '/b': () => `<script>const write = setInterval(() => { try {
      const { document } = parent.frames[0];
      if (parent.frames[0].location.href !== 'about:blank') return;
      document.body.innerHTML = '${field}'; clearInterval(write); } catch {} }, 20);</script>`,
  '/blob': () => `<script>location.href = URL.createObjectURL(new Blob(['${field}'], { type: 'text/html' }));</script>`,
};
const server = createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(`<!doctype html><title>A page</title><body>${documents[request.url ?? '/']?.() ?? ''}`);
});
let browser: Browser;
let page: Page;

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  ({ port } = server.address() as AddressInfo);
  const { executable, env } = await prepareChromium(testChromium());
  browser = await puppeteer.launch({ executablePath: executable, env, headless: 'shell', args: ['--no-sandbox'] });
  page = await browser.newPage();
  await page.goto(`http://shop.localhost:${port}/`);
});
afterAll(async () => {
  await browser.close();
  server.close();
});

const fieldIn = async (name?: string): Promise<ElementHandle<HTMLInputElement>> => {
  const frameOf = () => (name ? page.frames().find((each) => each.name() === name) : page.mainFrame());
  await expect.poll(async () => (await frameOf()?.$('#p')) ?? null).not.toBeNull();
  return (await frameOf()?.$('#p')) as ElementHandle<HTMLInputElement>;
};
const type = async (into: ElementHandle<HTMLInputElement>, url = `http://shop.localhost:${port}/`) => {
  const order = { url, secrets: { secretTexts: { pw: 'the-secret-text' } } };
  await typeInto(page, into, { secret: 'pw' }, { order, signal: new AbortController().signal });
};
const typedIn = (of: ElementHandle<HTMLInputElement>) => of.evaluate(({ value }) => value);

test.each(['a', 'sandboxed', 'data', 'blob'])(
  'the frame %s, which another origin wrote, gets no secret text',
  async (name) => {
    const into = await fieldIn(name);
    await expect(type(into)).rejects.toThrow(
      /^The secret text is for the site of .*, and the element belongs to (null|http:\/\/evil)/,
    );
    expect(await typedIn(into)).toBe('');
  },
);

test.each([undefined, 'own'])(
  'the document %s of the own site gets it, and no function of the page does',
  async (name) => {
    const into = await fieldIn(name);
    await type(into);
    expect(await typedIn(into)).toBe('the-secret-text');
    expect(await page.evaluate(() => (window as { taken?: unknown }).taken)).toBeUndefined();
  },
);

test('a page without TLS gets no secret text of a check whose page has it', async () => {
  await expect(type(await fieldIn('own'), `https://shop.localhost:${port}/`)).rejects.toThrow('The secret text is for');
});
