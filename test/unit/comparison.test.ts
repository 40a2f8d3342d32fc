import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { measuredOn } from '../../shared/comparison/comparable.ts';
import { compareChecks } from '../../shared/comparison/comparison.ts';
import { compareRegions } from '../../shared/comparison/regions.ts';
import { CheckComparison, RegionComparison } from '../../shared/comparison/schemas.ts';
import type { ComparedCheck } from '../../shared/comparison/sides.ts';
import { differenceCodes, isSpoiledBy } from '../../shared/comparison/spoils.ts';
import type { Environment } from '../../shared/environment.ts';
import { metricNames, noMetrics, spreadOf } from '../../shared/metrics/page-metrics.ts';
import type { Metrics, Sample } from '../../shared/metrics/page-metrics-schemas.ts';
import { simulatedNames } from '../../shared/options/simulated-loads.ts';
import { presets } from '../../shared/options/throttling.ts';
import type { Region } from '../../shared/regions.ts';
import { newRun, type Run } from '../../shared/run.ts';
import { environment } from '../support/environment.ts';

const id = '6b1f8f5e-0d3f-4c5b-9f0e-0f8b6a2d9c11';
const otherId = '7c2f8f5e-0d3f-4c5b-9f0e-0f8b6a2d9c22';

/** Returns a succeeded run with these samples. The first sample is the one that the run shows. */
const runOf = (region: Region, samples: Partial<Metrics>[], change: Partial<Environment> = {}): Run => {
  const all = samples.map((sample) => ({ ...noMetrics, ...sample, cpuBusy: 0, contended: false }));
  return {
    ...newRun({ url: 'https://example.com/', auditVersion: '13.5.0' }, region, id, '2031-01-01T00:00:00.000Z'),
    state: 'succeeded',
    ...noMetrics,
    ...samples[0],
    samples: all,
    spread: spreadOf(all),
    environment: { ...environment, ...change },
  };
};
const lcps = (...values: number[]) => values.map((lcp) => ({ lcp }));
const regionsOf = (...runs: Run[]) => {
  const comparison = compareRegions({ id, runs });
  if (!comparison) throw new Error('the regions can not be compared');
  return RegionComparison.parse(comparison);
};
const url = 'https://example.com/';
const aCheck = (runs: Run[], inputs: Partial<ComparedCheck> = {}): ComparedCheck => ({
  id: otherId,
  url,
  auditVersion: '13.5.0',
  runs,
  ...inputs,
});
const checksOf = (
  base: Run[],
  runs: Run[],
  inputs: Partial<ComparedCheck> = {},
  options: Parameters<typeof compareChecks>[2] = {},
) => {
  const comparison = compareChecks(aCheck(base), aCheck(runs, { id, ...inputs }), options);
  if (!comparison) throw new Error('the checks can not be compared');
  return CheckComparison.parse(comparison);
};

test('two regions that lie far apart are different, by an estimate with its interval', () => {
  const comparison = regionsOf(runOf('us-west1', lcps(633, 640, 629)), runOf('europe-north1', lcps(912, 905, 918)));
  expect(comparison).toMatchObject({ checkId: id, baseCheckId: null, comparable: true, reasons: [], differences: [] });
  expect(comparison.regions).toEqual(['us-west1', 'europe-north1']);
  expect(comparison.metrics.lcp).toEqual({
    values: { 'us-west1': '633ms', 'europe-north1': '912ms' },
    best: 'us-west1',
    worst: 'europe-north1',
    change: { estimate: '278ms', low: '232ms', high: '324ms', confidence: 0.99, by: 'checks' },
    noise: { within: '6ms', between: '8ms', from: 'prior', checks: 2 },
    suspected: false,
    needs: null,
    verdict: 'different',
  });
});

test('a higher score is better, a higher time is worse', () => {
  const slow = { performance: 70, lcp: 4000 };
  const fast = { performance: 95, lcp: 1000 };
  const { performance, lcp } = regionsOf(
    runOf('us-east4', [slow, slow, slow]),
    runOf('us-west1', [fast, fast, fast]),
  ).metrics;
  expect([performance.best, lcp.best, performance.change?.estimate]).toEqual(['us-west1', 'us-west1', -25]);
  const worse = checksOf([runOf('us-west1', [fast, fast, fast])], [runOf('us-west1', [slow, slow, slow])]).metrics;
  expect([worse.performance.verdict, worse.lcp.verdict]).toEqual(['regressed', 'regressed']);
  const better = checksOf([runOf('us-west1', [slow, slow, slow])], [runOf('us-west1', [fast, fast, fast])]).metrics;
  const compared = {
    base: '4000ms',
    value: '1000ms',
    change: { estimate: '-3000ms' },
    needs: null,
    verdict: 'improved',
  };
  expect(better.lcp).toMatchObject({ regions: { 'us-west1': compared }, verdict: 'improved' });
});

