import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Assertions } from '../../shared/assertions/assertions.ts';
import { evaluate } from '../../shared/assertions/evaluate.ts';
import { AssertedReport, budgetAudits } from '../../shared/assertions/values.ts';
import { assertionCases, type Row, readOutcomes, reportOfCases, rowOfResult } from '../support/assertion-cases.ts';
import { majorVersions } from '../support/major-versions.ts';
import { readReport } from '../support/recorded-reports.ts';

const recorded = AssertedReport.parse(JSON.parse(gunzipSync(readReport('13.5.0')).toString()));
const reportWith = (audits: AssertedReport['audits']) => ({ ...recorded, audits: { ...recorded.audits, ...audits } });
const numeric = (numericValue: number, numericUnit: string) => ({
  score: 0.5,
  scoreDisplayMode: 'numeric',
  numericValue,
  numericUnit,
});
const messagesOf = (assertions: Assertions, report = recorded) =>
  evaluate(assertions, report).map(({ passed, message }) => `${passed ? 'passed' : 'failed'}: ${message}`);

test.each<[string, Assertions[string], AssertedReport['audits'], string]>([
  [
    'largest-contentful-paint',
    ['warn', { maxNumericValue: 2500 }],
    { 'largest-contentful-paint': numeric(2612.4, 'millisecond') },
    'failed: Largest contentful paint: 2,612 ms, expected at most 2,500 ms. Element: body > h3',
  ],
  [
    'largest-contentful-paint',
    ['warn', { maxNumericValue: 2500 }],
    { 'largest-contentful-paint': numeric(2500.2, 'millisecond') },
    'failed: Largest contentful paint: 2,500.2 ms, expected at most 2,500 ms. Element: body > h3',
  ],
  [
    'cumulative-layout-shift',
    ['warn', { maxNumericValue: 0.1 }],
    { 'cumulative-layout-shift': numeric(0.1004, 'unitless') },
    'failed: Cumulative layout shift: 0.1004, expected at most 0.1',
  ],
  [
    'dom-size',
    ['error', { maxNumericValue: 1 }],
    { 'dom-size': numeric(1500, 'element') },
    'failed: Dom size: 1,500 elements, expected at most 1 element',
  ],
  [
    'image-alt',
    'error',
    {},
    'failed: Image elements do not have `[alt]` attributes: score 0, expected at least 0.9. First: body > img',
  ],
  ['categories:performance', ['error', { minScore: 0.5 }], {}, 'passed: Performance: score 1, expected at least 0.5'],
  [
    'unsized-images',
    ['error', { maxLength: 1 }],
    {},
    'passed: Image elements have explicit `width` and `height`: 0 items, expected at most 1',
  ],
  [
    'resource-summary:total:size',
    ['error', { maxNumericValue: 1024 }],
    {},
    'failed: Total size: 1,533 bytes, expected at most 1,024 bytes. Largest: http://127.0.0.1:38369/faulty, 1,188 bytes',
  ],
  [
    'resource-summary:scripts:size',
    ['error', { maxNumericValue: 1024 }],
    {},
    'failed: resource-summary has no type scripts. It has total, document, image, stylesheet, media, font, script, other, third-party',
  ],
  ['user-timings:hero', ['error', { maxNumericValue: 1 }], {}, 'failed: The page has no user timing hero'],
  [
    'first-meaningful-paint',
    'error',
    {},
    'failed: Lighthouse 13.5.0 has no audit first-meaningful-paint in the categories performance, accessibility, best-practices, seo',
  ],
  [
    'categories:pwa',
    'error',
    {},
    'failed: The report of Lighthouse 13.5.0 has no category pwa. It has performance, accessibility, best-practices, seo',
  ],
  [
    'focus-traps',
    'error',
    {},
    'failed: User focus is not accidentally trapped in a region: no score, because it needs a manual check',
  ],
  [
    'font-size',
    ['error', { maxLength: 0 }],
    { 'font-size': { score: null, scoreDisplayMode: 'error', errorMessage: 'The page did not answer' } },
    'failed: Font size: no list, because it failed in Lighthouse: The page did not answer',
  ],
  [
    'image-alt',
    ['error', { maxNumericValue: 1 }],
    {},
    'failed: Image elements do not have `[alt]` attributes: no numeric value',
  ],
])('the result of %s: %j is a sentence with its unit', (key, assertion, audits, message) => {
  expect(messagesOf({ [key]: assertion }, reportWith(audits))).toEqual([message]);
});

