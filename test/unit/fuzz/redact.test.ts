import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { redact, redactForLog, redactText } from '../../../functions/lib/redact.ts';
import { assertProperty, fuzzTimeoutMs, shuffled, text } from '../../support/fuzz.ts';

vi.setConfig({ testTimeout: fuzzTimeoutMs });

test('redaction survives any text, is idempotent and removes every key', () => {
  const hex = (length: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
  const parts = [
    'pas_',
    '://',
    'http://a',
    '@',
    ' ',
    ':',
    '=',
    '"',
    '\n',
    '?',
    '&',
    'cookie',
    'Bearer ',
    'token',
    'api-key',
  ];
  return assertProperty(
    fc.property(
      shuffled(...parts, text),
      hex(12),
      hex(64),
      shuffled(...parts, text),
      (before, which, secret, after) => {
        const sent = `${before}pas_${which}_${secret}${after}`;
        for (const clean of [redactText(sent), redactForLog(sent), JSON.stringify(redact({ [before]: [sent] }))]) {
          expect(clean).not.toContain(secret);
        }
        expect(redactText(redactText(sent))).toBe(redactText(sent));
      },
    ),
  );
});
