import { expect, test } from 'vitest';
import { type Fix, Fixes } from '../../shared/fixes/fix.ts';
import { fixesOf } from '../../shared/fixes/fixes.ts';
import { pointsBySavings, weighed } from '../../shared/fixes/points.ts';
import { readExperiments } from '../support/recorded-fixes.ts';
import { failing, type Given, slowPage } from '../support/slow-page.ts';

const experiments = readExperiments();
const experimentOf = (version: string, page: string) => {
  const found = experiments.find((each) => each.version === version && each.page === page);
  if (!found) throw new Error(`There is no record of ${page} in ${version}.`);
  return found;
};
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const repairs = experiments.filter(({ version }) => !['9.6.8', '10.4.0'].includes(version));

test.each(repairs)('the repair of `$page` in $version gains points, and at most as many as forecast', (experiment) => {
  const first = fixesOf(experiment.report).find(({ category }) => category !== 'pwa');
  if (!first?.points) throw new Error('no forecast');
  const scoreIn = (all: typeof experiment.before) => median(all.map((scores) => (scores[first.category] ?? 0) * 100));
  const gain = scoreIn(experiment.after) - scoreIn(experiment.before);
  expect(gain).toBeGreaterThan(0);
  expect(gain).toBeLessThanOrEqual(first.points + 1); // Lighthouse rounds both scores to whole points
});

test("an estimate without the Speed Index would be too low: Lighthouse's own report has none", () => {
  const { report, before, after } = experimentOf('13.5.0', 'blocking');
  const performanceIn = (all: typeof before) => median(all.map(({ performance }) => (performance ?? 0) * 100));
  const { performance } = report.categories;
  const savings = report.audits['render-blocking-insight']?.metricSavings;
  if (!performance || !savings) throw new Error('no estimate');
  const gain = performanceIn(after) - performanceIn(before);
  expect(pointsBySavings(report, weighed(performance), { ...savings, SI: 0 })).toBeLessThan(gain - 1);
});

test('what helps a repeated visit only has no points, and is last', () => {
  const { report } = experimentOf('13.5.0', 'image');
  const slow = {
    title: 'Use efficient cache lifetimes',
    score: 0,
    scoreDisplayMode: 'metricSavings',
    metricSavings: { LCP: 5000, FCP: 5000 },
  };
  const audits = { ...report.audits, 'cache-insight': slow };
  const fixes = fixesOf({ ...report, audits });
  expect(fixes.at(-1)).toMatchObject({ audit: 'cache-insight', points: null, savings: { lcp: null, fcp: null } });
});

