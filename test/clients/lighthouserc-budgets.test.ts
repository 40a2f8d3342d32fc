import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { explain } from '../../clients/cli/exit-codes.ts';
import { readRules } from '../../clients/cli/lighthouserc/rules.ts';
import { matchesPattern } from '../../functions/lib/patterns.ts';
import { judge } from '../../shared/assertions/judge.ts';
import { reportOfCases } from '../support/assertion-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'lighthouserc-budgets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (name: string, content: unknown): string => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
};
const rulesOf = (settings: object, assert: object = {}) =>
  readRules({ assert: fileOf('lighthouserc.json', { ci: { collect: { settings }, assert } }) });

/** Returns the failed results of the rules on a page, in words. */
const failuresOf = async (settings: object, assert?: object, path = '/faulty') => {
  const report = { ...reportOfCases('13.5.0'), finalUrl: `http://127.0.0.1:8080${path}` };
  const { assertions = {} } = await rulesOf(settings, assert);
  const { results } = judge(assertions, report, {}, matchesPattern);
  return results.flatMap(({ level, passed, message }) => (passed ? [] : [`${level} ${message.split('.')[0]}`]));
};

const budgets = [
  {
    resourceSizes: [
      { resourceType: 'total', budget: 1 },
      { resourceType: 'script', budget: 100 },
    ],
    resourceCounts: [{ resourceType: 'image', budget: 0 }],
    timings: [{ metric: 'largest-contentful-paint', budget: 100 }],
  },
];
const lcp = Math.round(reportOfCases('13.5.0').audits['largest-contentful-paint']?.numericValue ?? 0);
const exceeded = [
  `Largest contentful paint: ${lcp} ms, expected at most 100 ms`,
  'Image requests: 1 request, expected at most 0 requests',
  'Total size: 1,533 bytes, expected at most 1,024 bytes',
];

test('budgets of the settings are assertions on times, counts and sizes in KiB, and warn', async () => {
  expect(await failuresOf({ budgets })).toEqual(exceeded.map((text) => `warn ${text}`));
});

test.each([
  ['error', 'error'],
  [['error', { minScore: 1 }], 'error'],
  ['warn', 'warn'],
])(
  'with performance-budget %j, a value over budget is of level %s, and the audit itself judges nothing',
  async (own, level) => {
    const failures = await failuresOf({ budgets }, { assertions: { 'performance-budget': own } });
    expect(failures).toEqual(exceeded.map((text) => `${level} ${text}`));
  },
);

test('with performance-budget off, nothing is over budget', async () => {
  const assertions = { 'performance-budget': 'off', 'image-alt': 'error' };
  expect(await failuresOf({ budgets }, { assertions })).toEqual([expect.stringMatching(/^error Image elements/)]);
});

test('budgetPath names a file with the same budgets', async () => {
  const budgetPath = fileOf('budget.json', budgets);
  expect(await failuresOf({ budgetPath })).toEqual(exceeded.map((text) => `warn ${text}`));
});

test('a budget with a path is about the pages of this path only', async () => {
  const shop = [{ ...budgets[0], path: '/shop/*' }];
  expect(await failuresOf({ budgets: shop }, {}, '/shop/1')).toHaveLength(3);
  expect(await failuresOf({ budgets: shop }, {}, '/other')).toEqual([]);
});

test('budgets and other assertions are judged together', async () => {
  const failures = await failuresOf({ budgets }, { assertions: { 'image-alt': 'error' } });
  expect(failures).toEqual([expect.stringMatching(/^error Image elements/), ...exceeded.map((text) => `warn ${text}`)]);
});

test.each<[object, RegExp]>([
  [{ budgets: [] }, /lighthouserc\.json:1:\d+: .*The list of budgets is empty\.$/],
  [
    { budgets: [{ resourceSizes: [{ resourceType: 'scripts', budget: 1 }] }] },
    /Expected one of total, document, script/,
  ],
  [{ budgets: [{ path: 'shop' }] }, /A path starts with \//],
  [{ budgetPath: join(folder, 'none.json') }, /none\.json/],
])('the settings %j are refused with the place of the fault', async (settings, message) => {
  const { text, code } = explain(await rulesOf(settings).catch((error) => error));
  expect([code, text]).toEqual([2, expect.stringMatching(message)]);
});
