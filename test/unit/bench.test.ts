import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { auditVersions } from '../../shared/audit-versions.ts';
import { compare, compareWithItself } from '../bench/comparison.ts';
import type { Sample } from '../bench/fidelity.ts';
import { optionsFrom } from '../bench/options.ts';
import { metricIds, type Reading, type Report, readingOf } from '../bench/reading.ts';
import { compareRatios, ratioOf } from '../bench/release.ts';
import { replaceSection } from '../bench/results-page.ts';
import { sectionsOf } from '../bench/tables.ts';
import { traceOf } from '../bench/trace.ts';
import type { Round } from '../bench/turnaround.ts';

const aReading: Reading = {
  scores: { performance: 90, accessibility: 100, 'best-practices': 96, seo: 92 },
  metrics: { fcp: 1000, si: 1200, lcp: 1500, tti: 2000, tbt: 4, cls: 0 },
  failing: ['meta-description'],
};

const samples = (arm: string, ...results: (Partial<Reading> | { failure: string })[]): Sample[] =>
  results.map((result, round) => ({
    page: 'static',
    version: '13.5.0',
    round,
    arm,
    ...('failure' in result ? result : { reading: { ...aReading, ...result }, seconds: 6 }),
  }));

const comparison = (ours: Sample[], theirs: Sample[]) => {
  const [one] = compare([...ours, ...theirs], { ours: 'service', theirs: 'commandLine' });
  if (!one) throw new Error('compare() returned no comparison');
  return one;
};

describe('the comparison of two arms on one page', () => {
  test('meets every target if both arms have equal results', () => {
    const { met } = comparison(samples('service', {}, {}), samples('commandLine', {}, {}));
    expect(met).toEqual({ scores: true, failing: true, performance: true, metrics: true, deviation: true });
  });

  test('goes by the result of most rounds, and lists the audits that differ', () => {
    const { met, failing } = comparison(
      samples('service', {}, {}, { failing: ['meta-description', 'bf-cache'] }),
      samples('commandLine', {}, {}, {}),
    );
    expect(met.failing).toBe(true);
    expect(failing).toEqual([{ id: 'bf-cache', ours: 1, theirs: 0 }]);
  });

  test('misses a target if scores, failing audits, performance or a metric differ', () => {
    const other = {
      scores: { ...aReading.scores, performance: 92, seo: 91 },
      metrics: { ...aReading.metrics, lcp: 1546 },
      failing: [],
    };
    const { met } = comparison(samples('service', other), samples('commandLine', {}));
    expect(met).toEqual({ scores: false, failing: false, performance: false, metrics: false, deviation: null });
  });

  test('allows a difference of ten milliseconds near zero', () => {
    const blocked = (tbt: number) => ({ metrics: { ...aReading.metrics, tbt } });
    expect(comparison(samples('service', blocked(14)), samples('commandLine', {})).met.metrics).toBe(true);
    expect(comparison(samples('service', blocked(15)), samples('commandLine', {})).met.metrics).toBe(false);
  });

  test('meets no target if one arm has no result', () => {
    const { met, failures } = comparison(samples('service', { failure: 'gone' }), samples('commandLine', {}));
    expect(Object.values(met).filter(Boolean)).toEqual([]);
    expect(failures).toEqual({ ours: ['gone'], theirs: [] });
  });
});

test('the command line is compared with itself, even rounds with odd rounds', () => {
  const lcp = (ms: number) => ({ metrics: { ...aReading.metrics, lcp: ms } });
  const rounds = [lcp(1500), lcp(1600), lcp(1500), lcp(1600)];
  const all = [...samples('service', {}, {}, {}, {}), ...samples('commandLine', ...rounds)];
  const [itself, ...others] = compareWithItself(all, 'commandLine');
  expect(others).toEqual([]);
  expect(itself?.audits).toEqual({ ours: 2, theirs: 2 });
  expect(itself?.metrics.lcp).toEqual({ ours: 1500, theirs: 1600, shift: -100, percent: -6.25 });
  expect(itself?.met.metrics).toBe(false);
  expect(compareWithItself(samples('commandLine', {}, {}, {}), 'commandLine')).toEqual([]); // halves of one round are too short
});

