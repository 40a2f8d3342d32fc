import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  CheckComparison,
  compareChecks,
  compareRegions,
  RegionComparison,
} from '../../shared/comparison/comparison.ts';
import { differ } from '../../shared/comparison/sample-difference.ts';
import { noMetrics, spreadOf } from '../../shared/page-metrics.ts';
import type { Metrics, Sample } from '../../shared/page-metrics-schemas.ts';
import type { Region } from '../../shared/regions.ts';
import { type Environment, newRun, type Run } from '../../shared/run.ts';
import { presets } from '../../shared/throttling.ts';
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
const checksOf = (base: Run[], runs: Run[]) => {
  const comparison = compareChecks({ id: otherId, runs: base }, { id, runs });
  if (!comparison) throw new Error('the checks can not be compared');
  return CheckComparison.parse(comparison);
};

test('two regions whose spreads lie far apart are different', () => {
  const comparison = regionsOf(runOf('us-west1', lcps(633, 640, 629)), runOf('europe-north1', lcps(912, 905, 918)));
  expect(comparison).toMatchObject({ checkId: id, baseCheckId: null, comparable: true, reasons: [] });
  expect(comparison.regions).toEqual(['us-west1', 'europe-north1']);
  expect(comparison.metrics.lcp).toEqual({
    values: { 'us-west1': '633ms', 'europe-north1': '912ms' },
    best: 'us-west1',
    worst: 'europe-north1',
    difference: '279ms',
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
  expect([performance.best, lcp.best, performance.difference]).toEqual(['us-west1', 'us-west1', 25]);
  const worse = checksOf([runOf('us-west1', [fast, fast, fast])], [runOf('us-west1', [slow, slow, slow])]).metrics;
  expect([worse.performance.verdict, worse.lcp.verdict]).toEqual(['regressed', 'regressed']);
  const better = checksOf([runOf('us-west1', [slow, slow, slow])], [runOf('us-west1', [fast, fast, fast])]).metrics;
  expect(better.lcp).toEqual({
    regions: { 'us-west1': { base: '4000ms', value: '1000ms', difference: '-3000ms', verdict: 'improved' } },
    verdict: 'improved',
  });
});

test('spreads that overlap are the same, and equal values have no best', () => {
  const { lcp, fcp, pwa } = regionsOf(
    runOf(
      'us-west1',
      lcps(600, 700, 650).map((each) => ({ ...each, fcp: 100 })),
    ),
    runOf(
      'us-east4',
      lcps(690, 800, 750).map((each) => ({ ...each, fcp: 100 })),
    ),
  ).metrics;
  expect(lcp).toMatchObject({ best: 'us-west1', worst: 'us-east4', difference: '90ms', verdict: 'same' });
  expect(fcp).toMatchObject({ best: null, worst: null, difference: '0ms', verdict: 'same' });
  expect(pwa).toMatchObject({ values: { 'us-west1': null, 'us-east4': null }, difference: null, verdict: 'unknown' });
});

test.each([
  ['fewer than three samples', runOf('us-east4', lcps(900, 900)), 'fewer-samples'],
  ['a contended sample', runOf('us-east4', lcps(900, 900, 900), { contended: true }), 'contended'],
  ['a faster machine', runOf('us-east4', lcps(900, 900, 900), { benchmarkIndex: 3500 }), 'different-machine'],
  ['other throttling', runOf('us-east4', lcps(900, 900, 900), { throttling: 'provided' }), 'different-throttling'],
  [
    'blocked requests',
    runOf('us-east4', lcps(900, 900, 900), { blockedUrlPatterns: ['*/ads/*'] }),
    'different-blocked-urls',
  ],
  [
    'another throttled network',
    runOf('us-east4', lcps(900, 900, 900), { throttlingValues: { ...presets.mobile, rttMs: 40 } }),
    'different-throttling',
  ],
  [
    'another device',
    { ...runOf('us-east4', lcps(900, 900, 900), { throttlingValues: presets.desktop }), device: 'desktop' as const },
    'different-device',
  ],
  [
    'another version',
    { ...runOf('us-east4', lcps(900, 900, 900)), auditVersion: '12.8.2' as const },
    'different-version',
  ],
])('%s makes the verdict unknown, and the reasons say so', (_, run, code) => {
  const base = [runOf('us-east4', lcps(600, 600, 600))];
  const comparison = checksOf(base, [run]);
  expect(comparison).toMatchObject({ comparable: false, reasons: [{ code, region: 'us-east4' }] });
  expect(comparison.metrics.lcp.verdict).toBe('unknown');
  expect(comparison.metrics.lcp.regions['us-east4']).toMatchObject({ base: '600ms', value: '900ms' });
});

test('the order of blocked patterns makes no difference', () => {
  const blocking = (...blockedUrlPatterns: string[]) => runOf('us-east4', lcps(600, 600, 600), { blockedUrlPatterns });
  expect(checksOf([blocking('*/a', '*/b')], [blocking('*/b', '*/a', '*/a')]).comparable).toBe(true);
});

test('a run from before the values of throttling were stored has those of its preset', () => {
  const older = runOf('us-east4', lcps(600, 600, 600), { throttlingValues: null });
  expect(checksOf([older], [runOf('us-east4', lcps(900, 900, 900))]).comparable).toBe(true);
  const custom = runOf('us-east4', lcps(900, 900, 900), { throttlingValues: presets.desktop });
  expect(checksOf([older], [custom]).reasons).toEqual([{ code: 'different-throttling', region: 'us-east4' }]);
  expect(checksOf([custom], [custom]).comparable).toBe(true);
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
  expect(compareChecks({ id: otherId, runs: [failed] }, { id, runs: [good('us-east4')] })).toBeUndefined();
});

test('three samples that lie apart by less than their spread are not enough for a verdict', () => {
  expect(differ('lcp', [600, 650, 700], [720, 750, 800])).toBe('unknown');
  expect(differ('lcp', [600, 650, 700], [820, 850, 900])).toBe('higher');
  expect(differ('lcp', [600, 620, 650, 680, 700], [740, 750, 800, 790, 760])).toBe('higher');
  expect(differ('lcp', [820, 850, 900], [600, 650, 700])).toBe('lower');
  expect(differ('lcp', [600, 650], [6000, 6500])).toBe('unknown');
});

test('a difference that nobody would notice is none, however steady the samples are', () => {
  expect(differ('lcp', [600, 600, 600], [660, 660, 660])).toBe('same');
  expect(differ('lcp', [6000, 6000, 6000], [6290, 6290, 6290])).toBe('same');
  expect(differ('performance', [98, 98, 98], [99, 99, 99])).toBe('same');
  expect(differ('seo', [99, 99, 99], [98, 98, 98])).toBe('lower');
  expect(differ('cls', [0.1, 0.1, 0.1], [0.103, 0.103, 0.103])).toBe('same');
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

test('a page whose script works a quarter longer has regressed in each comparison', () => {
  const before = checksFrom(recorded.unchanged);
  const verdicts = before.flatMap((base) =>
    checksFrom(recorded.slower).map((check) => {
      const { tbt, lcp, accessibility } = checksOf(base, check).metrics;
      return [tbt.verdict, lcp.verdict === 'regressed', accessibility.verdict];
    }),
  );
  expect(verdicts).toEqual(verdicts.map(() => ['regressed', false, 'same']));
});

test('samples of one distribution differ in at most one of fifty comparisons', () => {
  const random = randomOf(20_311_101);
  const draw = (count: number) =>
    Array.from(
      { length: count },
      () => 1000 * Math.exp(0.2 * Math.sqrt(-2 * Math.log(random())) * Math.cos(6.2832 * random())),
    );
  for (const count of [3, 4, 5]) {
    const verdicts = Array.from({ length: 4000 }, () => differ('lcp', draw(count), draw(count)));
    const wrong = verdicts.filter((verdict) => verdict === 'higher' || verdict === 'lower').length;
    expect(wrong / verdicts.length, `${count} samples`).toBeLessThan(0.02);
  }
});

/** Returns a seeded source of numbers between 0 and 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 1) / 4294967297;
  };
}
