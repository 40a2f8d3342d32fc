import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type LighthouseResult, summarize } from '../../functions/auditor/lighthouse/result.ts';
import { type AuditVersion, auditVersions } from '../../shared/audit-versions.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { presets } from '../../shared/options/throttling.ts';
import { anOrder } from '../support/order.ts';

const audits = {
  'first-contentful-paint': { scoreDisplayMode: 'numeric', numericValue: 633.4 },
  'speed-index': { scoreDisplayMode: 'numeric', numericValue: 700 },
  'largest-contentful-paint': { scoreDisplayMode: 'numeric', numericValue: 801.5 },
  interactive: { scoreDisplayMode: 'numeric', numericValue: 900 },
  'total-blocking-time': { scoreDisplayMode: 'numeric', numericValue: 0 },
  'cumulative-layout-shift': { scoreDisplayMode: 'numeric', numericValue: 0.25 },
  charset: { scoreDisplayMode: 'binary' },
  'server-response-time': { scoreDisplayMode: 'binary', numericValue: 12.25 },
  'total-byte-weight': { scoreDisplayMode: 'numeric', numericValue: 4321 },
  'network-requests': {
    scoreDisplayMode: 'informative',
    details: {
      items: [
        { url: 'https://example.com/', statusCode: 200 },
        { url: 'http://example.com/a.js', statusCode: 404 },
        { url: 'https://ads.example.com/blocked.js', statusCode: -1 },
        { url: 'data:image/png;base64,iVBO', statusCode: 200 },
        { url: 'blob:https://example.com/1', statusCode: 200 },
      ],
    },
  },
};
const throttling = { ...presets.mobile, requestLatencyMs: 562.5 };
const aResult = (version: AuditVersion, changes: Partial<LighthouseResult> = {}): LighthouseResult => ({
  lighthouseVersion: version,
  finalDisplayedUrl: 'https://example.com/end',
  runWarnings: [],
  environment: { benchmarkIndex: 1500 },
  configSettings: { throttlingMethod: 'simulate', throttling },
  fullPageScreenshot: {},
  categories: {
    performance: { score: 0.985 },
    accessibility: { score: 1 },
    'best-practices': { score: 0.5 },
    seo: { score: null },
    pwa: { score: 0.3 },
  },
  audits,
  ...changes,
});
const benchmarkedAt = '2026-11-25T16:45:12.250Z';
const patches = { benchmarkedAt, withoutMeaningfulPaint: false, uncheckedRules: [] };
const summaryOf = (changes: Partial<LighthouseResult> = {}, version: AuditVersion = '13.5.0') =>
  summarize(aResult(version, changes), anOrder({ auditVersion: version }), patches);

test.each(auditVersions)('a summary of $version has scores from 0 to 100 and unrounded times', async (row) => {
  const { metrics } = await summaryOf({}, row.version);
  expect(metrics).toEqual({
    ...{
      performance: 99,
      accessibility: 100,
      bestPractices: 50,
      seo: null,
      pwa: row.pwa ? 30 : null,
      agenticBrowsing: null,
      mainThreadCpu: null, // of the trace
    },
    fcp: 633.4,
    si: 700,
    lcp: 801.5,
    tti: 900,
    tbt: 0,
    cls: 0.25,
    ttfb: 12.25,
    bytes: 4321,
    requests: 2,
  });
});

test('the score for agents is shown if it was requested, and its layout shift is no metric of the performance', async () => {
  const { metrics } = await summaryOf({ categories: { 'agentic-browsing': { score: 0.67 } } });
  expect(metrics).toMatchObject({ ...noMetrics, agenticBrowsing: 67, ttfb: 12.25, bytes: 4321, requests: 2 });
});

test('the metrics of the network are null if Lighthouse did not audit them', async () => {
  const seo = await summaryOf({ categories: { seo: { score: 1 } }, audits: {} });
  expect(seo.metrics).toEqual({ ...noMetrics, seo: 100 });
  const failed = { scoreDisplayMode: 'error', errorMessage: 'no timing found for main resource' };
  const summary = await summaryOf({
    audits: { ...audits, 'server-response-time': failed, 'network-requests': failed, 'total-byte-weight': failed },
  });
  expect(summary.metrics).toMatchObject({ performance: 99, ttfb: null, bytes: null, requests: null });
});

test('a number that Lighthouse could not compute is null', async () => {
  const interactive = { scoreDisplayMode: 'error', numericValue: Number.NaN, errorMessage: 'NO_TTI' };
  const summary = await summaryOf({ audits: { ...audits, interactive, 'speed-index': undefined } });
  expect(summary.metrics).toMatchObject({ tti: null, si: null, lcp: 801.5 });
  expect(summary.erroredAudits).toEqual([{ id: 'interactive', message: 'NO_TTI' }]);
});

