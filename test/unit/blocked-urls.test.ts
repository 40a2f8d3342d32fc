import { expect, test } from 'vitest';
import { patternMatching } from '../../shared/options/blocked-urls.ts';

test.each([
  ['*/a.js', 'https://example.com/a.js', true],
  ['a.js', 'https://example.com/a.js?x=1', true],
  ['*/a.js', 'https://example.com/b/a.js.map', true],
  ['*a*js', 'https://example.com/a.js', true],
  ['*js*a*', 'https://example.com/a.js', false],
  ['example.com*a.js', 'https://example.com/a.js', true],
  ['*/A.js', 'https://example.com/a.js', false],
  ['a?js', 'https://example.com/a.js', false],
  ['*', 'https://example.com/', true],
  ['aa*aa', 'https://example.com/aaa', false],
])('the pattern %s and the URL %s match as in Chromium 153: %s', (pattern, url, matches) => {
  expect(patternMatching(url, ['nowhere', pattern])).toBe(matches ? pattern : undefined);
});
