import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { expect, test } from 'vitest';
import { parseJsonBody, repeatedKey } from '../../functions/lib/http/json-body.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { problemFrom } from '../support/problem.ts';

const parse = (body: string | Buffer, headers: Record<string, string> = {}) => {
  const sent = Buffer.isBuffer(body) ? { body: body.toString('base64'), isBase64Encoded: true } : { body };
  return parseJsonBody({
    headers: { 'content-type': 'application/json', ...headers },
    ...sent,
  } as unknown as APIGatewayProxyEventV2);
};

test('a body is parsed as text and as base64', () => {
  expect(parse('{"url": "ü"}')).toEqual({ url: 'ü' });
  expect(parse(Buffer.from('{"url": "ü"}'))).toEqual({ url: 'ü' });
});

test('commas within texts are no values', () => {
  const text = ',"\\'.repeat(6000);
  expect(parse(JSON.stringify([text]))).toEqual([text]);
});

test.each([
  ['application/merge-patch+json; charset=utf-8', 'identity'],
  ['Application/JSON;charset="UTF-8"', ''],
  ['application/json; charset=utf8; profile=x', 'Identity '],
])('the Content-Type %s with the Content-Encoding %j is accepted', (type, coding) => {
  expect(parse('1', { 'content-type': type, 'content-encoding': coding })).toBe(1);
});

test.each([
  ['a body of another type', 'a', { 'content-type': 'text/json' }, 'unsupported-media-type', 'application/json'],
  ['a malformed type', '1', { 'content-type': 'application/json, text/html' }, 'unsupported-media-type', 'JSON'],
  [
    'another charset',
    '1',
    { 'content-type': 'application/json; charset=iso-8859-1' },
    'unsupported-media-type',
    'UTF-8',
  ],
  ['an unknown charset', '1', { 'content-type': 'application/json; charset=x' }, 'unsupported-media-type', 'UTF-8'],
  ['a compressed body', gzipSync('1'), { 'content-encoding': 'gzip' }, 'unsupported-media-type', 'uncompressed'],
  ['two codings', '1', { 'content-encoding': 'identity, br' }, 'unsupported-media-type', 'uncompressed'],
  ['a body over 128 KiB', `"${'x'.repeat(128 * 1024)}"`, {}, 'payload-too-large', '131072 bytes'],
  ['a body of 3,001 values', `[${'1,'.repeat(3000)}1]`, {}, 'payload-too-large', 'more than 3000 values'],
  ['an empty body', '', {}, 'invalid-request', 'Send a JSON object'],
  ['malformed JSON', '{', {}, 'invalid-request', 'Send a JSON object in UTF-8'],
  ['bytes that are not UTF-8', Buffer.from([34, 0xff, 34]), {}, 'invalid-request', 'UTF-8'],
])('%s is refused with what is accepted', (_, body, headers, code, accepted) => {
  const problem = problemFrom(() => parse(body, headers as Record<string, string>));
  expect([problem.code, problem.message]).toEqual([code, expect.stringContaining(accepted)]);
});

test('the refusal of a compressed body names the coding that is accepted', () => {
  const { headers } = problemFrom(() => parse(gzipSync('1'), { 'content-encoding': 'gzip' }));
  expect(headers).toEqual({ 'accept-encoding': 'identity' });
});

test('a key twice is refused and named', () => {
  const { code, message, errors } = problemFrom(() => parse('{"url": "a", "list": [{"b": 1, "\\u0062": 1}]}'));
  expect([code, message]).toEqual(['invalid-request', 'The body has the field `b` twice. Send it once.']);
  expect(errors).toEqual([{ path: 'b', message: 'The body has this field twice. Send it once.' }]);
});

test.each([
  ['{"a":1,"a":1}', 'a'],
  ['{"a":1 , "b":{"a":2},"a" :3}', 'a'],
  ['[{"a":1},{"c":[{"b":0,"b":{}}]}]', 'b'],
  ['{"":1,"":2}', ''],
  [String.raw`{"\"}":1,"\"}":2}`, '"}'],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['{"a":{"b":1},"c":{"b":2},"b":[{"b":3},{"b":4}]}', undefined],
  [String.raw`{"a":"\"b\":1,\"b\":","b":"{","c":"a"}`, undefined],
  ['{"a":"a","b":["a","a",":"]}', undefined],
  ['"a"', undefined],
])('the key that %s has twice is %j', (json, key) => expect(repeatedKey(json)).toBe(key));

test('a hostile body of 128 KiB is judged in linear time', () => {
  const size = 128 * 1024 - 10;
  const hostile = [
    `"${String.raw`\"`.repeat(size / 2)}"`,
    `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}`,
    `{${Array.from({ length: 2000 }, (_, i) => `"${i}${' '.repeat(20)}":1`).join()}}`,
    `{"a"${' '.repeat(size)}:1}`,
    `["a"${' '.repeat(size)}]`,
    `[${'"",'.repeat(2000)}1]`,
  ];
  const parseAll = () => hostile.map((json) => expect(parse(json)).toBeDefined());
  expect(cpuMsOf(parseAll)).toBeLessThan(2000);
});