describe.each(majorVersions)('a failed assertion on the $version report', ({ version }) => {
  const report = AssertedReport.parse(reportOfCases(version));
  const element = version === '11.7.1' ? '' : '\\. Element: body > h[13]'; // its recorded report has none

  test.each<[string, RegExp]>([
    [
      'largest-contentful-paint',
      new RegExp(`^Largest contentful paint: [\\d.,]+ ms, expected at most 0 ms${element}$`),
    ],
    ['total-byte-weight', /^Transferred bytes: 1,533 bytes, expected at most 0 bytes\. First: http:.+\/faulty$/],
    [
      'resource-summary:image:size',
      /^Image size: 345 bytes, expected at most 0 bytes\. Largest: http:.+\/wide\.png, 345 bytes$/,
    ],
    [
      'resource-summary:total:count',
      /^Total requests: 2 requests, expected at most 0 requests\. Largest: http:.+\/faulty, 1,188 bytes$/,
    ],
    ['user-timings:hero-image', /^User timing hero-image: 250 ms, expected at most 0 ms$/],
  ])('on %s names the first element or file', (key, message) => {
    expect(evaluate({ [key]: ['error', { maxNumericValue: 0 }] }, report)[0]?.message).toMatch(message);
  });

  test('on a category names the failed audit that costs most, with its first element', () => {
    const [accessibility, performance] = evaluate(
      {
        'categories:accessibility': ['error', { minScore: 1 }],
        'categories:performance': 'off',
        'categories:seo': ['error', { minScore: 1 }],
      },
      report,
    );
    expect(accessibility?.message).toMatch(
      /^Accessibility: score 0\.\d+, expected at least 1\. Costs most: .+, (body > \S+|html)/,
    );
    expect(performance?.message).toMatch(
      /^SEO: score 0\.\d+, expected at least 1\. Costs most: Document doesn't have a `<title>` element, html$/,
    );
  });
});

test('a category whose failed audits name no element has the title of the one that costs most', () => {
  const audit = (title: string, score: number) => ({ title, score, scoreDisplayMode: 'binary' });
  const report = {
    ...reportWith({ 'meta-description': audit('No description', 0), 'robots-txt': audit('No robots.txt', 0) }),
    categories: {
      seo: { score: 0.8, auditRefs: ['robots-txt', 'meta-description'].map((id, weight) => ({ id, weight })) },
    },
  };
  expect(messagesOf({ 'categories:seo': ['error', { minScore: 1 }] }, report)).toEqual([
    'failed: SEO: score 0.8, expected at least 1. Costs most: No description',
  ]);
});

test('a message is at most 300 characters, however long the title and the address are', () => {
  const url = `https://shop.example/${'a'.repeat(2000)}.js`;
  const long = { ...numeric(2, 'byte'), title: 'Long '.repeat(100), details: { type: 'table', items: [{ url }] } };
  const [message = ''] = messagesOf({ odd: ['error', { maxNumericValue: 1 }] }, reportWith({ odd: long }));
  expect(message).toMatch(/^failed: Long .+…: 2 bytes, expected at most 1 byte\. First: https:\/\/shop\.example\/a+…$/);
  expect(message.length).toBeLessThan(300);
});

test('times and the performance score are not judged if the machine was busy, and everything else is', () => {
  const assertions: Assertions = {
    'categories:performance': 'error',
    'categories:seo': 'error',
    'largest-contentful-paint': ['error', { maxNumericValue: 2500 }],
    'cumulative-layout-shift': ['error', { maxNumericValue: 0.1 }],
    'bootup-time': ['warn', { maxLength: 0 }],
    'user-timings:hero': ['error', { maxNumericValue: 1 }],
    'user-timings:none': ['error', { maxNumericValue: 1 }],
    'image-alt': 'warn',
    interactive: 'off',
  };
  const hero = { score: null, scoreDisplayMode: 'informative', details: { items: [{ name: 'hero', startTime: 9 }] } };
  const results = evaluate(assertions, reportWith({ 'user-timings': hero }), { contended: true });
  expect(results.filter(({ passed }) => passed === null).map(({ key }) => key)).toEqual([
    ...['categories:performance', 'largest-contentful-paint', 'bootup-time', 'user-timings:hero'],
  ]);
  expect(results.filter(({ passed }) => passed !== null)).toEqual(
    evaluate(assertions, reportWith({ 'user-timings': hero })).filter(({ key }) =>
      ['categories:seo', 'cumulative-layout-shift', 'user-timings:none', 'image-alt'].includes(key),
    ),
  );
  expect(results.find(({ key }) => key === 'user-timings:hero')?.message).toBe(
    'User timing hero: 9 ms, expected at most 1 ms. Not judged, because the machine was busy and the times could not be corrected',
  );
});

