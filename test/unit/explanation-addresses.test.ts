import { expect, test } from 'vitest';
import { isOtherSite, matchKey, nameOfUrl, shownUrl } from '../../shared/explanation/addresses.ts';

const page = 'https://shop.example/products';

test.each([
  ['a hexadecimal hash', 'https://shop.example/app.3f2a9c1b.js', 'https://shop.example/app.77aa01fe.js'],
  [
    'a hash of letters and digits',
    'https://shop.example/a/index-BQx3kZ1a.js',
    'https://shop.example/a/index-Dp9vQ2Lm.js',
  ],
  [
    'a folder of a build',
    'https://x.example/_next/9f8e7d6c5b4a39281706/a.js',
    'https://x.example/_next/00aa11bb22cc33dd44ee/a.js',
  ],
  ['a version in the query', 'https://shop.example/a.js?v=1', 'https://shop.example/a.js?v=2'],
  [
    'a parameter against caches',
    'https://shop.example/a?id=7&_=1700000000',
    'https://shop.example/a?_=1800000000&id=7',
  ],
])('requests match that differ in %s', (_, before, after) => {
  expect(matchKey(after, page)).toBe(matchKey(before, page));
});

test.each([
  ['other names', 'https://shop.example/facade.js', 'https://shop.example/decade.js'],
  ['other parameters', 'https://shop.example/a?id=7', 'https://shop.example/a?id=8'],
  ['other hosts', 'https://a.example/a.js', 'https://b.example/a.js'],
  [
    'long names without a hash',
    'https://shop.example/largeContentfulPaint.js',
    'https://shop.example/smallContentfulPaint.js',
  ],
])('requests with %s differ', (_, before, after) => {
  expect(matchKey(after, page)).not.toBe(matchKey(before, page));
});

test('a file of a preview matches the same file of production', () => {
  expect(matchKey('https://preview.example/app.js', 'https://preview.example/')).toBe(
    matchKey('https://www.example/app.js', 'https://www.example/'),
  );
});

test('a subdomain is the same site, and another domain or an address is not', () => {
  expect(isOtherSite('https://cdn.shop.example/a.js', page)).toBe(false);
  expect(isOtherSite('https://a.co.uk/x', 'https://b.co.uk/')).toBe(true);
  expect(isOtherSite('http://10.0.0.1/x', 'http://10.0.0.2/')).toBe(true);
  expect(isOtherSite('Unattributable', page)).toBe(false);
});

test('an address is shown without a password, and on one line', () => {
  expect(shownUrl('https://user:pass@shop.example/a?b=1#token')).toBe('https://shop.example/a?b=1');
  expect(shownUrl('not\nan \u202e address')).toBe('not an \ufffd address');
  expect(shownUrl(`https://shop.example/${'a'.repeat(5000)}`)).toHaveLength(300);
});

test('a sentence names a file by its path, and the host of another origin', () => {
  expect(nameOfUrl('https://shop.example/app.js?token=secret', page)).toBe('/app.js');
  expect(nameOfUrl('https://tags.example/tag.js', page)).toBe('tags.example/tag.js');
});