test('equal values have no best, and a metric that no run has has no change', () => {
  const { fcp, pwa } = regionsOf(
    runOf('us-west1', [{ fcp: 100 }, { fcp: 100 }, { fcp: 100 }]),
    runOf('us-east4', [{ fcp: 100 }, { fcp: 100 }, { fcp: 100 }]),
  ).metrics;
  expect(fcp).toMatchObject({ best: null, worst: null, change: { estimate: '0ms' }, verdict: 'same' });
  const values = { 'us-west1': null, 'us-east4': null };
  expect(pwa).toMatchObject({ values, change: null, noise: null, suspected: false, needs: null, verdict: 'unknown' });
});

test.each([
  ['a contended sample', runOf('us-east4', lcps(900, 900, 900), { contended: true }), 'contended'],
  ['another kind of machine', runOf('us-east4', lcps(900, 900, 900), { host: 'ffffffffffff' }), 'different-machine'],
])('%s makes the verdict unknown, and the reasons say so', (_, run, code) => {
  const comparison = checksOf([runOf('us-east4', lcps(600, 600, 600))], [run]);
  expect(comparison).toMatchObject({ comparable: false, reasons: [{ code, region: 'us-east4' }], differences: [] });
  expect(comparison.metrics.lcp.verdict).toBe('unknown');
  // nothing would help
  expect(comparison.metrics.lcp.regions['us-east4']).toMatchObject({
    base: '600ms',
    value: '900ms',
    needs: null,
  });
});

test('two samples a side are too few, and the answer says how many would tell', () => {
  const comparison = checksOf([runOf('us-east4', lcps(600, 610))], [runOf('us-east4', lcps(900, 900))]);
  expect(comparison).toMatchObject({ comparable: false, reasons: [{ code: 'fewer-samples', region: 'us-east4' }] });
  const needs = { kind: 'samples', count: 5 };
  expect(comparison.metrics.lcp.regions['us-east4']).toMatchObject({ needs, verdict: 'unknown' });
});

const custom = { rttMs: 40, throughputKbps: 1000, cpuSlowdownMultiplier: 2 };
test.each<[string, Partial<ComparedCheck>, object]>([
  ['url', { url: 'https://preview.example.com/' }, { base: url, value: 'https://preview.example.com/' }],
  ['device', { device: 'desktop' }, { base: 'mobile', value: 'desktop' }],
  ['auditVersion', { auditVersion: '12.8.2' }, { base: '13.5.0', value: '12.8.2' }],
  ['throttling', { throttling: custom }, { base: presets.mobile, value: custom }],
  ['throttling', { throttling: 'none' }, { base: presets.mobile, value: 'none' }],
  ['blockedUrlPatterns', { blockedUrlPatterns: ['*/ads/*'] }, { base: [], value: ['*/ads/*'] }],
  ['headers', { headers: ['x-preview'] }, { base: [], value: ['x-preview'] }],
  ['basicAuth', { basicAuth: true }, { base: 'none', value: 'sent' }],
  ['cookies', { cookies: ['session'] }, { base: [], value: ['session'] }],
  [
    'storageState',
    { storageState: { cookies: ['sso'], origins: ['https://a.example'] } },
    { base: [], value: ['sso', 'https://a.example'] },
  ],
])('another %s is a difference without a verdict, unless it was intended', (code, inputs, values) => {
  const base = [runOf('us-east4', lcps(600, 600, 600))];
  const runs = [runOf('us-east4', lcps(900, 900, 900))];
  const comparison = checksOf(base, runs, inputs);
  expect(comparison).toMatchObject({ comparable: false, reasons: [], differences: [{ code, ...values }] });
  expect(comparison.metrics.lcp.regions['us-east4']).toMatchObject({ verdict: 'unknown', needs: null });
  const intended = checksOf(base, runs, inputs, { intended: [code as 'url'] });
  expect(intended).toMatchObject({ comparable: true, differences: [{ code, ...values }] });
  expect(intended.metrics.lcp.verdict).toBe('regressed');
  const other = checksOf(base, runs, { ...inputs, categories: ['performance'] }, { intended: [code as 'url'] });
  expect(other.comparable).toBe(false);
});

