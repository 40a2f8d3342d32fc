import { describe, expect, test } from 'vitest';
import { compare, compareWithItself } from '../bench/comparison.ts';
import type { Sample } from '../bench/fidelity.ts';
import { metricIds, type Reading, type Report, readingOf } from '../bench/reading.ts';

const aReading: Reading = {
  scores: { performance: 90, accessibility: 100, 'best-practices': 96, seo: 92 },
  metrics: { fcp: 1000, si: 1200, lcp: 1500, tti: 2000, tbt: 4, cls: 0 },
  failing: ['meta-description'],
};

const samples = (arm: string, ...results: (Partial<Reading> | { failure: string })[]): Sample[] =>
  results.map((result, round) => ({
    ...{ page: 'static', version: '13.5.0', round, arm },
    ...('failure' in result ? result : { reading: { ...aReading, ...result }, seconds: 6 }),
  }));

const comparison = (ours: Sample[], theirs: Sample[]) => {
  const [one] = compare([...ours, ...theirs], { ours: 'service', theirs: 'commandLine' });
  if (!one) throw new Error('nothing was compared');
  return one;
};

describe('a page in one version by two arms', () => {
  test('meets every target where both found the same', () => {
    const { met } = comparison(samples('service', {}, {}), samples('commandLine', {}, {}));
    expect(met).toEqual({ scores: true, failing: true, performance: true, metrics: true, deviation: true });
  });

  test('is judged by what most rounds found, and tells of the others', () => {
    const { met, failing } = comparison(
      samples('service', {}, {}, { failing: ['meta-description', 'bf-cache'] }),
      samples('commandLine', {}, {}, {}),
    );
    expect(met.failing).toBe(true);
    expect(failing).toEqual([{ id: 'bf-cache', ours: 1, theirs: 0 }]);
  });

  test('misses a target where its scores, audits, performance or a metric differ', () => {
    const other = {
      scores: { ...aReading.scores, performance: 92, seo: 91 },
      metrics: { ...aReading.metrics, lcp: 1546 },
      failing: [],
    };
    const { met } = comparison(samples('service', other), samples('commandLine', {}));
    expect(met).toEqual({ scores: false, failing: false, performance: false, metrics: false, deviation: null });
  });

  test('may be ten milliseconds apart where there are next to none', () => {
    const blocked = (tbt: number) => ({ metrics: { ...aReading.metrics, tbt } });
    expect(comparison(samples('service', blocked(14)), samples('commandLine', {})).met.metrics).toBe(true);
    expect(comparison(samples('service', blocked(15)), samples('commandLine', {})).met.metrics).toBe(false);
  });

  test('meets no target where one arm has no result', () => {
    const { met, failures } = comparison(samples('service', { failure: 'gone' }), samples('commandLine', {}));
    expect(Object.values(met).filter(Boolean)).toEqual([]);
    expect(failures).toEqual({ ours: ['gone'], theirs: [] });
  });
});

test('the command line is compared with itself, every other round with those between', () => {
  const lcp = (ms: number) => ({ metrics: { ...aReading.metrics, lcp: ms } });
  const rounds = [lcp(1500), lcp(1600), lcp(1500), lcp(1600)];
  const all = [...samples('service', {}, {}, {}, {}), ...samples('commandLine', ...rounds)];
  const [itself, ...others] = compareWithItself(all, 'commandLine');
  expect(others).toEqual([]);
  expect(itself?.audits).toEqual({ ours: 2, theirs: 2 });
  expect(itself?.metrics.lcp).toEqual({ ours: 1500, theirs: 1600, shift: -100, percent: -6.25 });
  expect(itself?.met.metrics).toBe(false);
  expect(compareWithItself(samples('commandLine', {}, {}, {}), 'commandLine')).toEqual([]); // a half of one round says nothing
});

test('an audit that judges a time is none of the failing ones, unless it broke', () => {
  const timed = Object.fromEntries(
    Object.values(metricIds).map((id) => [id, { score: 0.5, scoreDisplayMode: 'numeric', numericValue: 1 }]),
  );
  const report: Report = {
    timing: { total: 1 },
    categories: {
      performance: { score: 0.5, auditRefs: ['cache', 'unsized', 'torn', ...Object.keys(timed)].map((id) => ({ id })) },
      seo: { score: 1, auditRefs: [{ id: 'font-size' }, { id: 'title' }, { id: 'manual' }] },
    },
    audits: {
      ...timed,
      cache: { score: 0.5, scoreDisplayMode: 'metricSavings' },
      unsized: { score: 0, scoreDisplayMode: 'binary' },
      torn: { score: null, scoreDisplayMode: 'error' },
      'font-size': { score: 0.4, scoreDisplayMode: 'numeric' },
      title: { score: 1, scoreDisplayMode: 'binary' },
      manual: { score: null, scoreDisplayMode: 'manual' },
    },
  };
  expect(readingOf(report).failing).toEqual(['unsized', 'torn (broken)', 'font-size']);
});
