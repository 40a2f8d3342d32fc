import { describe, expect, test } from 'vitest';
import { cookieHeader } from '../../clients/login/cookie-header.ts';
import { cookiesFrom } from '../../clients/login/cookies.ts';
import { headersFrom } from '../../clients/login/headers.ts';
import { ownOf } from '../../clients/login/own-site.ts';
import { storageStateFrom } from '../../clients/login/storage-state.ts';
import { parseCheckBody } from '../../functions/lib/http/check-body.ts';
import { registrableDomain } from '../../functions/lib/targets/registrable-domain.ts';
import type { Cookie } from '../../shared/options/secrets.ts';

const page = 'https://app.example.com/';
/** Returns the cookies of a text as the service stores them. */
const stored = (text: string, url = page): Partial<Cookie>[] => {
  const body = {
    url,
    auditVersion: '13',
    regions: ['us-west1'],
    ...ownOf({ cookies: cookiesFrom(text) }, url, registrableDomain).own,
  };
  const targets = { targets: 'public', ports: [443], allowed: [] } as const;
  return parseCheckBody(JSON.parse(JSON.stringify(body)), { regions: ['us-west1'], targets }).secrets?.cookies ?? [];
};
const json = (...cookies: object[]) => JSON.stringify(cookies);
const sid = { name: 'sid', value: 'v', domain: 'app.example.com' };
const line = (...fields: string[]) => fields.join('\t');

