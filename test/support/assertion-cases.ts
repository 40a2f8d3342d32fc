import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { AssertionResult, Assertions } from '../../shared/assertions/assertions.ts';
import { type AssertedReport, rowsOf } from '../../shared/assertions/values.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { readReport } from './recorded-reports.ts';

type Options = { preset?: string; assertions?: Assertions; matchingUrlPattern?: string };
/** The content of a lighthouserc file below `assert`, or of a budget file. */
export type AssertionCase =
  | { name: string; options: Options | { assertMatrix: Options[] } }
  | { name: string; budgets: Record<string, unknown>[] };

/** One result of Lighthouse CI: key, name, level, operator, expected, actual, passed. */
export type Row = [string, string, string, string, number, number | null, boolean | null];

/** Returns a result of this service in the form of a recorded one. */
export const rowOfResult = ({ key, name, level, operator, expected, actual, passed }: AssertionResult): Row => [
  key.startsWith('user-timings') ? key.replaceAll(/(?<=[.:].*)[.:]/g, '-').replace('.', ':') : key.replaceAll('.', ':'),
  name,
  level,
  operator,
  expected,
  actual,
  passed,
];

const file = new URL('../recorded/assertions.json.gz', import.meta.url);

/** The results of Lighthouse CI by `<version> <name of the case>`. `npm run record` records them. */
export const readOutcomes = (): Record<string, Row[]> => JSON.parse(gunzipSync(readFileSync(file)).toString());

export const writeOutcomes = (outcomes: Record<string, Row[]>): void =>
  writeFileSync(file, gzipSync(JSON.stringify(outcomes), { level: 9 }));

/** Returns a recorded report with a few audits that the faulty page lacks. */
export const reportOfCases = (version: AuditVersion): AssertedReport => {
  const report = JSON.parse(gunzipSync(readReport(version)).toString());
  Object.assign(report.audits, oddAudits);
  return report;
};

const table = (items: unknown, more = {}) => ({
  score: null,
  scoreDisplayMode: 'informative',
  details: { items },
  ...more,
});
const oddAudits = {
  'user-timings': table([
    { name: 'Hero image', timingType: 'Measure', startTime: 12.5, duration: 250.25 },
    { name: 'heroImage', timingType: 'Mark', startTime: 90 },
    { name: '__app-ready!', timingType: 'Mark', startTime: 1234.5 },
    { name: 'empty', timingType: 'Measure', startTime: 7, duration: 0 },
  ]),
  'odd-failed': { score: null, scoreDisplayMode: 'error', errorMessage: 'It failed' },
  'odd-checklist': { score: 0, scoreDisplayMode: 'binary', details: { items: { first: {}, second: {} } } },
  'odd-border': { score: 0.9, scoreDisplayMode: 'numeric', numericValue: 100, details: { items: [1, 2, 3] } },
  'odd-almost': { score: 0.89, scoreDisplayMode: 'numeric', numericValue: 100.01, details: { items: [] } },
};