test('the failing audits leave out those that judge a time, except if they ended in an error', () => {
  const timed = Object.fromEntries(
    Object.values(metricIds).map((id) => [id, { score: 0.5, scoreDisplayMode: 'numeric', numericValue: 1 }]),
  );
  const report: Report = {
    timing: { total: 1, entries: [] },
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

test('the trace of an audit has the steps since its POST, also in the log of a service with earlier audits', () => {
  const postedAt = Date.parse('2026-11-25T10:00:00.000Z');
  const line = (ms: number, message: string, more = {}) =>
    JSON.stringify({ message, timestamp: new Date(postedAt + ms).toISOString(), ...more });
  const lines = [
    line(-5000, 'The run is finished.'),
    'a line of the terminal',
    line(20, 'The run is claimed.'),
    line(50, 'The auditor sent an event.', { type: 'cpu-acquired' }),
    line(60, 'The auditor sent an event.', { type: 'mainFrame' }),
    line(4100, 'The run is finished.'),
  ];
  const report: Report = { timing: { total: 4000, entries: [] }, categories: {}, audits: {} };
  expect(traceOf(lines, { postedAt, seconds: 4.12, report })).toEqual([
    { step: 'the run is claimed', ms: 20 },
    { step: 'Lighthouse starts', ms: 50 },
    { step: 'Lighthouse ends', ms: 4050 },
    { step: 'the run is finished', ms: 4100 },
    { step: 'the answer is read', ms: 4120 },
  ]);
});

describe('a section of the results page', () => {
  const page = '# Results\n\nHow to measure.\n\n## Memory\n\nold\n\n### Notes\n\n- A note.\n\n## Soak\n\nold too\n';

  test('is replaced, and its notes and the other sections stay', () => {
    expect(replaceSection(page, { title: 'Memory', text: 'new' })).toBe(page.replace('\nold\n', '\nnew\n'));
    expect(replaceSection(page, { title: 'Soak', text: 'new\n\nmore' })).toBe(page.replace('old too', 'new\n\nmore'));
  });

  test('is added at the end if the page has none', () => {
    expect(replaceSection(page, { title: 'Start', text: 'new' })).toBe(`${page}\n## Start\n\nnew\n`);
  });

  test('says on which commit and machine it was recorded', () => {
    const audit = { seconds: 6, engineSeconds: 5, benchmarkSeconds: 1, performance: 90, memory: null };
    const turnaround: Round[] = [{ service: audit, commandLine: { ...audit, seconds: 12 } }];
    const machine = { processor: 'A processor', cores: 2, memoryGiB: 23.6, node: '24.21.0' };
    const origin = { commit: 'abc1234', at: '2026-11-25T10:00:00.000Z', ...machine };
    const [section, ...others] = sectionsOf({ origin, version: '13.5.0', versions: [], turnaround });
    expect(others).toEqual([]);
    expect(section?.title).toBe('Turnaround');
    expect(section?.text.split('\n')[0]).toBe(
      'Recorded at abc1234 on 2026-11-25: A processor, 2 cores, 24 GiB, Node.js 24.21.0, Lighthouse 13.5.0.',
    );
    expect(section?.text).toContain('service / command line 0.50');
    expect(section?.text).toContain('without the benchmark 1.50');
  });

  test.each([
    'Turnaround',
    'Memory',
    'API',
    'Start',
    'Fidelity',
    'Egress guard',
    'Headers',
    'Throughput of small',
    'Steadiness',
    'Soak',
    'CPU time',
    'Sweep',
  ])('%s stands in test/bench/RESULTS.md, so that the bench finds it', (title) => {
    const sections = readFileSync('test/bench/RESULTS.md', 'utf8').split(/^## /m);
    expect(sections.filter((section) => section.startsWith(`${title}\n`))).toHaveLength(1);
  });
});

describe('the options of the bench', () => {
  test('select the usual benchmarks if none is named', () => {
    expect(optionsFrom([]).includes('turnaround')).toBe(true);
    expect(optionsFrom([]).includes('soak')).toBe(false);
    expect(optionsFrom(['soak']).includes('turnaround')).toBe(false);
  });

  test('take one round of the newest version if --short', () => {
    const { rounds, versions } = optionsFrom(['fidelity', '--short']);
    expect(rounds(5)).toBe(1);
    expect(versions).toEqual([auditVersions[0].version]);
  });

  test.each([
    [['fast'], 'There is no benchmark "fast"'],
    [['--rounds', '0'], '--rounds must be a whole number from 1 to 100'],
    [['--version', '8'], 'There is no version "8"'],
    [['turnaround', '--short', '--write'], '--short measures too little to be recorded'],
  ])('%j is refused with what to do', (args, message) => {
    expect(() => optionsFrom(args)).toThrow(message);
  });
});

test('a turnaround that grew by more than a tenth of the release, in times of the engine, fails the nightly run', () => {
  const roundsOf = (...seconds: number[]) =>
    seconds.map((each) => ({ service: { seconds: each, engineSeconds: 5 } }) as Round);
  const release = ratioOf({ turnaround: roundsOf(5.5, 5, 9) });
  expect(release).toBeCloseTo(1.1);
  const isGood = (...seconds: number[]) => compareRatios(release, ratioOf({ turnaround: roundsOf(...seconds) })).isGood;
  expect([isGood(5.9), isGood(6.2), isGood(9, 5, 5)]).toEqual([true, false, true]);
  expect(compareRatios(release, Number.NaN).isGood).toBe(false); // a benchmark without rounds proves nothing
});
