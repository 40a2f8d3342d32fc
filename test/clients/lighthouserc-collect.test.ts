import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { RunOptions } from '../../clients/cli/flags/options.ts';
import { withCollected } from '../../clients/cli/lighthouserc/collecting.ts';
import { readRules } from '../../clients/cli/lighthouserc/rules.ts';
import { readSecrets } from '../../clients/cli/login/secrets.ts';

const folder = mkdtempSync(join(tmpdir(), 'lighthouserc-collect-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const flags = { auditVersion: 'latest', timeout: 900, format: 'text' } as const;
/** Returns the URLs, options and notes of a command with a file whose parts are these. */
const collected = async (ci: object, urls: string[] = [], given: Partial<RunOptions> = {}) => {
  const assert = join(folder, 'lighthouserc.json');
  writeFileSync(assert, JSON.stringify({ ci: { assert: {}, ...ci } }));
  const { options, urls: named, notes } = await withCollected(urls, { ...flags, assert, ...given }, folder);
  const { auditVersion: _, timeout: __, format: ___, assert: ____, ...own } = options;
  return { urls: named, notes, options: own };
};

test('the pages and inputs of ci.collect are those of the command', async () => {
  const settings = {
    preset: 'desktop',
    onlyCategories: ['performance', 'seo'],
    throttling: { rttMs: 40, throughputKbps: 10240 },
    extraHeaders: '{"x-preview": "token"}',
    blockedUrlPatterns: ['ads.example.com'],
  };
  const url = ['https://example.com/', 'https://example.com/shop'];
  expect(await collected({ collect: { url, numberOfRuns: 5, settings } })).toEqual({
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

test('chromePath is the browser of the service that the command starts, and the option --chrome-path wins', async () => {
  const collect = { url: 'https://example.com/', chromePath: '/usr/bin/chromium' };
  expect(await collected({ collect })).toMatchObject({ options: { chromePath: '/usr/bin/chromium' }, notes: [] });
  const given = { chromePath: 'auto' };
  expect(await collected({ collect }, [], given)).toMatchObject({ options: { chromePath: 'auto' } });
});

test.each([
  [{ preset: 'desktop', formFactor: 'desktop' }, { device: ['desktop'] }],
  [
    { formFactor: 'desktop', throttling: { cpuSlowdownMultiplier: 1 } },
    {
      device: ['desktop'],
      'throttling.rttMs': 150,
      'throttling.throughputKbps': 1638.4,
      'throttling.cpuSlowdownMultiplier': 1,
    },
  ],
  [{ preset: 'perf' }, { category: ['performance'] }],
  [{ onlyCategories: 'performance,seo' }, { category: ['performance', 'seo'] }],
  [{ throttlingMethod: 'provided', throttling: { rttMs: 1 } }, { throttling: 'none' }],
  [{ extraHeaders: { cookie2: 'a' } }, { header: ['cookie2: a'] }],
])('the settings %j are the options %j', async (settings, options) => {
  expect(await collected({ collect: { settings } }, ['https://example.com/'])).toMatchObject({ options, notes: [] });
});

test('URLs and options of the command win over the file', async () => {
  const collect = { url: 'https://example.com/', numberOfRuns: 3, settings: { throttling: { rttMs: 40 } } };
  const { urls, options } = await collected({ collect }, ['https://example.org/'], { throttling: 'none' });
  expect([urls, options]).toEqual([['https://example.org/'], { samples: 3, throttling: 'none' }]);
});

test('each part without effect is named, with what to use instead', async () => {
  const throttling = { requestLatencyMs: 1 };
  const settings = { chromeFlags: '--no-sandbox', locale: 'de', throttlingMethod: 'devtools', throttling };
  const collect = {
    method: 'psi',
    puppeteerScript: 'login.js',
    staticDistDir: 'dist',
    startServerCommand: 'x',
    settings,
  };
  const { notes } = await collected({ collect, upload: { target: 'filesystem' } }, ['https://example.com/']);
  expect(notes).toEqual([
    'ci.collect.method psi has no effect. The service audits the page itself.',
    'ci.collect.startServerCommand has no effect beside staticDistDir, as in Lighthouse CI.',
    'ci.collect.puppeteerScript has no effect. Log in with a script of your own, and use --storage-state.',
    'ci.collect.settings.chromeFlags has no effect. The service starts Chromium with its own flags.',
    'ci.collect.settings.locale has no effect.',
    'ci.collect.settings.throttling.requestLatencyMs has no effect.',
    'ci.collect.settings.throttlingMethod devtools has no effect. The service simulates the throttling.',
    'ci.upload has no effect. The service keeps the reports. Use --output to write files.',
  ]);
});

test.each([
  { settings: { chromeFlags: ['--headless', '--ignore-certificate-errors'] } },
  { settings: { chromeFlags: '--allow-insecure-localhost' } },
  { puppeteerLaunchOptions: { acceptInsecureCerts: true } },
])('a file that ignores invalid certificates by %j names the setting that trusts an authority', async (collect) => {
  const { notes } = await collected({ collect }, ['https://example.com/']);
  expect(notes).toEqual([expect.stringContaining('start it with EXTRA_CA_FILE=ca.pem')]);
});

test('a header that a script leaves undefined is left out, and a Cookie header becomes cookies of the page', async () => {
  const assert = join(folder, 'lighthouserc.cjs');
  const extraHeaders = `{ 'x-a': undefined, 'x-b': 'c', Cookie: 'a=b; c=d' }`;
  writeFileSync(
    assert,
    `module.exports = { ci: { assert: {}, collect: { settings: { extraHeaders: ${extraHeaders} } } } };`,
  );
  const { options } = await withCollected(['https://example.com/'], { ...flags, assert }, folder);
  expect(readSecrets(options, {})('https://example.com/').secrets).toEqual({
    headers: { 'x-b': 'c' },
    cookies: [
      { name: 'a', value: 'b', domain: 'example.com' },
      { name: 'c', value: 'd', domain: 'example.com' },
    ],
  });
});

test('extraHeaders may name a file of JSON, as in Lighthouse', async () => {
  const extraHeaders = join(folder, 'headers.json');
  writeFileSync(extraHeaders, '{"x-preview": "token"}');
  const { options } = await collected({ collect: { settings: { extraHeaders } } }, ['https://example.com/']);
  expect(options).toEqual({ header: ['x-preview: token'] });
});

test('a command without URLs and a file finds the lighthouserc of its folder', async () => {
  const found = mkdtempSync(join(folder, 'found-'));
  writeFileSync(join(found, '.lighthouserc.yml'), 'ci: { collect: { url: "https://example.com/" } }');
  const { urls, notes, options, rc } = await withCollected([], flags, found);
  expect([urls, notes]).toEqual([
    ['https://example.com/'],
    [expect.stringMatching(/^The pages and assertions are those of .*\.lighthouserc\.yml\.$/)],
  ]);
  expect(await readRules(options, rc, { isFound: true })).toEqual({
    assertions: undefined,
    notes: [expect.stringMatching(/has no assertions, so the pages are audited and nothing is judged\.$/)],
  });
  await expect(readRules(options, rc)).rejects.toThrow('has no assertions');
});

test('a wrong value is refused with its place, and a command without a page says how to name one', async () => {
  await expect(collected({ collect: { numberOfRuns: 'many' } })).rejects.toThrow(
    /ci\.collect\.numberOfRuns: Expected a number/,
  );
  for (const [extraHeaders, message] of [
    ['{x', /settings\.extraHeaders: Expected an object of names .* or a file with this JSON/],
    ['none.json', /^none\.json does not exist\. Name a readable file\.$/],
    [{ 'x-a': null }, /lighthouserc\.json:\d+:\d+: ci\.collect\.settings\.extraHeaders\.x-a: Expected a text/],
    ['{"x-a": []}', /settings\.extraHeaders\.x-a: Expected a text/],
  ] as const) {
    await expect(collected({ collect: { settings: { extraHeaders } } })).rejects.toThrow(message);
  }
  await expect(collected({})).rejects.toThrow('No page is named. Name a URL, or use --assert');
});