const firstFixes = [
  [
    'image',
    'image-delivery-insight',
    {
      url: expect.stringContaining('/image/before/picture.png'),
      selector: 'body > main > img',
      bytes: expect.any(Number),
    },
  ],
  [
    'blocking',
    'render-blocking-insight',
    { url: expect.stringMatching(/[abc]\.js$/), ms: expect.any(Number), bytes: expect.any(Number) },
  ],
  ['busy', 'bootup-time', { url: expect.stringMatching(/busy\.js$/), ms: expect.any(Number) }],
  ['shift', 'cls-culprits-insight', { selector: 'body > main > p', snippet: '<p>' }],
  ['alternative', 'image-alt', { selector: 'body > main > img', snippet: expect.stringContaining('<img src') }],
] as const;
test.each(firstFixes)('the first fix of `%s` is %s, with the file or element', (page, audit, item) => {
  const [first] = fixesOf(experimentOf('13.5.0', page).report);
  expect(first).toMatchObject({ audit, documentation: expect.stringMatching(/^https:\/\//) });
  expect(first?.items[0]).toMatchObject(item);
});

const auditsOf = (given: Record<string, Given>) => fixesOf(slowPage(given)).map(({ audit }) => audit);

test('the fix with the most points is first, and fixes without an estimate are last', () => {
  const fixes = fixesOf(
    slowPage({
      'no-estimate': failing({ scoreDisplayMode: 'numeric', metricSavings: { LCP: 0 } }),
      'bytes-only': failing({ metricSavings: { FCP: 0, LCP: 0 }, details: { overallSavingsBytes: 30_000 } }),
      'some-lcp': failing({ metricSavings: { LCP: 500 } }),
      'all-tbt': failing({ metricSavings: { TBT: 1000 } }),
      'no-fault': { metricSavings: { LCP: 0 } },
      'unknown-fault': { score: null, scoreDisplayMode: 'informative' },
    }),
  );
  expect(fixes.map(({ audit, points }) => [audit, points])).toEqual([
    ['all-tbt', 21.9],
    ['some-lcp', expect.any(Number)],
    ['bytes-only', 0],
    ['no-estimate', null],
  ]);
  expect(fixes[2]?.savings).toEqual({ fcp: null, lcp: null, tbt: null, cls: null, ms: null, bytes: 30_000 });
});

test('fixes that come from CPU time are last and say so if the machine was busy', () => {
  const report = slowPage({
    'bootup-time': failing({ metricSavings: { TBT: 1000 } }),
    'dom-size': failing({ metricSavings: { TBT: 1 } }),
    'some-lcp': failing({ metricSavings: { LCP: 500 } }),
  });
  const marked = (fixes: Fix[]) => fixes.map(({ audit, contended }) => [audit, contended]);
  expect(marked(fixesOf(report))).toEqual([
    ['bootup-time', false],
    ['some-lcp', false],
    ['dom-size', false],
  ]);
  expect(marked(fixesOf(report, { contended: true }))).toEqual([
    ['some-lcp', false],
    ['bootup-time', true],
    ['dom-size', true],
  ]);
});

test('an audit with savings is a fix even if its score is 1', () => {
  const [fix] = fixesOf(slowPage({ 'bootup-time': { score: 1, metricSavings: { TBT: 500 } } }));
  expect(fix).toMatchObject({ audit: 'bootup-time', savings: { tbt: 500 } });
  expect(fix?.points).toBe(9.3);
});

test('an earlier first paint also gains the points of the Speed Index', () => {
  const [fix] = fixesOf(slowPage({ 'render-blocking-insight': failing({ metricSavings: { FCP: 3000 } }) }));
  expect(fix?.points).toBe(9.4); // 10 × (1 − 0.25) of the FCP, and 10 × (1 − 0.81) of the Speed Index
});

test.each([
  ['the audits of the main thread', ['bootup-time', 'long-tasks', 'mainthread-work-breakdown'], { TBT: 500 }],
  ['the audits of the layout', ['unsized-images', 'cls-culprits-insight'], { CLS: 0.2 }],
])('%s see one fault, which is listed once', (_, ids, metricSavings) => {
  const given = (savings: object) => ids.toReversed().map((id): [string, Given] => [id, failing(savings)]);
  expect(auditsOf(Object.fromEntries(given({ metricSavings })))).toEqual([ids[0]]);
  const last = ids.at(-1) as string;
  const half = Object.fromEntries(Object.entries(metricSavings).map(([name, value]) => [name, value / 2]));
  const larger = { 'layout-shifts': { group: 'hidden', metricSavings }, [last]: failing({ metricSavings }) };
  expect(auditsOf({ ...Object.fromEntries(given({ metricSavings: half })), ...larger })).toEqual([last]);
});

test('an audit that Lighthouse hides is no fix, and lends its estimate to the insight that replaces it', () => {
  const given = {
    'layout-shifts': failing({ group: 'hidden', metricSavings: { CLS: 0.3 } }),
    'cls-culprits-insight': failing({ scoreDisplayMode: 'numeric', metricSavings: { CLS: 0 } }),
    'server-response-time': failing({ group: 'hidden', metricSavings: { FCP: 900 } }),
  };
  expect(fixesOf(slowPage(given))).toMatchObject([
    { audit: 'cls-culprits-insight', points: 15.3, savings: { cls: 0.3 } },
  ]);
});

test('an audit that only names the LCP element is no fix', () => {
  expect(auditsOf({ 'largest-contentful-paint-element': failing({ metricSavings: { LCP: 4000 } }) })).toEqual([]);
});

test('versions 9 and 10 order by the time that a fix saves, and give no points', () => {
  const first = [experimentOf('9.6.8', 'image'), experimentOf('10.4.0', 'busy')].map(
    ({ report }) => fixesOf(report)[0],
  );
  expect(first).toMatchObject([
    { audit: 'uses-responsive-images', points: null, savings: { ms: 6000, bytes: 1_241_530 } },
    { audit: 'bootup-time', points: null, items: [{ url: expect.stringMatching(/busy\.js$/) }, {}, {}] },
  ]);
  const old = slowPage({
    small: failing({ score: 0.5, scoreDisplayMode: 'numeric', details: { overallSavingsMs: 300 } }),
    negative: { details: { overallSavingsMs: -97.7 } },
    large: failing({ score: 0.1, scoreDisplayMode: 'numeric', details: { overallSavingsMs: 2100.4 } }),
  });
  const rule = { title: 'A rule', score: 0, scoreDisplayMode: 'binary' };
  const report = {
    categories: { ...old.categories, seo: { auditRefs: [{ id: 'rule', weight: 1 }] } },
    audits: { ...old.audits, rule },
  };
  expect(fixesOf(report).map(({ audit, points, savings }) => [audit, points, savings.ms])).toEqual([
    ['large', null, 2100],
    ['small', null, 300],
    ['rule', 100, null],
  ]);
});

test('an audit of two categories is listed once, where it gains most', () => {
  const { report } = experimentOf('13.5.0', 'alternative');
  expect(report.audits['image-alt']?.score).toBe(0);
  const found = fixesOf(report).filter(({ audit }) => audit === 'image-alt');
  expect(found).toMatchObject([{ category: 'accessibility', itemCount: 7 }]);
  expect(found[0]?.items).toHaveLength(5);
});

test.each(experiments)('the fixes of the $version report of $page have the form of the API', ({ report }) => {
  const fixes = fixesOf(report);
  expect(fixes.length).toBeGreaterThan(0);
  expect(Fixes.parse({ fixes })).toEqual({ fixes });
});