test('an audit without a value has the actual value null', () => {
  expect(evaluate({ 'focus-traps': 'warn' }, recorded)).toMatchObject([{ actual: null, passed: false, level: 'warn' }]);
});

test('a value that JSON can not hold, such as Infinity, is no value', () => {
  const infinite = { score: 0, scoreDisplayMode: 'numeric', numericValue: Number.POSITIVE_INFINITY };
  const report = AssertedReport.parse(JSON.parse(JSON.stringify({ ...recorded, audits: { interactive: infinite } })));
  expect(evaluate({ interactive: ['error', { maxNumericValue: 1 }] }, report)).toMatchObject([
    { passed: false, actual: null, message: 'Time to interactive: no numeric value' },
  ]);
});

test('an assertion that is off has no result', () => {
  expect(evaluate({ 'image-alt': 'off', 'image-altt': ['off', { minScore: 1 }] }, recorded)).toEqual([]);
});

test.each<[unknown, string]>([
  [
    { 'image-alt': 'fatal' },
    'The assertion must be off, warn, error, or a list such as ["warn", { "minScore": 0.9 }].',
  ],
  [{ 'image-alt': null }, 'The assertion must be off, warn, error, or a list such as ["warn", { "minScore": 0.9 }].'],
  [
    { 'image-alt': ['warn', { minLength: 1 }] },
    'Unknown option. The options are minScore, maxLength, maxNumericValue and aggregationMethod.',
  ],
  [{ 'image-alt': ['warn', { minScore: 90 }] }, 'A score is from 0 to 1.'],
  [{ imageAlt: 'warn' }, 'Write the key with hyphens and without capitals: "image-alt".'],
  [{ 'resource-summary:script': 'warn' }, 'Write the key as resource-summary:<type>:<size or count>.'],
  [{ 'categories:seo:score': 'warn' }, 'Write the key as categories:<id>.'],
  [{ 'constructor:items': 'warn' }, 'The audit constructor has no parts. Write the key as "constructor".'],
  [JSON.parse('{ "__proto__": "warn" }'), 'Use another name.'],
  [{ 'image-alt:items': 'warn' }, 'The audit image-alt has no parts. Write the key as "image-alt".'],
])('the assertions %j are refused', (input, message) => {
  const { error } = Assertions.safeParse(input);
  expect(error?.issues.map((issue) => issue.message)).toEqual([message]);
});

/** Results that differ from those of Lighthouse CI on purpose. */
const differences: Record<string, (row: Row, report: AssertedReport) => boolean> = {
  'an audit that needs a budget fails, because the service sets none': ([key]) => budgetAudits.includes(key),
  'an audit that failed has no list, where Lighthouse CI counts 0 items': ([key, name], { audits }) =>
    name === 'maxLength' && audits[key]?.scoreDisplayMode === 'error',
};

describe.each(majorVersions)('Lighthouse CI and this service agree on the $version report', ({ version }) => {
  const outcomes = readOutcomes();
  const report = reportOfCases(version);
  const cases = assertionCases(report).flatMap(({ name, ...each }) =>
    'options' in each && 'assertions' in each.options && !('preset' in each.options) && each.options.assertions
      ? [{ name, assertions: Assertions.parse(each.options.assertions) }]
      : [],
  );
  const isEqual = (row: Row) => !Object.values(differences).some((isDifferent) => isDifferent(row, report));

  test.each(cases)('$name', ({ name, assertions }) => {
    const ours = evaluate(assertions, report).map(rowOfResult);
    expect(ours.filter(isEqual)).toEqual(outcomes[`${version} ${name}`]?.filter(isEqual));
    expect(ours.length > 0).toBe(name !== 'every audit, off');
  });

  test.each(Object.entries(differences))('except that %s', (_, isDifferent) => {
    const ours = cases.flatMap(({ assertions }) => evaluate(assertions, report).map(rowOfResult));
    const different = ours.filter((row) => isDifferent(row, report));
    expect(different.length).toBeGreaterThan(0);
    expect(different.filter(([, , , , , , passed]) => passed)).toEqual([]);
  });
});