test.each(auditVersions)('version $version has the throttling presets that comparisons assume', async (row) => {
  const { default: constants, throttling } = await import(`${row.package}/${row.core}/config/constants.js`);
  const { mobileSlow4G, desktopDense4G } = throttling ?? constants.throttling;
  expect(mobileSlow4G).toMatchObject(presets.mobile);
  expect(desktopDense4G).toMatchObject(presets.desktop);
});

test('a summary has the values of a simulation, and none if Lighthouse simulated nothing', async () => {
  expect(await summaryOf()).toMatchObject({ throttling: 'simulate', throttlingValues: presets.mobile });
  const unthrottled = await summaryOf({ configSettings: { throttlingMethod: 'provided', throttling } });
  expect(unthrottled).toMatchObject({ throttling: 'provided', throttlingValues: null });
});

test('a result of another release is an error', async () => {
  await expect(summaryOf({ lighthouseVersion: '13.4.0' })).rejects.toThrow('13.4.0');
});

test('the report is the gzipped result with its audit version', async () => {
  const { report, reportBytes } = await summaryOf();
  const json = gunzipSync(report);
  expect(JSON.parse(json.toString())).toEqual({ ...aResult('13.5.0'), auditVersion: '13.5.0' });
  expect(json).toHaveLength(reportBytes);
});

test('version 9 reports its final URL under another name', async () => {
  const { finalDisplayedUrl: _, ...result } = aResult('9.6.8');
  const summary = await summarize(
    { ...result, finalUrl: 'https://example.com/9' },
    anOrder({ auditVersion: '9.6.8' }),
    patches,
  );
  expect(summary.finalUrl).toBe('https://example.com/9');
});

test('a runtime error without an error is none', async () => {
  expect((await summaryOf({ runtimeError: { code: 'NO_ERROR', message: '' } })).runtimeError).toBeNull();
  const runtimeError = { code: 'NO_FCP', message: 'x' };
  expect((await summaryOf({ runtimeError })).runtimeError).toEqual(runtimeError);
});

test('texts of a page are cut, in number and in length', async () => {
  const many = Array.from({ length: 60 }, () => 'x'.repeat(6000));
  const errored = many.map((errorMessage, i) => [`audit-${i}`, { scoreDisplayMode: 'error', errorMessage }]);
  const { warnings, erroredAudits } = await summaryOf({ runWarnings: many, audits: Object.fromEntries(errored) });
  expect(warnings).toEqual(Array(50).fill(`${'x'.repeat(4999)}…`));
  expect(erroredAudits).toHaveLength(50);
  expect(erroredAudits[0]?.message).toHaveLength(1000);
});

test('a missing full-page screenshot is reported where an audit should have one', async () => {
  const missing = async (version: AuditVersion, changes: Parameters<typeof anOrder>[0] = {}) => {
    const result = aResult(version, { fullPageScreenshot: undefined });
    return (await summarize(result, anOrder({ auditVersion: version, ...changes }), patches)).screenshotMissing;
  };
  expect(await missing('13.5.0')).toBe(true);
  expect(await missing('13.5.0', { skipOptionalParts: true })).toBe(false);
  expect(await missing('13.5.0', { categories: ['seo'] })).toBe(false);
  expect(await missing('9.6.8')).toBe(false);
  expect((await summaryOf()).screenshotMissing).toBe(false);
});

test('a left out charset audit and an added meaningful paint count for their own category only', async () => {
  const notes = { benchmarkedAt, withoutMeaningfulPaint: true, uncheckedRules: ['label'] };
  const { charset: _, ...others } = audits;
  const all = await summarize(aResult('11.7.1', { audits: others }), anOrder({ auditVersion: '11.7.1' }), notes);
  expect(all).toMatchObject({ withoutCharset: true, withoutMeaningfulPaint: true, uncheckedRules: ['label'] });
  const seo = aResult('11.7.1', { audits: {}, categories: { seo: { score: 1 } } });
  expect(await summarize(seo, anOrder({ auditVersion: '11.7.1' }), notes)).toMatchObject({
    withoutCharset: false,
    withoutMeaningfulPaint: false,
  });
});

test('a warning says how long the page waited for a CPU if this matters and was removed', async () => {
  const warnings = async (matters: boolean, isCorrected: boolean) => {
    const mainThread = { ranMs: 100, waitedMs: 60.4, isUnexplained: false, matters, isCorrected };
    return (await summarize(aResult('13.5.0'), anOrder(), { ...patches, mainThread })).warnings;
  };
  expect(await warnings(true, true)).toEqual([
    'Other programs used the CPU. The times are without their part: the page waited 60 ms for a CPU.',
  ]);
  expect([await warnings(false, true), await warnings(true, false)]).toEqual([[], []]);
});
