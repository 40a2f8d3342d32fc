import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { auditVersions } from '../../shared/audit-versions.ts';
import {
  existsIn,
  metricNames,
  noMetrics,
  pageMetric,
  pageMetrics,
  spreadOf,
} from '../../shared/metrics/page-metrics.ts';
import {
  Metrics,
  MetricsView,
  metricsView,
  SampleView,
  SpreadView,
  sampleView,
  spreadView,
} from '../../shared/metrics/page-metrics-schemas.ts';
import { categoriesIn } from '../../shared/options/audit-options.ts';

const scores = { performance: 98, accessibility: 100, bestPractices: 96, pwa: null, seo: 91, agenticBrowsing: null };
const load = { bytes: 412_876, requests: 31 };
const stored: Metrics = {
  ...scores,
  ...load,
  fcp: 633.4,
  si: 633.5,
  lcp: 1912.5,
  tti: 2000,
  tbt: 0.2,
  cls: 0.0432,
  ttfb: 184.3,
  mainThreadCpu: 152,
};
const shown = {
  ...scores,
  ...load,
  fcp: '633ms',
  si: '634ms',
  lcp: '1913ms',
  tti: '2000ms',
  tbt: '0ms',
  cls: 0.0432,
  ttfb: '184ms',
  mainThreadCpu: '152ms',
};

test('stored metrics are integer scores, and times and layout shift as numbers', () => {
  expect(Metrics.safeParse(stored).success).toBe(true);
  expect(Metrics.safeParse(noMetrics).success).toBe(true);
  for (const wrong of [
    { performance: 0.98 },
    { fcp: '633ms' },
    { fcp: -1 },
    { cls: '0.043' },
    { seo: undefined },
    { bytes: 1.5 },
    { ttfb: '9ms' },
  ]) {
    expect(Metrics.safeParse({ ...stored, ...wrong }).success, JSON.stringify(wrong)).toBe(false);
  }
});

test('shown metrics are integers, "<integer>ms", and a number; nothing else', () => {
  const known = { performance: 98, accessibility: 100, bestPractices: 96, pwa: null, seo: 91, agenticBrowsing: null };
  const times = {
    fcp: '633ms',
    si: '633ms',
    lcp: '633ms',
    tti: '633ms',
    tbt: '0ms',
    cls: 0.043,
    ttfb: '9ms',
    ...load,
    mainThreadCpu: '9ms',
  };
  expect(MetricsView.safeParse({ ...known, ...times }).success).toBe(true);
  expect(MetricsView.safeParse({ ...known, ...times, performance: 0.98 }).success).toBe(false);
  expect(MetricsView.safeParse({ ...known, ...times, fcp: '633.2ms' }).success).toBe(false);
  expect(MetricsView.safeParse({ ...known, ...times, cls: '0.043' }).success).toBe(false);
  expect(MetricsView.safeParse({ ...known, ...times, seo: undefined }).success).toBe(false);
});

test('a view rounds times to whole milliseconds and keeps the other values', () => {
  expect(metricsView(stored)).toEqual(shown);
  expect(metricsView(noMetrics)).toEqual(noMetrics);
  const busy = { cpuBusy: 0.2, contended: true };
  expect(sampleView({ ...stored, ...busy })).toEqual({ ...shown, ...busy });
});

test('a view has the fields of its schema in their order, and no others', () => {
  const more = { ...stored, cpuBusy: 0.2, contended: true, addedLater: 'x' };
  expect(Object.keys(metricsView(more))).toEqual(Object.keys(MetricsView.shape));
  expect(Object.keys(sampleView(more))).toEqual(Object.keys(SampleView.shape));
  const spread = { ...spreadOf([stored, stored]), addedLater: 'x' } as Parameters<typeof spreadView>[0];
  expect(Object.keys(spreadView(spread))).toEqual(Object.keys(SpreadView.shape));
});

test('a spread has the smallest and largest value of each metric that was measured', () => {
  const samples = [
    { ...stored, fcp: 1000.6, performance: 100 },
    { ...stored, fcp: 999.4, performance: 9 },
    { ...stored, fcp: null },
  ];
  const spread = spreadOf(samples);
  expect(spread).toMatchObject({
    fcp: { min: 999.4, max: 1000.6 },
    performance: { min: 9, max: 100 },
    cls: { min: 0.0432, max: 0.0432 },
    pwa: null,
  });
  expect(spread && spreadView(spread)).toMatchObject({
    fcp: { min: '999ms', max: '1001ms' },
    performance: { min: 9, max: 100 },
    cls: { min: 0.0432, max: 0.0432 },
    pwa: null,
  });
});

test('fewer than two samples have no spread', () => {
  expect(spreadOf([])).toBeNull();
  expect(spreadOf([stored])).toBeNull();
});

test('the table of metrics needs no zod, so that the page and the command load none', async () => {
  const options = { bundle: true, write: false, metafile: true, format: 'esm' } as const;
  const { metafile } = await build({ ...options, entryPoints: ['shared/metrics/page-metrics.ts'] });
  expect(Object.keys(metafile.inputs).sort()).toEqual(['shared/metrics/page-metrics.ts', 'shared/record.ts']);
});

test('each metric has a place of its own in tables, and the versions of its category', () => {
  const rows = Object.values(pageMetrics);
  expect(rows.map(({ place }) => place).sort((a, b) => a - b)).toEqual(rows.map((_, i) => i + 1));
  for (const { version } of auditVersions) {
    const present = metricNames
      .filter((name) => existsIn(name, version))
      .flatMap((name) => pageMetric(name).category ?? []);
    expect(new Set(present), version).toEqual(new Set(categoriesIn(version)));
  }
});
