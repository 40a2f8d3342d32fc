import { describe, expect, test } from 'vitest';
import { scrubberOf, scrubReport } from '../../functions/auditor/scrub.ts';
import type { Secrets } from '../../shared/options/secrets.ts';

const url = 'https://app.example.com/team?view=public-value';
const TOKEN = 'preview+token/"of" <2026> & more=';
const secrets: Secrets = {
  headers: { authorization: 'Bearer abcdef.123456', 'x-preview-token': TOKEN, 'x-short': 'short' },
  basicAuth: { username: 'visitor', password: 'pässwörd' },
  cookies: [{ name: 'session', value: 'a%2Fb%3Dcookie', domain: 'app.example.com' }],
  storageState: {
    cookies: [{ name: 'id', value: 'id-of-visitor', domain: '.example.com' }],
    origins: [
      {
        origin: 'https://app.example.com',
        localStorage: [
          { name: 'login', value: '{"user":{"token":"0123456789abcdef","theme":"dark-mode"}}' },
          { name: 'view', value: 'public-value' },
          { name: 'tab', value: 'performance' },
        ],
        sessionStorage: [{ name: 'step', value: 'session-step' }],
        indexedDB: [
          {
            name: 'logins',
            version: 1,
            stores: [
              {
                name: 'users',
                autoIncrement: true,
                indexes: [],
                records: [
                  { value: 'short-text' },
                  { value: { token: 'token-in-a-database' } },
                  { valueEncoded: { o: [{ k: 'anEncodedFieldName', v: 'an-encoded-token' }], id: 1 } },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
  secretTexts: { password: 'typed by a step', pin: '1234' },
};
const scrub = scrubberOf(secrets, url);
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('the scrubber', () => {
  test.each([
    ['a header', TOKEN],
    ['the token of a header', 'abcdef.123456'],
    ['a user name', 'visitor'],
    ['a secret text', 'typed by a step'],
    ['a password', 'pässwörd'],
    ['a cookie', 'a%2Fb%3Dcookie'],
    ['a cookie without its encoding', 'a/b=cookie'],
    ['a cookie of the storage state', 'id-of-visitor'],
    ['a token inside a stored JSON value', '0123456789abcdef'],
    ['an entry of sessionStorage', 'session-step'],
    ['a text in a database', 'short-text'],
    ['a token in a database', 'token-in-a-database'],
    ['an encoded token in a database', 'an-encoded-token'],
  ])('replaces %s in all its spellings', (_, value) => {
    const html = value.replaceAll('&', '&amp;');
    const spellings = {
      plain: value,
      encoded: encodeURIComponent(value),
      'encoded in lower case': encodeURIComponent(value).replace(/%../g, (hex) => hex.toLowerCase()),
      'encoded twice': encodeURIComponent(encodeURIComponent(value)),
      'of a form': new URLSearchParams({ a: value }).toString().slice(2),
      json: JSON.stringify(value).slice(1, -1),
      attribute: html.replaceAll('"', '&quot;'),
      html: html.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    };
    for (const [name, text] of Object.entries(spellings)) {
      expect([name, scrub(`before ${text} between ${text}`)]).toEqual([name, 'before [secret] between [secret]']);
    }
  });

  test.each(['', 'a', 'ab', 'abc', 'user:', '{"headers":["'])('replaces a value in base64 after "%s"', (before) => {
    for (const after of ['', '!', '", "more"]']) {
      const text = base64(`${before}${TOKEN}${after}`);
      for (const spelled of [text, text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')]) {
        const clean = scrub(`x=${spelled}&y=1`);
        expect(clean).toContain('[secret]');
        expect(clean.replace('[secret]', '').length).toBeLessThan(base64(before + after).length + 14);
      }
    }
  });

  test('replaces the start of a secret that Lighthouse has cut', () => {
    expect(scrub('<p data-token="preview+toke…" class="a">')).toBe('<p data-token="[secret]…" class="a">');
    expect(scrub('preview+toke and more')).toBe('preview+toke and more');
  });

  test('keeps short values, parts of longer texts, and values that the URL of the check contains', () => {
    for (const text of ['short', 'visito', 'visit or', 'public-value', 'dark-mode', '', 'sess', url])
      expect(scrub(text)).toBe(text);
  });

  test('replaces secrets at the borders of a text and next to each other', () => {
    expect(scrub('visitor')).toBe('[secret]');
    expect(scrub('visitorvisitorsession-stepid-of-visitor')).toBe('[secret][secret][secret][secret]');
  });

  test('changes nothing without secrets', () => {
    expect(scrubberOf(undefined, url)('visitor')).toBe('visitor');
    expect(scrubberOf({ headers: { 'x-a': 'short' } }, url)('short')).toBe('short');
  });

  test('finds every one of 500 values in one pass', () => {
    const values = Array.from({ length: 500 }, (_, i) => `value-number-${i}-of-many`);
    const cookies = values.map((value, i) => ({ name: `c${i}`, value, domain: 'app.example.com' }));
    const clean = scrubberOf({ cookies }, url)(values.join(' and '));
    expect(clean).toBe(values.map(() => '[secret]').join(' and '));
  });
});

test('a clean report keeps its pictures, its numbers and the words by which clients find its parts', () => {
  const picture = `data:image/jpeg;base64,/9j/visitor${'A'.repeat(50)}`;
  const report = (text: string) => ({
    finalDisplayedUrl: `https://app.example.com/?t=${encodeURIComponent(text)}`,
    configSettings: { formFactor: 'mobile', onlyCategories: ['performance'] },
    categories: { performance: { id: 'performance', score: 0.5 } },
    fullPageScreenshot: { screenshot: { data: picture }, nodes: { 'page-0-P': { id: text } } },
    audits: {
      performance: {
        id: 'performance',
        title: 'performance',
        details: {
          type: 'table',
          headings: [{ key: 'performance' }],
          items: [{ performance: 1, snippet: `<p title="${text}">`, [`x-${text}`]: [text, 1, null, true] }],
        },
      },
    },
  });
  const clean = scrubReport(report(TOKEN), scrub);
  expect(clean).toEqual({
    ...report('[secret]'),
    finalDisplayedUrl: 'https://app.example.com/?t=[secret]',
  });
  expect(JSON.stringify(clean)).not.toContain('preview+token');
});
