import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { withCollected } from '../../clients/cli/lighthouserc-collect.ts';
import type { RunOptions } from '../../clients/cli/options.ts';

const folder = mkdtempSync(join(tmpdir(), 'lighthouserc-collect-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const flags = { auditVersion: 'latest', timeout: 900, format: 'text' } as const;
/** Returns the URLs, options and notes of a command with a file whose parts are these. */
const collected = (ci: object, urls: string[] = [], given: Partial<RunOptions> = {}) => {
  const assert = join(folder, 'lighthouserc.json');
  writeFileSync(assert, JSON.stringify({ ci: { assert: {}, ...ci } }));
  const { options, ...others } = withCollected(urls, { ...flags, assert, ...given });
  const { auditVersion: _, timeout: __, format: ___, assert: ____, ...own } = options;
  return { ...others, options: own };
};

test('the pages and inputs of ci.collect are those of the command', () => {
  const settings = {
    preset: 'desktop',
    onlyCategories: ['performance', 'seo'],
    throttling: { rttMs: 40, throughputKbps: 10240 },
    extraHeaders: '{"x-preview": "token"}',
    blockedUrlPatterns: ['ads.example.com'],
  };
  const url = ['https://example.com/', 'https://example.com/shop'];
  expect(collected({ collect: { url, numberOfRuns: 5, settings } })).toEqual({
    urls: url,
    options: {
      samples: 5,
      device: ['desktop'],
      category: ['performance', 'seo'],
      'throttling.rttMs': 40,
      'throttling.throughputKbps': 10240,
      header: ['x-preview: token'],
      blockedUrlPatterns: ['ads.example.com'],
    },
    notes: [],
  });
});

test.each([
  [{ formFactor: 'desktop' }, { device: ['desktop'] }],
  [{ preset: 'perf' }, { category: ['performance'] }],
  [{ onlyCategories: 'performance,seo' }, { category: ['performance', 'seo'] }],
  [{ throttlingMethod: 'provided', throttling: { rttMs: 1 } }, { throttling: 'none' }],
  [{ extraHeaders: { cookie2: 'a' } }, { header: ['cookie2: a'] }],
])('the settings %j are the options %j', (settings, options) => {
  expect(collected({ collect: { settings } }, ['https://example.com/'])).toMatchObject({ options, notes: [] });
});

test('URLs and options of the command win over the file', () => {
  const collect = { url: 'https://example.com/', numberOfRuns: 3, settings: { throttling: { rttMs: 40 } } };
  const { urls, options } = collected({ collect }, ['https://example.org/'], { throttling: 'none' });
  expect([urls, options]).toEqual([['https://example.org/'], { samples: 3, throttling: 'none' }]);
});

test('each part without effect is named, with what to use instead', () => {
  const settings = { chromeFlags: '--no-sandbox', locale: 'de' };
  const collect = { startServerCommand: 'npm start', puppeteerScript: 'login.js', settings };
  const { notes } = collected({ collect, upload: { target: 'filesystem' } }, ['https://example.com/']);
  expect(notes).toEqual([
    'ci.collect.startServerCommand has no effect. Start the server before the command.',
    'ci.collect.puppeteerScript has no effect. Log in with a script of your own, and use --storage-state.',
    'ci.collect.settings.chromeFlags has no effect. The service starts Chromium with its own flags.',
    'ci.collect.settings.locale has no effect.',
    'ci.upload has no effect. The service keeps the reports. Use --output to write files.',
  ]);
});

test('a wrong value is refused with its place, and a command without a page says how to name one', () => {
  expect(() => collected({ collect: { numberOfRuns: 'many' } })).toThrow(
    /ci\.collect\.numberOfRuns: Expected a number/,
  );
  expect(() => collected({ collect: { settings: { extraHeaders: 'x' } } })).toThrow(/Expected an object of names/);
  expect(() => collected({})).toThrow('No page is named. Name a URL, or use --assert');
});