test('another throttling changes no score that depends on the page alone, and other categories change no metric', () => {
  const base = [runOf('us-east4', [{ seo: 90, lcp: 600 }, { lcp: 600 }, { lcp: 600 }])];
  const runs = [runOf('us-east4', [{ seo: 100, lcp: 900 }, { lcp: 900 }, { lcp: 900 }])];
  const throttled = checksOf(base, runs, { throttling: 'none' }).metrics;
  expect([throttled.seo.verdict, throttled.lcp.verdict]).toEqual(['improved', 'unknown']);
  const { comparable, metrics } = checksOf(base, runs, { categories: ['performance', 'seo'] });
  expect([comparable, metrics.seo.verdict, metrics.lcp.verdict]).toEqual([false, 'improved', 'regressed']);
});

const others = { performance: 90, accessibility: 100, ttfb: 100, bytes: 1000 };
const worse = { performance: 60, lcp: 900, accessibility: 80, ttfb: 900, bytes: 900_000 };
test.each<[string, Partial<Environment>, object, (keyof Metrics)[]]>([
  [
    'chromium',
    { chromium: 'HeadlessChrome/156.0.8100.3' },
    { base: '153.0.8010.0', value: '156.0.8100.3' },
    ['accessibility', 'ttfb', 'bytes'],
  ],
  ['sandbox', { sandbox: false }, { base: 'on', value: 'off' }, ['accessibility', 'ttfb', 'bytes']],
  ['fonts', { fonts: '00000000' }, { base: '5c1b9a7e', value: '00000000' }, []],
  ['revision', { revision: 2 }, { base: '1', value: '2' }, []],
])('another %s spoils what it changes, never the rest, unless it was intended', (code, change, values, judged) => {
  const before = runOf(
    'us-east4',
    [1, 2, 3].map(() => ({ lcp: 600, ...others })),
  );
  const after = runOf(
    'us-east4',
    [1, 2, 3].map(() => worse),
    change,
  );
  const regressed = (comparison: CheckComparison) =>
    Object.entries(comparison.metrics).flatMap(([name, { verdict }]) => (verdict === 'regressed' ? [name] : []));
  const comparison = checksOf([before], [after]);
  expect(comparison).toMatchObject({ comparable: false, reasons: [], differences: [{ code, ...values }] });
  expect(regressed(comparison)).toEqual(judged);
  expect(regressed(checksOf([before], [after], {}, { intended: [code as 'chromium'] }))).toEqual([
    'performance',
    'accessibility',
    'lcp',
    'ttfb',
    'bytes',
  ]);
  expect(checksOf([before], [before], {}, { pool: [aCheck([after])] }).pooledCheckIds).toEqual([]);
});

test('the API documentation names each difference, and the metrics that it spoils', () => {
  const table = readFileSync('shared/API.md', 'utf8').split('| difference | ')[1]?.split('\n\n')[0] ?? '';
  const texts = {
    all: metricNames,
    'the performance score and the times, but not `ttfb`': [...simulatedNames, 'mainThreadCpu'],
    'the performance score and the times, but neither `ttfb` nor `mainThreadCpu`': simulatedNames,
    'those that only one check has': [],
  };
  const rows = table.split('\n').map((row) => row.slice(2, -2).split(' | '));
  for (const code of differenceCodes) {
    const [, text = ''] = rows.find(([codes]) => codes?.includes(`\`${code}\``)) ?? [];
    const spoiled = metricNames.filter((name) => isSpoiledBy(name, code));
    expect([code, texts[text as keyof typeof texts]]).toEqual([code, spoiled]);
  }
});

