import { expect, test } from 'vitest';
import { type AuditVersion, auditVersion } from '../../shared/audit-versions.ts';
import type { Audited } from './page-lab.ts';

/** Audits that can't read this Chromium's traces. None has a weight. */
const erroredIn: Partial<Record<AuditVersion, readonly string[]>> = {
  '11.7.1': [
    ...['largest-contentful-paint-element', 'layout-shift-elements', 'layout-shifts', 'lcp-lazy-loaded'],
    ...['non-composited-animations', 'prioritize-lcp-image'],
  ],
};

type Given = { version: AuditVersion; url: () => string; audited: () => Promise<Audited> };

/** Declares the tests that the audit of every known page passes. */
export const testReport = ({ version, url, audited }: Given): void => {
  test('its metrics are those of its report, and none is missing', async () => {
    const { verdict, metrics, report } = await audited();
    expect(verdict.metrics.lcp).toBe(report.audits['largest-contentful-paint']?.numericValue); // in full precision
    const score = (id: string) => Math.round((report.categories[id]?.score ?? Number.NaN) * 100);
    const time = (id: string) => `${Math.round(report.audits[id]?.numericValue ?? Number.NaN)}ms`;
    expect(metrics).toEqual({
      performance: score('performance'),
      accessibility: score('accessibility'),
      bestPractices: score('best-practices'),
      seo: score('seo'),
      pwa: auditVersion(version).pwa ? score('pwa') : null,
      agenticBrowsing: null,
      fcp: time('first-contentful-paint'),
      si: time('speed-index'),
      lcp: time('largest-contentful-paint'),
      tti: time('interactive'),
      tbt: time('total-blocking-time'),
      cls: report.audits['cumulative-layout-shift']?.numericValue,
      ttfb: time('server-response-time'),
      bytes: report.audits['total-byte-weight']?.numericValue,
      requests: 2, // the page and its icon
      mainThreadCpu: expect.stringMatching(/^[1-9]\d*ms$/),
    });
    expect(Object.values(metrics).filter((value) => value === null)).toHaveLength(auditVersion(version).pwa ? 1 : 2);
    const { fcp, si, lcp, tti, tbt, cls, ttfb, mainThreadCpu: _, ...counts } = metrics;
    for (const value of [fcp, si, lcp, tti, tbt, ttfb]) expect(value).toMatch(/^\d+ms$/);
    for (const value of Object.values(counts)) expect(value ?? 0).toSatisfy(Number.isInteger);
    expect(cls).toBeTypeOf('number');
  });

  test('its report names its version, its machine, its page and its time', async () => {
    const { verdict, report, startedAt } = await audited();
    expect(report).toMatchObject({
      auditVersion: version,
      lighthouseVersion: version,
      gatherMode: 'navigation',
      userAgent: expect.stringContaining('Chrome/'),
      environment: { benchmarkIndex: verdict.environment?.benchmarkIndex, hostUserAgent: expect.any(String) },
      requestedUrl: url(),
    });
    expect(Date.parse(report.fetchTime)).toBeGreaterThanOrEqual(startedAt);
    expect(Date.parse(report.fetchTime)).toBeLessThanOrEqual(Date.now());
    expect(verdict).toMatchObject({
      finalUrl: url(),
      environment: {
        auditVersion: version,
        benchmarkIndex: expect.any(Number),
        benchmarkedAt: expect.stringMatching(/^20.*Z$/),
      },
    });
    const benchmark = report.timing.entries.find(({ name }) => name === 'lh:gather:getBenchmarkIndex');
    expect(benchmark?.duration).toBeLessThan(950); // Lighthouse's own benchmark takes 1,000 ms
  });

  test('no audit ends in an error, except those known to', async () => {
    const { report } = await audited();
    const errored = Object.keys(report.audits).filter((id) => report.audits[id]?.scoreDisplayMode === 'error');
    expect(errored.sort()).toEqual(erroredIn[version] ?? []);
  });
};
