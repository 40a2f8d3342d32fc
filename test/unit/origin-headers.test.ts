import { describe, expect, test } from 'vitest';
import { cookieParameters } from '../../functions/auditor/child/login.ts';
import { continuationOf, headersOf } from '../../functions/auditor/child/origin-headers.ts';

const origin = 'https://app.example.com';
const added = [
  { name: 'x-token', value: 'secret' },
  { name: 'authorization', value: 'Basic abc' },
];
const continued = (url: string, headers: Record<string, string> = {}, redirectedRequestId?: string) =>
  continuationOf(
    { requestId: 'r', request: { url, headers }, ...(redirectedRequestId && { redirectedRequestId }) },
    origin,
    added,
  );

describe('a request to the origin', () => {
  test('gets the headers beside its own', () => {
    const { headers, url } = continued(`${origin}/a`, { Accept: '*/*', 'X-Token': 'old' });
    expect(headers).toEqual([{ name: 'accept', value: '*/*' }, ...added]);
    expect(url).toBeUndefined();
  });

  test('keeps the credentials that the page gave it', () => {
    const { headers } = continued(`${origin}/a`, { Authorization: 'Bearer of-page' });
    expect(headers).toEqual([{ name: 'authorization', value: 'Bearer of-page' }, added[0]]);
  });

  test('leaves its cookies and its referrer to the browser, which would carry them over a redirect', () => {
    const { headers } = continued(`${origin}/a`, { Cookie: 'a=b', Referer: 'https://app.example.com/' });
    expect(headers).toEqual(added);
  });

  test('gets the headers after a redirect from another origin', () => {
    const url = `${origin}/a`;
    expect(continued(url, {}, 'r')).toEqual({ requestId: 'r', headers: added, url });
  });

  test('continues unchanged after a redirect within the origin', () => {
    expect(continued(`${origin}/a`, { 'x-token': 'secret', authorization: 'Basic abc' }, 'r')).toEqual({
      requestId: 'r',
    });
  });
});

describe('a request to another origin', () => {
  const others = [
    'http://app.example.com/',
    'https://app.example.com:8443/',
    'https://example.com/',
    'http://localhost/',
  ];

  test.each(others)('continues unchanged: %s', (url) => {
    expect(continued(url, { Authorization: 'Bearer of-page' })).toEqual({ requestId: 'r' });
    expect(continued(url, { Accept: '*/*' }, 'r')).toEqual({ requestId: 'r' });
  });

  test.each(others)('loses the headers after a redirect: %s', (url) => {
    const headers = { Accept: '*/*', 'X-Token': 'secret', Authorization: 'Basic abc', Cookie: 'a=b' };
    expect(continued(url, headers, 'r')).toEqual({ requestId: 'r', headers: [{ name: 'accept', value: '*/*' }], url });
  });
});

test('user name and password become a header, unless the check has that header', () => {
  const basicAuth = { username: 'ü', password: 'p:w' };
  const basic = { name: 'authorization', value: `Basic ${Buffer.from('ü:p:w').toString('base64')}` };
  expect(headersOf({ basicAuth })).toEqual([basic]);
  expect(headersOf({ basicAuth, headers: { Authorization: 'Bearer a' } })).toEqual([
    { name: 'authorization', value: 'Bearer a' },
  ]);
  expect(headersOf({})).toEqual([]);
});

test('a cookie is for one host, or with a dot for its subdomains too', () => {
  const cookie = { name: 'a', value: 'b' };
  const given = (domain: string, more = {}) =>
    cookieParameters({ ...cookie, domain, ...more }, 'http://a.localhost:3000/x');
  expect(given('a.localhost')).toEqual({ ...cookie, path: '/', secure: false, url: 'http://a.localhost/' });
  expect(given('a.localhost', { path: '/b', secure: true })).toEqual({
    ...cookie,
    path: '/b',
    secure: true,
    url: 'https://a.localhost/b',
  });
  expect(given('.localhost', { expires: -1 })).toEqual({ ...cookie, path: '/', secure: false, domain: '.localhost' });
  expect(given('.localhost', { expires: 1900000000, sameSite: 'Lax' })).toMatchObject({
    expires: 1900000000,
    sameSite: 'Lax',
  });
});