test('a difference of one region spoils no other region, and is listed once for all that have it', () => {
  const regions = ['us-west1', 'us-east4', 'europe-north1'] as const;
  const newer = { chromium: 'HeadlessChrome/156.0.8100.3' };
  const base = regions.map((region) => runOf(region, lcps(600, 600, 600)));
  const runs = regions.map((region, i) => runOf(region, lcps(900, 900, 900), i === 0 ? {} : newer));
  const { metrics, differences } = checksOf(base, runs);
  expect(differences.map(({ code }) => code)).toEqual(['chromium']);
  expect(regions.map((region) => metrics.lcp.regions[region]?.verdict)).toEqual(['regressed', 'unknown', 'unknown']);
});

test('machines of one kind have equal benchmarks or not, and their regions are compared', () => {
  const fast = runOf('us-west1', lcps(600, 600, 600), { benchmarkIndex: 278 });
  const slow = runOf('us-east4', lcps(900, 900, 900), { benchmarkIndex: 2809 });
  expect(regionsOf(fast, slow)).toMatchObject({
    comparable: true,
    reasons: [],
    metrics: { lcp: { verdict: 'different' } },
  });
  const elsewhere = runOf('us-east4', lcps(900, 900, 900), { host: null });
  const reasons = [{ code: 'different-machine', region: 'us-east4' }];
  expect(regionsOf(fast, elsewhere)).toMatchObject({ reasons, metrics: { lcp: { verdict: 'unknown' } } });
  const newer = runOf('us-east4', lcps(900, 900, 900), { chromium: 'HeadlessChrome/156.0.8100.3' });
  const differences = [{ code: 'chromium', base: '153.0.8010.0', value: '156.0.8100.3' }];
  expect(regionsOf(fast, newer)).toMatchObject({
    comparable: false,
    differences,
    metrics: { lcp: { verdict: 'unknown' } },
  });
});

test('the order and the spelling of inputs, and the values of a preset, make no difference', () => {
  const runs = [runOf('us-east4', lcps(600, 600, 600))];
  const base = aCheck(runs, { blockedUrlPatterns: ['*/a', '*/b'] });
  const check = aCheck(runs, {
    url: 'HTTPS://EXAMPLE.com',
    device: 'mobile',
    throttling: presets.mobile,
    blockedUrlPatterns: ['*/b', '*/a', '*/a'],
    categories: ['seo', 'performance', 'best-practices', 'accessibility'],
  });
  expect(compareChecks(base, check)).toMatchObject({ comparable: true, differences: [] });
});

test('the PWA category of an older version is no difference besides the version', () => {
  const runs = [runOf('us-east4', lcps(600, 600, 600))];
  expect(checksOf(runs, runs, { auditVersion: '11.7.1' }).differences.map(({ code }) => code)).toEqual([
    'auditVersion',
  ]);
});

test('a pool adds the samples of comparable runs to the base, and names their checks', () => {
  const base = [runOf('us-east4', lcps(600, 640, 620))];
  const runs = [runOf('us-east4', lcps(900, 910, 920))];
  const poolId = '8c2f8f5e-0d3f-4c5b-9f0e-0f8b6a2d9c33';
  const pooled = aCheck([runOf('us-east4', lcps(605, 615, 645)), runOf('us-west1', lcps(1, 1, 1))], { id: poolId });
  const others = [
    aCheck([runOf('us-east4', lcps(1, 1, 1), { contended: true })]),
    aCheck([runOf('us-east4', lcps(1, 1, 1), { host: 'ffffffffffff' })]),
    aCheck([runOf('us-east4', lcps(1, 1, 1))], { throttling: 'none' }),
    aCheck([runOf('us-west1', lcps(1, 1, 1))]),
  ];
  const comparison = checksOf(base, runs, {}, { pool: [...others, pooled] });
  expect(comparison.pooledCheckIds).toEqual([poolId]);
  expect(comparison.metrics.lcp.regions['us-east4']).toMatchObject({
    base: '618ms', // the median of all six
    change: { estimate: '290ms', by: 'checks' },
    noise: { checks: 3 },
    verdict: 'regressed',
  });
});

