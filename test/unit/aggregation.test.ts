import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { evaluateSamples, keysLacking, keysWithoutSamples } from '../../clients/cli/aggregation.ts';
import type { Assertions } from '../../shared/assertions/assertions.ts';
import { AssertedReport } from '../../shared/assertions/values.ts';
import { noMetrics } from '../../shared/page-metrics.ts';
import { metricsView } from '../../shared/page-metrics-schemas.ts';
import { readReport } from '../support/recorded-reports.ts';

const report = AssertedReport.parse(JSON.parse(gunzipSync(readReport('13.5.0')).toString()));
const values = [
  [90, 2000],
  [70, 4000],
  [80, 2600],
  [85, 2200],
] as const;
const samples = values.map(([performance, lcp]) => ({
  ...metricsView({ ...noMetrics, performance, lcp }),
  cpuBusy: null,
  mainThreadCpu: null,
  contended: null,
}));
const actuals = (assertions: Assertions, of = samples) =>
  evaluateSamples(assertions, report, of).map(({ actual, passed }) => [actual, passed]);

test.each([
  ['optimistic', [0.9, true], [2000, true]],
  ['median', [0.825, false], [2400, true]],
  ['pessimistic', [0.7, false], [4000, false]],
] as const)('%s is about all samples, as in Lighthouse CI', (aggregationMethod, score, lcp) => {
  const assertions: Assertions = {
    'categories:performance': ['error', { minScore: 0.85, aggregationMethod }],
    'largest-contentful-paint': ['error', { maxNumericValue: 2500, aggregationMethod }],
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

test('the message says how many samples count', () => {
  const [result] = evaluateSamples(
    { 'largest-contentful-paint': ['warn', { maxNumericValue: 2500, aggregationMethod: 'pessimistic' }] },
    report,
    samples,
  );
  expect(result?.message).toMatch(/4,000 ms, expected at most 2,500 ms \(worst of 4 samples\)$/);
});

test('keys whose values only the report has are named', () => {
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

test('keys are named of which a sample lacks the value that the method needs', () => {
  const [first, ...others] = samples;
  const some = [{ ...first, lcp: null }, ...others] as typeof samples;
  const assertion = (aggregationMethod: 'optimistic' | 'pessimistic'): Assertions => ({
    'largest-contentful-paint': ['error', { maxNumericValue: 1, aggregationMethod }],
    'categories:performance': 'error',
  });
  expect(keysLacking(assertion('pessimistic'), some, 4)).toEqual(['largest-contentful-paint']);
  expect(keysLacking(assertion('optimistic'), some, 4)).toEqual([]);
  expect(keysLacking(assertion('optimistic'), [], 4)).toEqual(['largest-contentful-paint']);
  expect(keysLacking(assertion('pessimistic'), samples.slice(0, 1), 1)).toEqual([]);
});