describe('a file of cookies as people have it', () => {
  test.each<[string, string, Partial<Cookie>[]]>([
    [
      'EditThisCookie',
      json({ ...sid, hostOnly: true, httpOnly: false, sameSite: 'unspecified', session: true, storeId: '0', id: 1 }),
      [{ ...sid, httpOnly: false, expires: -1 }],
    ],
    [
      'Cookie-Editor',
      json(
        {
          ...sid,
          hostOnly: false,
          secure: true,
          sameSite: 'no_restriction',
          expirationDate: 1893456000.25,
          storeId: null,
        },
        { ...sid, name: 'b', hostOnly: true, path: '/', sameSite: null },
        { ...sid, name: 'c', sameSite: 'lax', secure: false },
      ),
      [
        { ...sid, domain: '.app.example.com', secure: true, sameSite: 'None', expires: 1893456000.25 },
        { ...sid, name: 'b', path: '/' },
        { ...sid, name: 'c', sameSite: 'Lax', secure: false },
      ],
    ],
    [
      'an extension of Firefox, for which no SameSite is no_restriction',
      json({ ...sid, secure: false, sameSite: 'no_restriction' }),
      [{ ...sid, secure: false }],
    ],
    [
      'J2TEAM Cookies',
      JSON.stringify({ url: page, cookies: [{ ...sid, sameSite: 'no_restriction', secure: true }] }),
      [{ ...sid, secure: true, sameSite: 'None' }],
    ],
    [
      'Playwright, with tabs',
      JSON.stringify([{ ...sid, path: '/', expires: -1 }], null, '\t'),
      [{ ...sid, path: '/', expires: -1 }],
    ],
    [
      'Puppeteer',
      json({
        ...sid,
        size: 4,
        session: false,
        expires: 1893456000,
        priority: 'Medium',
        partitionKey: { sourceOrigin: page },
      }),
      [{ ...sid, expires: 1893456000 }],
    ],
    [
      'Selenium',
      json({ ...sid, expiry: 1893456000, sameSite: 'Strict' }),
      [{ ...sid, expires: 1893456000, sameSite: 'Strict' }],
    ],
    [
      'hands, with a URL, without a domain, with milliseconds and with a date',
      json(
        { name: 'a', value: '1', url: 'https://login.example.com/x' },
        { name: 'b', value: '2' },
        { ...sid, expires: 1893456000000 },
        { ...sid, name: 'd', expires: '2030-01-01T00:00:00.000Z' },
      ),
      [
        { name: 'a', value: '1', domain: 'login.example.com' },
        { name: 'b', value: '2', domain: 'app.example.com' },
        { ...sid, expires: 1893456000 },
        { ...sid, name: 'd', expires: 1893456000 },
      ],
    ],
    [
      'a cookies.txt with a byte order mark, CRLF, and odd expiries and values',
      `\uFEFF${[
        '# Netscape HTTP Cookie File',
        '',
        line('.example.com', 'TRUE', '/', 'TRUE', '1893456000.5', 'a', '1'),
        line('#HttpOnly_app.example.com', 'FALSE', '/x', 'FALSE', '', 'b', ''),
        line('app.example.com', 'FALSE', '/', 'FALSE', '0', 'c'),
        line('.tracker.example', 'TRUE', '/', 'FALSE', '0', 'd', '4'),
      ].join('\r\n')}\r\n`,
      [
        {
          name: 'a',
          value: '1',
          domain: '.example.com',
          path: '/',
          secure: true,
          httpOnly: false,
          expires: 1893456000.5,
        },
        { name: 'b', value: '', domain: 'app.example.com', path: '/x', secure: false, httpOnly: true, expires: -1 },
        { name: 'c', value: '', domain: 'app.example.com', path: '/', secure: false, httpOnly: false, expires: -1 },
      ],
    ],
    [
      'the text of a header',
      'Cookie: a=b; __Host-c=d=e; ',
      [
        { name: 'a', value: 'b', domain: 'app.example.com' },
        { name: '__Host-c', value: 'd=e', domain: 'app.example.com', secure: true },
      ],
    ],
    ['nothing', '', []],
  ])('of %s reaches the check', (_, text, cookies) => {
    expect(stored(text)).toEqual(cookies);
  });

  test('a cookie without a domain belongs to the host of the page, also if that is an address', () => {
    expect(stored('a=b', 'https://[2606:4700::1111]/')).toEqual([
      { name: 'a', value: 'b', domain: '[2606:4700::1111]' },
    ]);
  });

  test.each([
    ['an empty name', json(sid, { ...sid, name: '' }, sid), /^Cookie 2 has a wrong name\. It must be a text without/],
    [
      'a value with a semicolon',
      json({ ...sid, value: 'SECRET;' }),
      /^Cookie 1 \(sid\) has a wrong value\. It must be/,
    ],
    ['a number as value', json({ ...sid, value: 5 }), /^Cookie 1 \(sid\) has a wrong value/],
    ['a URL as domain', json({ ...sid, domain: 'https://a.example/' }), /wrong domain\. It must be a host such as/],
    ['a relative path', json({ ...sid, path: 'x' }), /wrong path\. It must be a text that begins with "\/"/],
    ['an unknown SameSite', json({ ...sid, sameSite: 'SECRET' }), /wrong sameSite\. It must be Strict, Lax or None/],
    ['a text as expiry', json({ ...sid, expires: 'SECRET' }), /wrong expiry\. It must be seconds since 1970/],
    ['a text as flag', json({ ...sid, secure: 'SECRET' }), /wrong secure\. It must be true or false/],
    ['an entry that is no object', '["SECRET"]', /^Cookie 1 has a wrong name/],
    [
      'a line of four fields',
      `# x\n${line('a.example', 'TRUE', 'SECRET', 'x')}`,
      /^Line 2 is no line of a cookies\.txt/,
    ],
    [
      'a line with a wrong expiry',
      line('a.example', 'TRUE', '/', 'TRUE', 'SECRET', 'a', 'b'),
      /^Line 1 \(a\) .* expiry/,
    ],
    ['half a JSON', '[{"value": "SECRET', /^It is no valid JSON\.$/],
    ['an object', '{"SECRET": 1}', /^It is no list of cookies\. Use a JSON list as Playwright/],
    ['a storage state', JSON.stringify({ cookies: [], origins: [] }), /^It is a storage state and no list/],
    ['a web page', '<html lang="SECRET">', /has no name and value in pair 1/],
    ['several lines', 'a=SECRET\nb=2', /^It has no cookies\. Use a JSON list/],
  ])('with %s is refused, and the message has no value', (_, text, message) => {
    expect(() => cookiesFrom(text)).toThrow(message);
    expect(() => cookiesFrom(text)).not.toThrow(/SECRET/);
  });
});

