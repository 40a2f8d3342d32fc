import { expect, test } from 'vitest';
import { faultOfPattern, matchesPattern } from '../../functions/lib/patterns.ts';

test.each([
  ['^https://[^/]+/[0-9a-f]{8}-[0-9a-f]{4}(/(shop|cart)){1,3}$', false],
  ['\\x{10FFFF}\\Q[\\E(a{2}){3}', false],
  ['x{1000}', true],
  [`${'(x{100}|'.repeat(10)}y${')'.repeat(10)}`, true],
  ['((abc){20}){20}', true],
  ['\\Q[\\E(x{300}){3}', true],
  ['^https://[^/]+/(\\p{Lu}[\\pL\\pN]*-?)+$', false],
  [`(${'\\pL|'.repeat(120)}x)*`, true], // 50 ms to compile
  [`[${'\\pL'.repeat(27)}]`, true],
])('whether the counts of %j make it too long is %j', (pattern, isLong) => {
  expect(faultOfPattern(pattern)?.includes('written out') ?? false).toBe(isLong);
});

test('a pattern matches a part of a URL', () => {
  expect([matchesPattern('/shop/', 'https://a.example/shop/1'), matchesPattern('/b/', 'https://a.example/')]).toEqual([
    true,
    false,
  ]);
});
