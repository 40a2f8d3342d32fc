import type { CheckResult } from '../../../clients/cli/run/result.ts';
import type { AssertionResult } from '../../../shared/assertions/assertions.ts';
import { knownFieldData } from '../../../shared/field-data-schemas.ts';
import type { Fix } from '../../../shared/fixes/fix.ts';
import type { Sample } from '../../../shared/metrics/page-metrics-schemas.ts';
import { notSimulated, type SimulatedLoad } from '../../../shared/options/simulated-loads.ts';
import { runError } from '../../../shared/problems.ts';
import type { Run } from '../../../shared/run.ts';
import { printableValue } from '../../../shared/text.ts';
import { anInteraction } from '../../support/an-interaction.ts';
import {
  baseId,
  checkWith,
  failed,
  otherVariant,
  resultOf,
  samplesOf,
  succeeded,
} from '../../support/check-results.ts';
import { environment } from '../../support/environment.ts';

const notJudged = 'Performance: score 0.4, expected at least 0.9. Not judged, because the machine was busy';
const contended = 'The machine was busy, and the times could not be corrected. The performance score may be too low.';
const three = { samples: 3 };
const west = (change: Partial<Run> = {}) => succeeded(samplesOf('unchanged', 3), change);
const slow = { rttMs: 300, throughputKbps: 700, cpuSlowdownMultiplier: 4 };
const loads: SimulatedLoad[] = [
  { name: '3g', ...slow, performance: 57, fcp: 1251, si: 1601, lcp: 4501, tti: 5203, tbt: 350, reason: null },
  notSimulated('region', { ...slow, rttMs: null }, 'The region measured no round-trip time.'),
];
const interactions = [
  anInteraction([212], {
    longestEvent: {
      type: 'click',
      selector: '#search',
      inputDelay: 12,
      processing: 150,
      presentation: 50,
      waited: 0,
      scripts: [],
    },
  }),
  anInteraction([null], { name: 'menu', reason: 'No element matches #menu.' }),
];
const share = { good: 0.61, needsImprovement: 0.22, poor: 0.17 };
const fieldData = knownFieldData(
  {
    of: 'url',
    url: 'https://shop.example/',
    period: { first: '2026-10-29', last: '2026-11-25' },
    metrics: { lcp: { p75: 3400, ...share }, inp: { p75: 180, ...share }, cls: null, fcp: null, ttfb: null },
  },
  ...(['phone', '2026-11-27T12:00:00.000Z'] as const),
);
const sample = () => samplesOf('unchanged', 3, 1)[0] as Sample;

const assertion = (change: Partial<AssertionResult>): AssertionResult => ({
  key: 'largest-contentful-paint',
  name: 'maxNumericValue',
  level: 'error',
  passed: false,
  expected: 2500,
  actual: 2612.4,
  operator: '<=',
  message: 'Largest contentful paint: 2,612 ms, expected at most 2,500 ms. Element: body > h1',
  ...change,
});
const assertions: AssertionResult[] = [
  assertion({
    key: 'categories:accessibility',
    name: 'minScore',
    passed: true,
    expected: 0.9,
    actual: 0.94,
    operator: '>=',
    message: 'Accessibility: score 0.94, expected at least 0.9',
  }),
  assertion({}),
  assertion({
    key: 'categories:seo',
    name: 'minScore',
    level: 'warn',
    expected: 0.95,
    actual: 0.91,
    operator: '>=',
    message:
      'SEO: score 0.91, expected at least 0.95. Costs most: Image elements do not have `[alt]` attributes, body > img',
  }),
  assertion({
    key: 'resource-summary:script:size',
    expected: 300_000,
    actual: 300_000.4,
    message:
      'Script size: 300,000.4 bytes, expected at most 300,000 bytes. Largest: https://shop.example/app.js, 240,113 bytes',
  }),
  assertion({
    key: 'no-such',
    name: 'auditRan',
    expected: 1,
    actual: 0,
    operator: '>=',
    message: 'Lighthouse 13.5.0 has no audit no-such',
  }),
];

/** A text with escape sequences, a reordered name, markup of terminals, Markdown, HTML and XML, and a formula. */
export const hostileText =
  '=1+1\u001b[2J\u009b31m\u202egpj.exe\u2066\u0000\uffff\ud800 </code></testcase>]]> <img src=x onerror=alert(1)> ' +
  '| @octocat #1 [x](javascript:alert(1)) `**` https://evil.example www.evil.example a@b.example\r\n# Heading\r\n- item';