/** Returns sets of assertions on a report. Lighthouse CI and this service judge each set. */
export const assertionCases = (report: AssertedReport): AssertionCase[] => {
  const everyAudit = (assertion: Assertions[string]): Assertions =>
    Object.fromEntries([...Object.keys(report.audits), 'no-such-audit', 'categories'].map((id) => [id, assertion]));
  const resources = report.audits['resource-summary'];
  const types = (resources ? rowsOf(resources) : []).map(({ resourceType = '' }) => resourceType);
  const everyResource = (separator: string, limit: number): Assertions =>
    Object.fromEntries(
      [...types, 'no-such-type'].flatMap((type) =>
        ['size', 'count'].map((measure) => [
          ['resource-summary', type, measure].join(separator),
          ['error', { maxNumericValue: limit }],
        ]),
      ),
    );
  const withAssertions = (name: string, assertions: Assertions) => ({ name, options: { assertions } });
  return [
    withAssertions('every audit, default score', everyAudit('error')),
    withAssertions('every audit, empty options', everyAudit(['warn', {}])),
    withAssertions('every audit, off', everyAudit('off')),
    withAssertions(
      'every audit, all limits',
      everyAudit(['warn', { minScore: 0.5, maxLength: 1, maxNumericValue: 500 }]),
    ),
    ...(['median', 'optimistic', 'pessimistic', 'median-run'] as const).map((aggregationMethod) =>
      withAssertions(
        `every audit, ${aggregationMethod}`,
        everyAudit(['error', { aggregationMethod, minScore: 1, maxLength: 0, maxNumericValue: 100 }]),
      ),
    ),
    withAssertions('every resource, with colons', everyResource(':', 1000)),
    withAssertions('every resource, with dots', everyResource('.', 1)),
    withAssertions('resources without a limit', { 'resource-summary:total:size': 'error' }),
    withAssertions('categories', {
      'categories:performance': 'error',
      'categories:accessibility': ['error', { minScore: 0.99 }],
      'categories:best-practices': ['warn', { minScore: 0.1 }],
      'categories.seo': ['warn', { minScore: 1, maxLength: 0, maxNumericValue: 1 }],
      'categories:pwa': ['error', { minScore: 0.3 }],
      'categories:none': 'error',
    }),
    withAssertions('user timings', {
      'user-timings:hero-image': ['error', { maxNumericValue: 250 }],
      'user-timings:app-ready': ['error', { maxNumericValue: 1234.5 }],
      'user-timings:app:ready': ['error', { maxNumericValue: 1 }],
      'user-timings.empty': ['error', { maxNumericValue: 1 }],
      'user-timings:empty': 'warn',
      'user-timings:none': ['error', { maxNumericValue: 1 }],
    }),
    withAssertions('budget audits', { 'performance-budget': 'error', 'timing-budget': 'error' }),
    ...fileCases,
  ];
};

const ownAssertions: Assertions = {
  'image-alt': 'off',
  'unsized-images': ['warn', { maxLength: 5 }],
  'unused-css-rules': ['error', { minScore: 0.5 }],
  'document-title': ['off'],
  'largest-contentful-paint': ['error', { maxNumericValue: 2500 }],
  'no-such-audit': 'warn',
  'categories:seo': 'error',
};

/** Cases of presets, matrixes and budgets, which only the reader of the files knows. */
const fileCases: AssertionCase[] = [
  ...['all', 'recommended', 'no-pwa'].flatMap((preset) => [
    { name: preset, options: { preset: `lighthouse:${preset}` } },
    { name: `${preset} with own assertions`, options: { preset: `lighthouse:${preset}`, assertions: ownAssertions } },
  ]),
  {
    name: 'matrix',
    options: {
      assertMatrix: [
        { matchingUrlPattern: '.*', assertions: { 'image-alt': 'warn' } },
        { matchingUrlPattern: '/other$', assertions: { 'document-title': 'error' } },
        {
          matchingUrlPattern: '^http://.*/faulty$',
          preset: 'lighthouse:no-pwa',
          assertions: { 'html-has-lang': 'warn' },
        },
        { assertions: { 'categories:seo': ['error', { minScore: 1 }] } },
      ],
    },
  },
  {
    name: 'budgets',
    budgets: [
      {
        path: '/*',
        timings: [
          { metric: 'first-contentful-paint', budget: 100 },
          { metric: 'interactive', budget: 60000 },
          { metric: 'cumulative-layout-shift', budget: 0.1 },
        ],
        resourceSizes: [
          { resourceType: 'total', budget: 1 },
          { resourceType: 'script', budget: 125 },
        ],
        resourceCounts: [{ resourceType: 'third-party', budget: 0 }],
      },
      { path: '/other', resourceCounts: [{ resourceType: 'total', budget: 0 }] },
      { path: '/fau*ty$', resourceCounts: [{ resourceType: 'total', budget: 1 }] },
      { options: { firstPartyHostnames: ['localhost'] }, timings: [{ metric: 'first-meaningful-paint', budget: 1 }] },
    ],
  },
];
