import { expect, test } from 'vitest';
import { parseCheckBody } from '../../functions/lib/http/check-body.ts';
import { CreateCheckBody } from '../../shared/check.ts';
import { MAX_SAMPLES } from '../../shared/options/audit-options.ts';
import { acceptedLabels } from '../../shared/options/labels.ts';
import { DEFAULT_PORTS } from '../../shared/service/env.ts';
import { libraryWords, problemFrom } from '../support/problem.ts';

const rules = { regions: ['us-west1', 'us-east4'], targets: { targets: 'public', ports: DEFAULT_PORTS } } as const;
const aBody = { url: 'https://example.com/', auditVersion: '12', regions: ['us-west1'] };
const parse = (body: unknown) => parseCheckBody(body, rules);
const errorsOf = (body: unknown) => problemFrom(() => parse(body)).errors ?? [];

/** Values of every JSON type, and some that are almost right. */
const values = [
  ...[undefined, null, true, false, 0, -1, 1.5, 6, 1e300, -0, Number.POSITIVE_INFINITY],
  ...['', 'x', '\ud800', '1', [], [[]], [null], [1], [''], ['x'], ['seo', 7], ['us-west1', {}], {}, { a: 1 }],
];
test.each(Object.keys(CreateCheckBody.shape))(
  'a wrong %s gets a message of ours that says what is accepted',
  (field) => {
    let refused = 0;
    for (const value of values) {
      const errors = (() => {
        try {
          parse({ ...aBody, [field]: value });
          return [];
        } catch {
          return errorsOf({ ...aBody, [field]: value });
        }
      })();
      if (errors.length > 0) refused++;
      for (const { path, message } of errors) {
        expect(path, JSON.stringify(value)).toMatch(new RegExp(`^${field}(\\.\\w+){0,2}$`));
        expect(message).not.toMatch(libraryWords);
        expect(message).toMatch(/must|Supported|List each|no category|Accepted fields/);
      }
    }
    expect(refused).toBeGreaterThan(15);
  },
);

test('the wrong types and the wrong values of all fields are reported at once', () => {
  const body = {
    url: 'http://10.0.0.1/',
    auditVersion: 13,
    regions: ['mars', 7, 'us-west1', 'us-west1'],
    device: 'tablet',
    samples: '3',
    categories: ['seo', 'speed', 'seo'],
    colour: 'red',
  };
  const problem = problemFrom(() => parse(body));
  expect(problem.errors?.map(({ path }) => path)).toEqual([
    ...['auditVersion', 'regions.1', 'device', 'samples', 'categories.1', 'colour'],
    ...['url', 'regions', 'regions', 'categories'],
  ]);
  expect([problem.code, problem.message]).toEqual(['invalid-request', problem.errors?.[0]?.message]);
});

test('the messages name every accepted value', () => {
  const all = Object.fromEntries(
    errorsOf({ device: 1, samples: MAX_SAMPLES + 1, categories: [] }).map((each) => [each.path, each.message]),
  );
  expect(all).toEqual({
    url: 'The URL must be a string that starts with http:// or https://, such as https://example.com/.',
    auditVersion: expect.stringMatching(
      /^The audit version must be a string. Supported versions: .*12.8.2 \(or 12, 12.8\)/,
    ),
    regions: 'The regions must be a list of one or more regions, each once. Supported regions: us-west1, us-east4.',
    device: 'The device must be one of: mobile, desktop.',
    samples: 'The number of samples must be a whole number from 1 to 15, or `"auto"` with `against`.',
    categories:
      'The categories must be a list of one or more of these, each once: performance, accessibility, best-practices, pwa, seo, agentic-browsing.',
  });
});

test.each([
  ['no labels', {}],
  ['ten labels', Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`name-${i}`, '']))],
  ['the longest name and value', { 'a.b_c-d0123456789012345678901234': '\u{1f600}'.repeat(64) }],
])('%s are accepted and come back as sent', (_, labels) => {
  expect(parse({ ...aBody, labels }).inputs.labels).toEqual(labels);
});

test.each([
  ['eleven labels', Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`name-${i}`, ''])), 'labels'],
  ['a name in capitals', { Branch: 'main' }, 'labels.Branch'],
  ['an empty name', { '': 'main' }, 'labels.'],
  ['a name of 33 characters', { ['a'.repeat(33)]: '' }, `labels.${'a'.repeat(33)}`],
  ['a value of 129 characters', { branch: 'x'.repeat(129) }, 'labels.branch'],
  ['half a character', { branch: '\ud83d' }, 'labels.branch'],
  ['a number', { build: 7 }, 'labels.build'],
  ['a list', ['branch:main'], 'labels'],
  ['a name that objects have already', JSON.parse('{"__proto__": "x"}'), 'labels.__proto__'],
])('%s is refused', (_, labels, path) => {
  expect(errorsOf({ ...aBody, labels })).toEqual([{ path, message: acceptedLabels }]);
});
