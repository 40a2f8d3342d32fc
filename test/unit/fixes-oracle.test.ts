import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fixesOf } from '../../shared/fixes/fixes.ts';
import { metricScore } from '../../shared/fixes/metric-score.ts';
import { pointsBySavings, weighed } from '../../shared/fixes/points.ts';
import type { FixableReport } from '../../shared/fixes/report.ts';
import { majorVersions } from '../support/major-versions.ts';
import { readExperiments } from '../support/recorded-fixes.ts';
import { readReport } from '../support/recorded-reports.ts';

type Scored = FixableReport & { categories: Record<string, { score: number | null }> };

const experiments = readExperiments();
const recorded = majorVersions.map(({ version }): [string, Scored] => [
  `the ${version} report of the faulty page`,
  JSON.parse(gunzipSync(readReport(version)).toString()),
]);
const reports: [string, Scored][] = [
  ...recorded,
  ...experiments.map(({ version, page, report }): [string, Scored] => [`the ${version} report of ${page}`, report]),
];
const ratedReports = reports.filter(([name]) => /the 1[123]\./.test(name));

const lighthouses = ['lighthouse-11', 'lighthouse-12', 'lighthouse'];
const lighthouseFile = (folder: string, path: string) =>
  import(new URL(`../../node_modules/${folder}/${path}`, import.meta.url).href);

test.each(lighthouses)('scores a value as %s does', async (folder) => {
  const { Util } = await lighthouseFile(folder, 'shared/util.js');
  const curves = [
    { median: 3000, p10: 1800 },
    { median: 4000, p10: 2500 },
    { median: 600, p10: 200 },
    { median: 0.25, p10: 0.1 },
  ];
  for (const curve of curves)
    for (const share of [-1, 0, 1e-9, 0.5, 0.99, 1, 1.01, 2, 5, 50])
      for (const base of [curve.p10, curve.median])
        expect(metricScore(curve, base * share)).toBe(Util.computeLogNormalScore(curve, base * share));
});

test.each(ratedReports)('the scores of %s follow from its metrics', (_, { audits, categories }) => {
  const metrics = categories.performance?.auditRefs.filter(({ group }) => group === 'metrics') ?? [];
  const scores = metrics.map(({ id }) => {
    const { scoringOptions, numericValue = Number.NaN, score } = audits[id] ?? {};
    if (!scoringOptions) throw new Error(`${id} has no scoring options`);
    expect(metricScore(scoringOptions, numericValue)).toBe(score);
    return metricScore(scoringOptions, numericValue);
  });
  const total = metrics.reduce((sum, { weight }, i) => sum + weight * (scores[i] ?? 0), 0) / 100;
  expect(Math.round(total * 100)).toBe(Math.round((categories.performance?.score ?? 0) * 100));
});

test.each(ratedReports)(
  "the points of %s are those of Lighthouse's own report, without the Speed Index",
  async (_, report) => {
    const { PerformanceCategoryRenderer } = await lighthouseFile(
      'lighthouse',
      'report/renderer/performance-category-renderer.js',
    );
    const { performance } = report.categories;
    if (!performance) throw new Error('no performance');
    const refs = performance.auditRefs.map((ref) => ({ ...ref, result: report.audits[ref.id] }));
    const metrics = refs.filter(({ group }) => group === 'metrics');
    for (const ref of refs.filter(({ result }) => result)) {
      const { overallImpact } = PerformanceCategoryRenderer.prototype.overallImpact(ref, metrics);
      const points = pointsBySavings(report, weighed(performance), { ...ref.result?.metricSavings, SI: 0 });
      expect(points, ref.id).toBeCloseTo(Math.max(0, overallImpact), 6);
    }
  },
);

test.each(reports)('each category of %s is 100 after all its failing audits', (_, { audits, categories }) => {
  for (const [name, { score, auditRefs }] of Object.entries(categories)) {
    if (name === 'performance') continue;
    const only = { categories: { [name]: { auditRefs } }, audits };
    const points = fixesOf(only).reduce((sum, fix) => sum + (fix.points ?? 0), 0);
    expect((score ?? 0) * 100 + points, name).toBeGreaterThan(98.5); // Lighthouse rounds a score, and we the points
    expect((score ?? 0) * 100 + points, name).toBeLessThan(101.5);
  }
});
