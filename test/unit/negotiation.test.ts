import { expect, test } from 'vitest';
import { acceptsGzip, matchesEtag, prefersHtml } from '../../functions/lib/http/negotiation.ts';

test.each([
  [undefined, false],
  ['*/*', false],
  ['application/json, text/html', false],
  ['image/png', false],
  ['text/html', true],
  ['application/json;q=0.5, text/*', true],
  ['text/html;q=0', false],
])('prefers HTML for `Accept: %s`: %s', (header, html) => {
  expect(prefersHtml(header)).toBe(html);
});

test.each([
  [undefined, false],
  ['', false],
  ['identity', false],
  ['br', false],
  ['gzip;q=0', false],
  ['gzip;q=0.1, identity', false],
  ['gzip', true],
  ['br, gzip;q=0.5', true],
  ['*', true],
])('accepts gzip for `Accept-Encoding: %s`: %s', (header, gzip) => {
  expect(acceptsGzip(header)).toBe(gzip);
});

test.each([
  [undefined, false],
  ['', false],
  ['"b"', false],
  ['a', false],
  ['"a"', true],
  ['W/"a"', true],
  ['"b" ,W/"a"', true],
  [' * ', true],
])('matches the tag "a" for `If-None-Match: %s`: %s', (header, same) => {
  expect(matchesEtag(header, '"a"')).toBe(same);
});
