import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import puppeteer, { type Browser, type CDPSession, type Page } from 'puppeteer-core';
import { expect } from 'vitest';
import { prepareChromium } from '../../functions/auditor/host/chromium.ts';
import { testChromium } from './chromium-dir.ts';

/** Starts the Chromium of the service. */
export const startBrowser = async (locale = 'en_US.UTF-8'): Promise<Browser> => {
  const { executable, env } = await prepareChromium(testChromium());
  return puppeteer.launch({
    executablePath: executable,
    headless: 'shell',
    env: { ...process.env, LANG: locale, LC_ALL: locale, ...env },
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
};

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Media of the page. Only the first one needs all rules of axe, because the others change nothing but colours. */
const schemes = {
  light: [{ name: 'prefers-color-scheme', value: 'light' }],
  dark: [{ name: 'prefers-color-scheme', value: 'dark' }],
  forced: [{ name: 'forced-colors', value: 'active' }],
};
const colorRules = ['color-contrast', 'link-in-text-block'];
const plain = [
  { name: 'prefers-color-scheme', value: 'light' },
  { name: 'forced-colors', value: 'none' },
];

const sessions = new WeakMap<Page, Promise<CDPSession>>();

/** Emulates media features. Puppeteer itself knows no forced colours. The features end with the session. */
export const emulateMedia = async (page: Page, features: { name: string; value: string }[], media = '') => {
  const session = sessions.get(page) ?? page.createCDPSession();
  sessions.set(page, session);
  await (await session).send('Emulation.setEmulatedMedia', { media, features });
};

/** Expects that axe finds no fault in a page, in light and in dark colours, and on request in those of the system. */
export const expectAccessible = async (page: Page, { forced = false } = {}): Promise<void> => {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  for (const [scheme, features] of Object.entries(schemes)) {
    if (scheme === 'forced' && !forced) continue;
    await emulateMedia(page, features);
    const faults = await page.evaluate(
      async (runOnly) => {
        const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(runOnly ? { runOnly } : {});
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
      },
      scheme === 'light' ? undefined : colorRules,
    );
    expect([scheme, page.url(), faults]).toEqual([scheme, page.url(), []]);
  }
  if (forced) await emulateMedia(page, plain);
};
type Axe = {
  run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};

/** Limit of each wait for a page. It ends a test that hangs, and says nothing about speed. */
const PATIENCE_MS = 60_000;

/** Opens an address. Collects errors of the page, and requests to other hosts. */
export const openPage = async (browser: Pick<Browser, 'newPage'>, url: string, { width = 1280 } = {}) => {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const errors: string[] = [];
  const { origin } = new URL(url);
  page.on('pageerror', (error) => void errors.push(String(error)));
  page.on('console', (message) => void (/Content Security Policy/.test(message.text()) && errors.push(message.text())));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) errors.push(request.url());
  });
  await page.setViewport({ width, height: 800 });
  await page.goto(url);
  return { page, errors, [Symbol.asyncDispose]: () => page.close() };
};

/** Waits until the page shows a text. */
export const untilShown = (page: Page, text: string) =>
  page.waitForFunction((wanted) => document.body.textContent?.includes(wanted), {}, text);

/** The text of a view as it is now. Wait for what loads later with `expect.poll`. */
export const mainText = (page: Page) => page.$eval('main', ({ textContent }) => textContent);

/** Returns an element as soon as the page has it. The methods of a page itself do not wait for the view. */
export const elementOf = async (page: Page, selector: string) => {
  const found = await page.waitForSelector(selector);
  if (!found) throw new Error(`The page has no element ${selector}.`);
  return found;
};

const PRESSED = ['a', 'button', 'summary'] as const;

/** Clicks the button or link with this text, as a keyboard does: with the focus on it and Enter. */
export const press = async (page: Page, text: string, elements: readonly string[] = PRESSED): Promise<void> => {
  const isElement = elements.map((name) => `self::${name}`).join(' or ');
  const handle = await page.waitForSelector(`::-p-xpath(//*[${isElement}][contains(., ${JSON.stringify(text)})])`);
  await handle?.focus();
  await page.keyboard.press('Enter');
};

/** Returns how far the page is wider than its window, in pixels. */
export const overflowOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