const noItem = { url: null, selector: null, snippet: null, bytes: null, ms: null };
const noSavings = { fcp: null, lcp: null, tbt: null, cls: null, ms: null, bytes: null };
const fix = (change: Partial<Fix>): Fix => ({
  audit: 'image-delivery-insight',
  title: 'Improve image delivery',
  category: 'performance',
  points: 24.8,
  savings: { ...noSavings, lcp: 7950, bytes: 1_624_748 },
  items: [{ ...noItem, url: 'https://shop.example/hero.png', selector: 'body > main > img', bytes: 1_624_748 }],
  itemCount: 1,
  contended: false,
  documentation: 'https://developer.chrome.com/docs/performance/insights/image-delivery',
  ...change,
});
/** Fixes, also with texts that a page writes. */
export const fixes: Fix[] = [
  fix({}),
  fix({
    audit: 'bootup-time',
    title: 'Reduce JavaScript execution time',
    points: 17.2,
    savings: { ...noSavings, tbt: 850 },
    items: [
      { ...noItem, url: 'https://shop.example/app.js', ms: 1203 },
      { ...noItem, snippet: 'Unattributable', ms: 88 },
    ],
    itemCount: 2,
  }),
  fix({
    audit: 'image-alt',
    title: 'Image elements do not have `[alt]` attributes',
    category: 'accessibility',
    points: 12.3,
    savings: noSavings,
    items: Array.from({ length: 5 }, (_, i) => ({
      ...noItem,
      selector: `li:nth-child(${i + 1}) > img`,
      snippet: '<img src="a.png">',
    })),
    itemCount: 7,
  }),
  fix({
    audit: 'label',
    title: 'Form elements do not have associated labels',
    category: 'accessibility',
    points: 0.4,
    savings: noSavings,
    items: [{ ...noItem, selector: hostileText, snippet: hostileText }],
  }),
  fix({
    audit: 'lcp-discovery-insight',
    title: 'LCP request discovery',
    points: null,
    savings: noSavings,
    items: [],
    itemCount: 0,
  }),
];
const withFixes = (result: CheckResult, found: readonly Fix[]): CheckResult => {
  const [run] = result.check.runs;
  return run ? { ...result, fixes: printableValue({ run, fixes: [...found] }) } : result;
};

const production = { url: 'https://production.example/', samples: samplesOf('unchanged', 3, 0) };

/** Results of a command, by the name of their snapshots. */
export const cases: Record<string, () => CheckResult[]> = {
  'one-region': () => [resultOf(checkWith({ 'us-west1': succeeded(samplesOf('unchanged', 3, 1)) }))],
  'two-regions': () => [
    resultOf(
      checkWith(
        { 'us-west1': west(), 'europe-north1': succeeded(samplesOf('slower', 0)) },
        { ...three, labels: { branch: 'main' } },
      ),
    ),
  ],
  contended: () => [
    withFixes(
      resultOf(
        checkWith(
          {
            'us-west1': west(),
            'europe-north1': succeeded(samplesOf('slower', 0), {
              warnings: [contended],
              environment: { ...environment, contended: true },
            }),
          },
          three,
        ),
        {
          assertions: {
            'us-west1': assertions.slice(0, 1),
            'europe-north1': assertions.slice(0, 2).map((each) => ({ ...each, passed: null, message: notJudged })),
          },
        },
      ),
      [fix({}), fix({ audit: 'bootup-time', title: 'Reduce JavaScript execution time', contended: true })],
    ),
  ],
  partial: () => [resultOf(checkWith({ 'us-west1': west(), 'europe-north1': failed('load-timeout') }, three))],
  failed: () => [
    resultOf(
      checkWith({
        'us-west1': failed('http-error', 'The server answered with the status 503.'),
        'us-east4': failed('browser-crashed'),
        'europe-north1': failed('browser-crashed'),
      }),
    ),
  ],
  unfinished: () => [
    resultOf(
      checkWith({ 'us-west1': west(), 'us-east4': { state: 'running' }, 'europe-north1': { state: 'created' } }, three),
    ),
  ],
  assertions: () => [resultOf(checkWith({ 'us-west1': west() }, three), { assertions: { 'us-west1': assertions } })],
  regression: () => [
    resultOf(checkWith({ 'us-west1': succeeded(samplesOf('slower', 0)) }, three), {
      base: checkWith({ 'us-west1': west() }, { ...three, id: baseId }),
    }),
  ],
  'one-sample': () => [
    resultOf(checkWith({ 'us-west1': succeeded([{ ...sample(), accessibility: 53 }]) }), {
      base: checkWith({ 'us-west1': succeeded([sample()]) }, { id: baseId }),
    }),
  ],
  'no-verdict': () => [
    { ...resultOf(checkWith({ 'us-west1': west() }, three)), baseProblem: 'No earlier finished check has the label.' },
  ],
  variants: () => [
    resultOf(
      checkWith(
        {
          'us-west1': {
            ...succeeded(samplesOf('slower', 0, 5)),
            ...otherVariant({ ...production, samples: samplesOf('unchanged', 3, 5) }),
          },
          'us-east4': {
            ...failed('http-error'),
            ...otherVariant(production),
            error: {
              ...runError('http-error', { detail: 'The server answered with the status 503.' }),
              variant: 'against',
            },
          },
        },
        { samples: 5, against: { url: production.url, blockedUrlPatterns: [] }, blockedUrlPatterns: ['ads.example'] },
      ),
    ),
  ],
  hostile: () => [
    resultOf(
      checkWith(
        {
          'us-west1': succeeded(samplesOf('unchanged', 3), { warnings: [hostileText] }),
          'europe-north1': failed('internal', hostileText),
        },
        {
          ...three,
          url: `https://shop.example/${'a'.repeat(300)}\u202e`,
          labels: { branch: '=1+1 </code>| @octocat #1' },
        },
      ),
      {
        assertions: {
          'us-west1': [assertion({ key: hostileText.slice(0, 120), name: 'auditRan', message: hostileText })],
        },
      },
    ),
  ],
  fixes: () => [
    withFixes(resultOf(checkWith({ 'us-west1': west() }, three)), fixes),
    withFixes(resultOf(checkWith({ 'us-west1': west() }, three)), fixes.slice(3)),
  ],
  sections: () => {
    const sections = west({ simulations: loads, interactions });
    const check = checkWith({ 'us-west1': sections }, { ...three, simulations: ['3g', 'region'] });
    return [resultOf({ ...check, fieldData })];
  },
  several: () => [...(cases['one-region']?.() ?? []), ...(cases.failed?.() ?? [])],
};