test('only comparable earlier checks of the page count as its history', () => {
  const [base, runs] = [[runOf('us-east4', lcps(600, 640, 620))], [runOf('us-east4', lcps(900, 910, 920))]];
  const audited = { url, device: 'mobile', auditVersion: '13.5.0' };
  const point = (lcp: number, i: number, more: object) => ({
    ...{
      ...audited,
      ...measuredOn(environment),
      checkId: `${i}`,
      createdAt: '',
      locations: { lcp: [lcp, 1] as const },
    },
    ...more,
  });
  const checksShown = (more: object) => {
    const history = { 'us-east4': [600, 700, 500, 600].map((lcp, i) => point(lcp, i, more)) };
    return checksOf(base, runs, {}, { history }).metrics.lcp.regions['us-east4']?.noise?.checks;
  };
  expect(checksShown({})).toBe(6);
  const others = [
    { url: `${url}other` },
    { contended: true },
    { throttling: 'none' },
    { host: 'other' },
    { locations: {} },
  ];
  expect(others.map(checksShown)).toEqual(others.map(() => 2));
  expect(checksShown({ checkId: otherId })).toBe(2); // it is the base
});

test('one sample a side is judged where eight earlier checks of the page show how much it moves', () => {
  const point = (lcp: number, i: number) => ({
    url,
    device: 'mobile' as const,
    auditVersion: '13.5.0' as const,
    ...measuredOn(environment),
    checkId: `${i}`,
    createdAt: '',
    locations: { lcp: [lcp, 0] as const },
  });
  const judged = (count: number, value: number) => {
    const history = { 'us-east4': Array.from({ length: count }, (_, i) => point(600 + (i % 3) * 10, i)) };
    const runs = [runOf('us-east4', lcps(value))];
    const { metrics, reasons } = checksOf([runOf('us-east4', lcps(600))], runs, {}, { history });
    return [metrics.lcp.verdict, reasons.length];
  };
  expect(judged(8, 2000)).toEqual(['regressed', 0]);
  expect(judged(8, 610)).toEqual(['same', 0]);
  expect(judged(7, 2000)).toEqual(['unknown', 1]);
});

test('a busy machine does not hide a change of a score that does not depend on time', () => {
  const before = runOf(
    'us-west1',
    [1, 2, 3].map(() => ({ accessibility: 100, lcp: 600 })),
    { contended: true },
  );
  const after = runOf(
    'us-west1',
    [1, 2, 3].map(() => ({ accessibility: 90, lcp: 900 })),
  );
  const { accessibility, lcp } = checksOf([before], [after]).metrics;
  expect([accessibility.verdict, lcp.verdict]).toEqual(['regressed', 'unknown']);
});

test('one sample a side is enough for a score that does not depend on time', () => {
  const once = (accessibility: number | null, ...more: number[]) => [
    runOf('us-west1', [{ accessibility, lcp: 600 }, ...more.map((each) => ({ accessibility: each }))]),
  ];
  const verdict = (before: Run[], after: Run[]) => checksOf(before, after).metrics.accessibility.verdict;
  const comparison = checksOf(once(100), once(53));
  expect(comparison.metrics.accessibility.verdict).toBe('regressed');
  expect(comparison.metrics.lcp.verdict).toBe('unknown');
  expect(comparison.reasons).toEqual([{ code: 'fewer-samples', region: 'us-west1' }]);
  expect(verdict(once(53), once(100))).toBe('improved');
  expect(verdict(once(53), once(53, 53))).toBe('same');
  expect(verdict(once(100), once(53, 54))).toBe('unknown'); // the samples of a side disagree
  expect(verdict(once(100), once(null))).toBe('unknown');
  const [west, east] = [runOf('us-west1', [{ seo: 100 }]), runOf('us-east4', [{ seo: 90 }])];
  expect(regionsOf(west, east).metrics.seo).toMatchObject({ best: 'us-west1', verdict: 'different' });
});

test('one region that regressed outweighs all others', () => {
  const base = [runOf('us-west1', lcps(600, 600, 600)), runOf('us-east4', lcps(900, 900, 900))];
  const runs = [runOf('us-west1', lcps(300, 300, 300)), runOf('us-east4', lcps(1900, 1900, 1900))];
  const { lcp } = checksOf(base, runs).metrics;
  expect(lcp.verdict).toBe('regressed');
  expect(lcp.regions['us-west1']?.verdict).toBe('improved');
});

