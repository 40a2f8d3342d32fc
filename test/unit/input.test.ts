import { expect, test } from 'vitest';
import { z } from 'zod';
import { invalidInput, parseFields, parseQuery } from '../../functions/lib/http/input.ts';
import { problemFrom } from '../support/problem.ts';

const schema = z.strictObject({ url: z.string(), list: z.array(z.int().min(1)).min(1).optional() });
const accepted = { url: 'The URL must be a string.', list: 'The list must have whole numbers.' };
const parse = (value: unknown) => parseFields(schema, accepted, value);

test('the fields of a valid object are returned', () => {
  expect(parse({ url: 'a', list: [1] })).toEqual({ fields: { url: 'a', list: [1] }, errors: [] });
});

test('each wrong field is named with its path and what it accepts, and the others are returned', () => {
  expect(parse({ list: [1, 'x', 0.5], b: 1 })).toEqual({
    fields: {},
    errors: [
      { path: 'url', message: accepted.url },
      { path: 'list.1', message: accepted.list },
      { path: 'list.2', message: accepted.list },
      { path: 'b', message: 'Unknown field. Accepted fields: url, list.' },
    ],
  });
  expect(parse({ url: 'a', list: {} }).fields).toEqual({ url: 'a' });
});

test.each([[[]], ['text'], [1], [null]])('%j is refused, because it is not an object', (value) => {
  expect(problemFrom(() => parse(value)).message).toBe('The body must be a JSON object. Accepted fields: url, list.');
});

test('a hostile input gets at most 50 errors with short paths', () => {
  const fields = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${'x'.repeat(300)}${i}`, i]));
  const { errors = [] } = invalidInput(parse({ url: 'a', ...fields }).errors);
  expect(errors).toHaveLength(50);
  for (const { path } of errors) expect(path).toHaveLength(100);
});

test('the path of an error is not cut within a character', () => {
  const { errors } = invalidInput(parse({ url: 'a', ['\u{1f600}'.repeat(99)]: 1 }).errors);
  expect(errors?.[0]?.path).toBe(`${'\u{1f600}'.repeat(49)}…`);
});

test('an unknown query parameter is refused with the accepted ones, unless any is accepted', () => {
  expect(parseQuery({ checkId: 'a' }, ['checkId'])).toEqual({ checkId: 'a' });
  expect(parseQuery({ x: 'y' }, 'any')).toEqual({ x: 'y' });
  expect(problemFrom(() => parseQuery({ x: 'y' }, [])).message).toBe(
    'The query has an unknown parameter. This path accepts no parameters.',
  );
  expect(problemFrom(() => parseQuery({ checkId: 'a', x: 'y' }, ['checkId'])).errors).toEqual([
    { path: 'x', message: 'Unknown parameter. Accepted parameters: checkId.' },
  ]);
});
