import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Assertions } from '../../shared/assertions/assertions.ts';
import { evaluate } from '../../shared/assertions/evaluate.ts';
import { keysWithoutSamples } from '../../shared/assertions/samples.ts';
import { AssertedReport } from '../../shared/assertions/values.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import type { Sample } from '../../shared/metrics/page-metrics-schemas.ts';
import { readReport } from '../support/recorded-reports.ts';

const report = AssertedReport.parse(JSON.parse(gunzipSync(readReport('13.5.0')).toString()));
const sample = (change: Partial<Sample>): Sample => ({
  ...noMetrics,
  cpuBusy: null,
  contended: null,
  ...change,
});
const samples = [
  [90, 2000],
  [70, 4000],
  [80, 2600],
  [85, 2200],
].map(([performance = 0, lcp = 0]) => sample({ performance, lcp }));
const actuals = (assertions: Assertions, of = samples) =>
  evaluate(assertions, report, { samples: of }).map(({ actual, passed }) => [actual, passed]);
const lcpWith = (aggregationMethod: 'median' | 'optimistic' | 'pessimistic'): Assertions => ({
  'largest-contentful-paint': ['error', { maxNumericValue: 2500, aggregationMethod }],
});

test.each([
  ['optimistic', [0.9, true], [2000, true]],
  ['median', [0.825, false], [2400, true]],
  ['pessimistic', [0.7, false], [4000, false]],
] as const)('%s is about all samples, as in Lighthouse CI', (aggregationMethod, score, lcp) => {
  const assertions: Assertions = {
    'categories:performance': ['error', { minScore: 0.85, aggregationMethod }],
    ...lcpWith(aggregationMethod),
  };
  expect(actuals(assertions)).toEqual([score, lcp]);
  expect(keysWithoutSamples(assertions)).toEqual([]);
});

test('median-run, no method and one sample are about the report', () => {
  const own = report.categories.performance?.score;
  for (const options of [{}, { aggregationMethod: 'median-run' as const }])
    expect(actuals({ 'categories:performance': ['error', options] })).toEqual([[own, true]]);
  const worst: Assertions = { 'categories:performance': ['error', { aggregationMethod: 'pessimistic' }] };
  expect(actuals(worst, samples.slice(1, 2))).toEqual([[own, true]]);
});

test('a score without noise is that of the first sample, because no other one has it', () => {
  const [first = sample({}), ...others] = samples;
  const worst: Assertions = { 'categories:seo': ['error', { minScore: 0.8, aggregationMethod: 'pessimistic' }] };
  const [result] = evaluate(worst, report, { samples: [{ ...first, seo: 82 }, ...others] });
  expect(result).toMatchObject({ actual: 0.82, passed: true, message: expect.not.stringContaining('samples') });
  expect(actuals(worst)).toEqual([[null, null]]);
});

test('the message says how many samples count', () => {
  const [result] = evaluate(lcpWith('pessimistic'), report, { samples });
  expect(result?.message).toMatch(/4,000 ms, expected at most 2,500 ms \(worst of 4 samples\)$/);
});

test('keys whose values only the report of each sample has are named', () => {
  const aggregationMethod = 'median';
  expect(
    keysWithoutSamples({
      'unused-javascript': ['error', { maxLength: 0, aggregationMethod }],
      'largest-contentful-paint': ['error', { minScore: 0.9, aggregationMethod }],
      'speed-index': ['error', { aggregationMethod }],
      'image-alt': ['off', { aggregationMethod }],
      bypass: 'error',
      'categories:seo': ['error', { aggregationMethod }],
    }),
  ).toEqual(['unused-javascript', 'largest-contentful-paint', 'speed-index']);
});

test('an assertion is not judged if a sample lacks the value that the method needs, and says why', () => {
  const [first = sample({}), ...others] = samples;
  const judged = (method: 'optimistic' | 'pessimistic', change: Partial<Sample>) =>
    evaluate(lcpWith(method), report, { samples: [{ ...first, ...change }, ...others] }).map(({ passed, message }) => [
      passed,
      message,
    ]);
  expect(judged('pessimistic', { lcp: null })).toEqual([
    [null, 'Largest contentful paint: not judged, because a sample lacks the value'],
  ]);
  expect(judged('pessimistic', { contended: true })).toEqual([
    [null, expect.stringMatching(/not judged, because the machine was busy/)],
  ]);
  expect(judged('optimistic', { contended: true })).toEqual([[true, expect.stringContaining('2,200 ms')]]);
});