describe('a storage state as people have it', () => {
  const entry = { name: 'token', value: 'v' };
  test('keeps 64 cookies, the ports of its origins, and its databases, and loses slashes and other fields', () => {
    const indexedDB = [{ name: 'd', version: 1, stores: [] }];
    const state = {
      cookies: Array.from({ length: 64 }, (_, i) => ({ ...sid, name: `c${i}`, sameSite: 'Lax', size: 1 })),
      origins: [
        { origin: 'https://app.example.com:8443/', localStorage: [{ ...entry, more: 1 }], indexedDB: [] },
        { origin: 'https://app.example.com', localStorage: [entry], indexedDB },
        { origin: 'https://sso.example.com', sessionStorage: [entry] },
      ],
    };
    const { state: read, notes } = storageStateFrom(`\uFEFF${JSON.stringify(state, null, '\t')}`);
    expect(ownOf({ storageState: read }, page, registrableDomain).own.storageState?.cookies).toHaveLength(64);
    expect(read.origins).toEqual([
      { origin: 'https://app.example.com:8443', localStorage: [entry] },
      { origin: 'https://app.example.com', localStorage: [entry], indexedDB },
      { origin: 'https://sso.example.com', localStorage: [], sessionStorage: [entry] },
    ]);
    expect(notes).toEqual([]);
  });

  test('says which of its parts no audit can use', () => {
    const origins = [{ origin: page, localStorage: [], opfs: [{ path: 'a', type: 'file', base64: '' }] }];
    const { notes } = storageStateFrom(JSON.stringify({ cookies: [], origins, credentials: [{ id: 'x' }] }));
    expect(notes).toEqual([expect.stringContaining('Passkeys'), expect.stringContaining('opfs')]);
  });

  test.each([
    ['[]', /^It is a list of cookies and no storage state/],
    ['{"a": 1}', /^It is no storage state\. Use a file that/],
    [JSON.stringify({ cookies: [{ ...sid, name: '' }], origins: [] }), /^Cookie 1 has a wrong name/],
    [JSON.stringify({ cookies: [], origins: [{ origin: 'app' }] }), /^Origin 1 has a wrong origin/],
    [
      JSON.stringify({ cookies: [], origins: [{ origin: page, localStorage: { a: 1 } }] }),
      /^Origin 1 \(https:\/\/app.* localStorage/,
    ],
  ])('as %s is refused with its place', (text, message) => {
    expect(() => storageStateFrom(text)).toThrow(message);
  });
});

test('a request has the cookies that a browser would send', () => {
  const header = (cookie: object, url: string) =>
    cookieHeader([{ ...sid, ...cookie }], new URL(url), Date.parse('2030-01-01')).cookie !== undefined;
  expect([
    header({}, 'https://app.example.com/x'),
    header({ domain: '.example.com', path: '/x', secure: true }, 'https://app.example.com/x/y'),
    header({ secure: true }, 'http://app.example.com/'),
    header({ domain: 'example.com' }, 'https://app.example.com/'),
    header({ path: '/x' }, 'https://app.example.com/xy'),
    header({ expires: 1_800_000_000 }, 'https://app.example.com/'),
  ]).toEqual([true, true, false, false, false, false]);
});

test('a Cookie header becomes cookies of the page, and a header without a name is named by its place', () => {
  const lines = ['x-a: 1:2', 'cookie: a=b; c=d', 'Cookie:e=f'].map((text, i) => ({ text, place: `h.txt:${i + 1}` }));
  const { headers, cookies } = headersFrom(lines);
  expect([headers, cookies.map(({ name, value }) => `${name}=${value}`)]).toEqual([
    { 'x-a': '1:2' },
    ['a=b', 'c=d', 'e=f'],
  ]);
  expect(() => headersFrom([{ text: 'SECRET', place: 'h.txt:4' }])).toThrow(/^h\.txt:4 has no name and value\./);
  expect(() => headersFrom([{ text: 'cookie: SECRET', place: 'x' }])).toThrow(
    /^The header Cookie has no name and value in/,
  );
});
