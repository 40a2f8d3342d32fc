import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type LighthouseResult, summarize } from '../../functions/auditor/lighthouse/result.ts';
import { metricsView } from '../../shared/metrics/page-metrics-schemas.ts';
import { majorVersions } from '../support/major-versions.ts';
import { anOrder } from '../support/order.ts';
import { readReport } from '../support/recorded-reports.ts';

const patches = { benchmarkedAt: '2026-11-25T16:45:12.250Z', withoutMeaningfulPaint: false, uncheckedRules: [] };

test.each(majorVersions)(
  'the metrics of the recorded $version report are its numbers, and none is missing',
  async (row) => {
    const { version, pwa } = row;
    const report = JSON.parse(gunzipSync(readReport(version)).toString()) as LighthouseResult;
    const { metrics } = await summarize(report, anOrder({ auditVersion: version }), patches);
    const score = (id: string) => Math.round((report.categories[id]?.score ?? Number.NaN) * 100);
    const value = (id: string) => report.audits[id]?.numericValue;
    expect(metrics).toEqual({
      performance: score('performance'),
      accessibility: score('accessibility'),
      bestPractices: score('best-practices'),
      seo: score('seo'),
      pwa: pwa ? score('pwa') : null,
      agenticBrowsing: null,
      fcp: value('first-contentful-paint'),
      si: value('speed-index'),
      lcp: value('largest-contentful-paint'),
      tti: value('interactive'),
      tbt: value('total-blocking-time'),
      cls: value('cumulative-layout-shift'),
      ttfb: value('server-response-time'),
      bytes: 1533, // the document and its image, with their headers
      requests: 2,
      mainThreadCpu: null, // a trace has it
    });
    expect(Object.values(metrics).filter((number) => number === null)).toHaveLength(pwa ? 2 : 3);
    const { fcp, si, lcp, tti, tbt } = metricsView(metrics);
    for (const time of [fcp, si, lcp, tti, tbt]) expect(time).toMatch(/^\d+ms$/);
  },
);

test.each(majorVersions)('the recorded $version report names its version and its machine', ({ version }) => {
  const report = JSON.parse(gunzipSync(readReport(version)).toString());
  expect(report).toMatchObject({
    auditVersion: version,
    lighthouseVersion: version,
    gatherMode: 'navigation',
    userAgent: expect.stringContaining('Chrome/'),
    environment: { benchmarkIndex: expect.any(Number), hostUserAgent: expect.any(String) },
  });
});
