import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseBody, parseQuery } from '../../functions/lib/http/input.ts';
import type { ApiProblem } from '../../shared/problems.ts';

const schema = z.strictObject({ url: z.string(), nested: z.strictObject({ a: z.int() }).optional() });
const parse = (body: string, { type = 'application/json', ...event }: { type?: string; isBase64Encoded?: true } = {}) =>
  parseBody({ headers: { 'content-type': type }, body, ...event } as unknown as APIGatewayProxyEventV2, schema);
const problemOf = (work: () => unknown): ApiProblem => {
  try {
    work();
  } catch (error) {
    return error as ApiProblem;
  }
  throw new Error('no problem was thrown');
};

test('a body is parsed as text and as base64', () => {
  expect(parse('{"url": "ü"}')).toEqual({ url: 'ü' });
  expect(parse(Buffer.from('{"url": "ü"}').toString('base64'), { isBase64Encoded: true })).toEqual({ url: 'ü' });
  expect(parse('{"url": "a"}', { type: 'application/merge-patch+json; charset=utf-8' })).toEqual({ url: 'a' });
});

test('unknown fields are named with their path, and at the top with the fields that are accepted', () => {
  const { code, errors } = problemOf(() => parse('{"url": "a", "b": 1, "nested": {"a": 1, "c": 2}}'));
  expect(code).toBe('invalid-request');
  expect(errors).toEqual([
    { path: 'nested.c', message: 'Unknown field.' },
    { path: 'b', message: 'Unknown field. Accepted fields: url, nested.' },
  ]);
});

test('a hostile body gets at most 50 errors with short paths', () => {
  const fields = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${'x'.repeat(300)}${i}`, i]));
  const { errors = [] } = problemOf(() => parse(JSON.stringify({ url: 'a', ...fields })));
  expect(errors).toHaveLength(50);
  for (const { path } of errors) expect(path).toHaveLength(100);
});

test.each([
  ['a body of another type', 'a', 'text/json', 'unsupported-media-type'],
  ['a body over 64 KiB', `"${'x'.repeat(64 * 1024)}"`, 'application/json', 'payload-too-large'],
  ['an empty body', '', 'application/json', 'invalid-request'],
  ['malformed JSON', '{', 'application/json', 'invalid-request'],
])('%s is refused', (_, body, type, code) => {
  expect(problemOf(() => parse(body, { type })).code).toBe(code);
});

test('an unknown query parameter is refused with the accepted ones, unless any is accepted', () => {
  expect(parseQuery({ checkId: 'a' }, ['checkId'])).toEqual({ checkId: 'a' });
  expect(parseQuery({ x: 'y' }, 'any')).toEqual({ x: 'y' });
  expect(problemOf(() => parseQuery({ x: 'y' }, [])).message).toBe(
    'The query has an unknown parameter. This path accepts no parameters.',
  );
  expect(problemOf(() => parseQuery({ checkId: 'a', x: 'y' }, ['checkId'])).errors).toEqual([
    { path: 'x', message: 'Unknown parameter. Accepted parameters: checkId.' },
  ]);
});
