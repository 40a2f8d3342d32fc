import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../../functions/auditor/child/browser.ts';
import { prepareChromium } from '../../../functions/auditor/host/chromium.ts';
import { testChromium } from '../../support/chromium-dir.ts';

let browser: Awaited<ReturnType<typeof launchBrowser>>;
let workDir: string;
beforeAll(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'fonts-'));
  await mkdir(join(workDir, '.fonts'));
  const hosts = createRequire(import.meta.url).resolve('katex/dist/fonts/KaTeX_Main-Regular.ttf');
  await copyFile(hosts, join(workDir, '.fonts', 'KaTeX_Main-Regular.ttf')); // a usual machine offers this font
  const { executable, env } = await prepareChromium(testChromium());
  browser = await launchBrowser({
    executable,
    proxyPort: 9,
    workDir,
    sandbox: 'none',
    env: { ...env, HOME: workDir, TMPDIR: workDir, PATH: '/usr/bin:/bin' },
  });
});
afterAll(async () => {
  await browser?.browser.close();
  await rm(workDir, { recursive: true, maxRetries: 10 });
});

/** Returns the fonts that show a text. A character that no font has counts for the first font of its element. */
const fontsOf = async (text: string, { lang = '', style = '' } = {}): Promise<string[]> => {
  const { page }: { page: Page } = browser;
  await page.setContent(`<p lang="${lang}" style="${style}">${text}</p>`);
  const session: CDPSession = await page.createCDPSession();
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  const { root } = await session.send('DOM.getDocument');
  const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'p' });
  const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
  await session.detach();
  return fonts.map(({ postScriptName }) => postScriptName).sort();
};

test.each([
  ['Latin', 'en', 'Straße,žluťoučký,Việt', 'Arimo-Regular'],
  ['Greek and Cyrillic', 'el', 'ΕλληνικάПривет', 'Arimo-Regular'],
  ['Hebrew', 'he', 'שלום', 'Arimo-Regular'],
  ['Japanese', 'ja', '日本語のテキスト、漢字', 'NotoSansJP-Regular'],
  ['simplified Chinese', 'zh-CN', '简体中文测试汉语', 'NotoSansHans-Regular'],
  ['traditional Chinese', 'zh-TW', '繁體中文測試漢語龍', 'NotoSansHans-Regular'],
  ['Chinese of an unknown language', '', '简体中文測試', 'NotoSansHans-Regular'],
  ['Korean', 'ko', '한국어텍스트뷁', 'NotoSansKR-Regular'],
  ['Arabic', 'ar', 'مرحبا', 'NotoSansArabic-Regular'],
  ['Thai', 'th', 'ภาษาไทยทดสอบ', 'NotoSansThai-Regular'],
  ['Hindi', 'hi', 'नमस्तेदुनियाक्ष', 'NotoSansDevanagari-Regular'],
  ['emoji', 'en', '😀🎉👍🏽🇩🇪👨‍👩‍👧🫠', 'NotoColorEmoji'],
])('a page shows %s in a font that has its characters', async (_, lang, text, font) => {
  expect(await fontsOf(text, { lang, style: 'font-family: sans-serif' })).toEqual([font]);
});

test.each([
  ['font-family: Arial', 'Arimo-Regular'],
  ['font: italic bold 16px Helvetica', 'Arimo-BoldItalic'],
  ['font-family: system-ui', 'Arimo-Regular'],
  ['font-family: "Times New Roman"', 'Tinos-Regular'],
  ['font-family: serif', 'Tinos-Regular'],
  ['font-family: Consolas, Menlo, monospace', 'Cousine-Regular'],
])('the style %s shows text in the font that stands for it', async (style, font) => {
  expect(await fontsOf('text', { style })).toEqual([font]);
});

test('a page sees no font of the machine', async () => {
  for (const family of ['KaTeX_Main', 'DejaVu Sans'])
    expect(await fontsOf('text', { style: `font-family: '${family}', monospace` }), family).toEqual([
      'Cousine-Regular',
    ]);
});