test('a region that failed or that only one check has is in the reasons, not in the metrics', () => {
  const failed = { ...runOf('us-east4', []), state: 'failed' as const };
  const good = (region: Region) => runOf(region, lcps(600, 600, 600));
  expect(regionsOf(good('us-west1'), good('europe-north1'), failed)).toMatchObject({
    regions: ['us-west1', 'europe-north1'],
    comparable: false,
    reasons: [{ code: 'failed', region: 'us-east4' }],
    metrics: { lcp: { values: { 'us-west1': '600ms' }, verdict: 'same' } },
  });
  expect(checksOf([good('us-west1'), failed], [good('us-west1'), good('europe-north1')])).toMatchObject({
    regions: ['us-west1'],
    reasons: [
      { code: 'missing-region', region: 'europe-north1' },
      { code: 'missing-region', region: 'us-east4' },
    ],
  });
  expect(compareRegions({ id, runs: [good('us-west1'), failed] })).toBeUndefined();
  expect(compareChecks(aCheck([failed]), aCheck([good('us-east4')]))).toBeUndefined();
});

const recorded: Record<'unchanged' | 'slower', Sample[]> = JSON.parse(
  readFileSync('test/recorded/samples.json', 'utf8'),
);
const checksFrom = (samples: readonly Sample[]) =>
  Array.from({ length: samples.length / 3 }, (_, i) => [runOf('us-west1', samples.slice(3 * i, 3 * i + 3))]);

test('repeated audits of a page that did not change have no verdict of a change', () => {
  const checks = checksFrom(recorded.unchanged);
  const pairs = checks.flatMap((base, i) => checks.slice(i + 1).map((check) => checksOf(base, check)));
  expect(pairs.length).toBeGreaterThanOrEqual(20);
  const changed = pairs.filter(({ metrics }) =>
    Object.values(metrics).some(({ verdict }) => verdict === 'improved' || verdict === 'regressed'),
  );
  expect(changed.length / pairs.length).toBeLessThanOrEqual(1 / 20);
});

test('a script that works a quarter longer is a suspicion for one check, and proved by several on each side', () => {
  const before = checksFrom(recorded.unchanged).map((runs) => aCheck(runs));
  const after = checksFrom(recorded.slower).map((runs, i) =>
    aCheck(runs, { id: `6b1f8f5e-0d3f-4c5b-9f0e-0f8b6a2d9d0${i}` }),
  );
  for (const check of after) {
    const { tbt, lcp, accessibility } = compareChecks(before[0] as ComparedCheck, check)?.metrics ?? {};
    expect(tbt?.regions['us-west1']).toMatchObject({ verdict: 'unknown', suspected: true, needs: { kind: 'checks' } });
    expect([lcp?.verdict === 'regressed', accessibility?.verdict]).toEqual([false, 'same']);
  }
  const [base, ...pool] = before;
  const [check, ...again] = after;
  const compared = base && check && compareChecks(base, check, { pool, again });
  expect(compared?.metrics.tbt.verdict).toBe('regressed');
  expect(compared?.againCheckIds).toEqual(again.map(({ id: each }) => each));
});

test('a contended sample counts in no time as long as another one does not', () => {
  const run = (samples: number[], contended: number[]) => {
    const all = runOf('us-east4', lcps(...samples, ...contended));
    return { ...all, samples: all.samples.map((each, i) => ({ ...each, contended: i >= samples.length })) };
  };
  const base = [runOf('us-east4', lcps(600, 610, 620))];
  const { lcp } = checksOf(base, [run([600, 610, 620], [9000, 9000])]).metrics;
  expect(lcp.regions['us-east4']).toMatchObject({ change: { estimate: '0ms' }, verdict: 'same' });
  const few = checksOf(base, [run([600, 610], [9000])]).metrics.lcp;
  expect(few.regions['us-east4']).toMatchObject({ needs: { kind: 'samples' }, verdict: 'unknown' });
});

test('the Speed Index of a busy machine moves by itself, and its LCP does not', () => {
  const runs = (si: number, cpuBusy: number) => {
    const run = runOf(
      'us-east4',
      [0, 5, 10, 15, 20].map((more) => ({ si: si + more, lcp: 600 + more })),
    );
    return [{ ...run, samples: run.samples.map((each) => ({ ...each, cpuBusy })) }];
  };
  const verdicts = (cpuBusy: number) => {
    const { si, lcp } = checksOf(runs(1000, 0), runs(2500, cpuBusy)).metrics;
    return [si.verdict, lcp.verdict];
  };
  expect(verdicts(0.1)).toEqual(['regressed', 'same']);
  expect(verdicts(0.9)).toEqual(['unknown', 'same']);
});
