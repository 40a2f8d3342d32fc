import { expect, test } from 'vitest';
import { shareToken } from '../../functions/lib/checks/share-token.ts';
import { redact, redactForLog, redactText } from '../../functions/lib/redact.ts';
import { cpuMsOf } from '../support/cpu-time.ts';

const token = shareToken(Buffer.alloc(32).toString('base64url'), 'a', 1795996800);
const key = `pas_0123456789ab_${'f00d'.repeat(16)}`;

test.each([
  [`the key ${key} is ours`, 'the key pas_0123456789ab_[redacted] is ours'],
  ['pas_live-4eC39HqLyjWDarjtT1zdp7dc', 'pas_[redacted]'],
  [`/checks/a#share=${token}, then`, '/checks/a#share=pas_[redacted], then'],
  ['Authorization: Bearer eyJhbGciOi.eyJ.x', 'Authorization: [redacted]'],
  ['{"authorization":"Basic dXNlcjpwYXNz","a":1}', '{"authorization":"[redacted]","a":1}'],
  ['sent Bearer eyJhbGciOi.eyJ.x to it', 'sent Bearer [redacted] to it'],
  ['cookie: a=1; session=2\r\nhost: b', 'cookie: [redacted]\r\nhost: b'],
  ['Set-Cookie: sid=31d4d96e407aad42; Path=/', 'Set-Cookie: [redacted]'],
  ['x-api-key=abc123 and apikey: "def"', 'x-api-key=[redacted] and apikey: "[redacted]"'],
  ['/login?password=hunter2&next=1', '/login?password=[redacted]&next=1'],
  ['X-Amz-Signature=fe5f80&X-Amz-Security-Token=IQoJ', 'X-Amz-Signature=[redacted]&X-Amz-Security-Token=[redacted]'],
  [
    '?next=https%3A%2F%2Fa.example%3Faccess_token%3Ds3cr3t%26b%3D1',
    '?next=https%3A%2F%2Fa.example%3Faccess_token%3D[redacted]%26b%3D1',
  ],
  ['/consent?cookie=1&url=%2Farticle', '/consent?cookie=[redacted]&url=%2Farticle'],
  ['led to /consent?cookie=1. Try it.', 'led to /consent?cookie=[redacted] Try it.'],
  ['cookie=a=1&b=2; session=3', 'cookie=[redacted]'],
  ['AKIAIOSFODNN7EXAMPLE', '[redacted]'],
  ['https://user:pa@ss@example.com/a?b=c', 'https://example.com/a?b=c'],
  ['at http://me@host and ftp://me:x@host', 'at http://host and ftp://host'],
])('%s becomes %s', (text, clean) => {
  expect(redactText(text)).toBe(clean);
  expect(redactText(clean)).toBe(clean);
});

test.each([
  'The browser crashed during the audit.',
  'basic authentication is asked for; a bearer of news',
  'https://example.com/compas_rose?q=a@b.example#c',
  'a token is a word, a cookie too',
  'ENOTFOUND example.com',
  'reports/0b9e4b4e-3c0c-4a64-9f6b-8a4f3f3a4f11/1.json.gz',
])('%s is no secret', (text) => expect(redactText(text)).toBe(text));

test('logs contain no query and no fragment of a URL', () => {
  expect(redactForLog('GET https://example.com/a/b?q=me&t=1#x, then http://h:8080/#y.')).toBe(
    'GET https://example.com/a/b?[redacted] then http://h:8080/#[redacted]',
  );
  expect(redactForLog('https://example.com/a is fine')).toBe('https://example.com/a is fine');
});

test('data is redacted at every depth, by shape and by field name', () => {
  const error = { message: `no ${key}`, blame: 'page' };
  expect(
    redact({ error, headers: { Cookie: 'a=1', 'X-Api-Key': 'b', accept: 'c' }, list: [key, 7, null], password: 5 }),
  ).toEqual({
    error: { message: 'no pas_0123456789ab_[redacted]', blame: 'page' },
    headers: { Cookie: '[redacted]', 'X-Api-Key': '[redacted]', accept: 'c' },
    list: ['pas_0123456789ab_[redacted]', 7, null],
    password: '[redacted]',
  });
  expect(redact({ [key]: 1 })).toEqual({ 'pas_0123456789ab_[redacted]': 1 });
});

test.each([
  ['://', 100_000],
  ['http://', 20_000],
  ['a.', 50_000],
  ['Bearer ', 20_000],
  ['authorization:', 10_000],
  ['api-', 30_000],
  ['token', 30_000],
  ['pas_', 30_000],
  ['http://a?', 10_000],
])('redacting %s repeated %i times takes less than a second of CPU time', (part, times) => {
  const text = part.repeat(times);
  expect(cpuMsOf(() => [redactText(text), redactForLog(text)])).toBeLessThan(1000);
});
