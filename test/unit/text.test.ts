import { expect, test } from 'vitest';
import { cutText, printable, printableValue } from '../../shared/text.ts';

test('a text that fits is unchanged', () => {
  expect(cutText('/%E3%81%82', 10)).toBe('/%E3%81%82');
});

test('a cut text has at most the given length and ends with a mark', () => {
  expect(cutText('abcdef', 5)).toBe('abcd…');
  expect(cutText('/%20%20%20', 8)).toBe('/%20%20…');
});

test('a cut never divides an escape, an escaped character or a pair of surrogates', () => {
  const path = '/é€😀'.repeat(20);
  for (let max = 1; max < 300; max++) {
    for (const text of [path, encodeURI(path)]) {
      const cut = cutText(text, max);
      expect(cut.length).toBeLessThanOrEqual(max);
      const kept = cut.replace('…', '');
      expect(text.startsWith(kept)).toBe(true);
      expect(path.startsWith(decodeURI(kept)), cut).toBe(true);
      expect(kept.isWellFormed()).toBe(true);
    }
  }
});

test('a printable value has printable texts and names everywhere', () => {
  const value = { 'a\u001b': ['\u202e', { b: 'one\ntwo', c: null, d: 1 }], ['__proto__']: 'x' };
  expect(printableValue(value)).toEqual({ 'a\ufffd': ['\ufffd', { b: 'one two', c: null, d: 1 }], ['__proto__']: 'x' });
});

test('a printable text is one line that steers no terminal and reorders nothing', () => {
  expect(printable('Straße 東京 – 5 €\tok')).toBe('Straße 東京 – 5 € ok');
  expect(printable('one\r\ntwo\u2028three')).toBe('one two three');
  expect(printable('\u001b[2J\u009b31m\u0007\u202egpj\u2066')).toBe('\ufffd[2J\ufffd31m\ufffd\ufffdgpj\ufffd');
});
