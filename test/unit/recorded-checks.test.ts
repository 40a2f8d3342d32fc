import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { changeOf } from '../../shared/comparison/change.ts';
import { compareChecks } from '../../shared/comparison/comparison.ts';
import { changeOfPairs } from '../../shared/comparison/looks.ts';
import { driftOf, locationOf, meanOf, noiseWithin, squaresOf } from '../../shared/comparison/noise.ts';
import type { CheckComparison } from '../../shared/comparison/schemas.ts';
import { type ComparedCheck, driftingBy, valuesOf } from '../../shared/comparison/sides.ts';
import { type MetricName, metricNames, pageMetrics } from '../../shared/metrics/page-metrics.ts';
import type { Sample } from '../../shared/metrics/page-metrics-schemas.ts';
import { seededRandom } from '../simulation/random.ts';
import type { RecordedCheck } from '../support/sample-lab.ts';

type Page = 'small' | 'script' | 'app' | 'images';
type Recording = Record<Page, RecordedCheck[]>;
const { checks, turns }: { checks: Recording; turns: Recording } = JSON.parse(
  gunzipSync(readFileSync('test/recorded/repeated-checks.json.gz')).toString(),
);
const pages = Object.keys(checks) as Page[];

/** Returns a recorded check. Each sample can be changed before. */
const checkOf = ({ host, samples }: RecordedCheck, id: string, change = (sample: Sample): Sample => sample) => {
  const changed = samples.map(change);
  const busy = changed.filter(({ contended }) => contended).length;
  const shown = changed[Math.floor(changed.length / 2)] as Sample; // any one: a verdict comes from all
  const environment = { host, contended: busy > changed.length / 2 };
  const run = { ...shown, region: 'us-west1' as const, state: 'succeeded', samples: changed, environment };
  return { id, url: 'https://shop.example/', auditVersion: '13.5.0', runs: [run] } satisfies ComparedCheck;
};
const checksOf = (page: Page) => checks[page].map((check, i) => checkOf(check, `${page} ${i}`));

const slower = (name: MetricName, factor: number) => (sample: Sample) => ({
  ...sample,
  [name]: factor * (sample[name] ?? 0),
});

/** Number of earlier checks that make a base. */
const FIVE = 5;
type Pool = 'one' | 'five earlier';
/** Compares each check with each other one of its page, or with the five before it. The check can be made slower. */
const compared = (of: readonly Page[], pool: Pool, change?: (sample: Sample) => Sample): CheckComparison[] =>
  of.flatMap((page) =>
    checksOf(page).flatMap((_, i, all) => {
      const check = checkOf(checks[page][i] as RecordedCheck, 'the check', change);
      const bases = pool === 'one' ? all.filter((_, j) => j !== i).map((base) => [base]) : [all.slice(i - FIVE, i)];
      return bases.flatMap(([base, ...more]) => {
        const isWhole = pool === 'one' || more.length === FIVE - 1;
        return (base && isWhole && compareChecks(base, check, { pool: more })) || [];
      });
    }),
  );

const isProved = ({ verdict }: { verdict: string }) => verdict === 'improved' || verdict === 'regressed';
const shareOf = <T>(all: readonly T[], is: (one: T) => boolean) => all.filter(is).length / all.length;
const shareFound = (name: MetricName, comparisons: readonly CheckComparison[]) =>
  shareOf(comparisons, ({ metrics }) => metrics[name].verdict === 'regressed');

test.each(['one', 'five earlier'] as const)(
  'at most one of a hundred comparisons of unchanged pages, with a base of %s, has a false verdict',
  (pool) => {
    const comparisons = compared(pages, pool);
    expect(comparisons.length).toBeGreaterThanOrEqual(pool === 'one' ? 150 : 5);
    const isFalse = ({ metrics }: CheckComparison) => Object.values(metrics).some(isProved);
    expect(shareOf(comparisons, isFalse)).toBeLessThanOrEqual(0.01);
  },
);

test('most verdicts about unchanged pages say that they are the same', () => {
  const verdicts = compared(pages, 'one').flatMap(({ metrics }) =>
    Object.values(metrics).flatMap(({ verdict, regions }) => (regions['us-west1']?.change ? [verdict] : [])),
  );
  expect(shareOf(verdicts, (verdict) => verdict === 'same')).toBeGreaterThanOrEqual(0.55);
});

/** Pages with the same order of first paint and scripts in each load, so that their paints have one kind of value. */
const steady = ['app', 'images'] as const;
const withScript = pages.filter((page) => page !== 'images');

test('an LCP 10 % slower is found by one check on pages that paint in one way', () => {
  expect(shareFound('lcp', compared(steady, 'one', slower('lcp', 1.1)))).toBeGreaterThanOrEqual(0.85);
});

test('a TBT 50 % slower is found with a base of five checks in most trials', () => {
  expect(shareFound('tbt', compared(withScript, 'five earlier', slower('tbt', 1.5)))).toBeGreaterThanOrEqual(0.65);
});

/* The drift of TBT is fitted to one half of the checks, every second one, and judged by the other half. */
const halves = [0, 1] as const;
type Half = (typeof halves)[number];
const ofHalf = (page: Page, half: Half) =>
  checks[page].filter((_, i) => i % 2 === half).map(({ samples }) => valuesOf('tbt', samples));
const drifting = (work: number) => ({ ...pageMetrics.tbt, drift: { ...pageMetrics.tbt.drift, work } });

/** Returns the share of TBT with which the locations of the checks of a half differ as much as expected. */
const fittedTo = (half: Half): number => {
  const excess = (work: number) =>
    withScript.reduce((sum, page) => {
      const values = ofHalf(page, half);
      const locations = values.map(locationOf);
      const level = meanOf(locations);
      const expected = driftOf(drifting(work), level, { tbt: level }) ** 2 + noiseWithin(values).ofLocation;
      return sum + squaresOf(locations) / expected - (locations.length - 1);
    }, 0);
  let [low, high] = [0, 1];
  while (high - low > 0.001) {
    const middle = (low + high) / 2;
    if (excess(middle) > 0) low = middle;
    else high = middle;
  }
  return low;
};

test('the drift of TBT lies between those that fit the halves of the recording', () => {
  const [first, second] = halves.map(fittedTo).sort((a, b) => a - b) as [number, number];
  const { work } = pageMetrics.tbt.drift;
  expect([first < work, work < second]).toEqual([true, true]);
});

test.each(halves)(
  'with a drift of TBT that fits the other half, no pair of half %i has a false verdict about it',
  (half) => {
    const rule = drifting(fittedTo(half === 0 ? 1 : 0));
    const directions = withScript.flatMap((page) => {
      const all = ofHalf(page, half);
      const tbt = meanOf(all.map(locationOf));
      const pairs = all.flatMap((base) => all.filter((head) => head !== base).map((head) => [base, head] as const));
      return pairs.map(([base, head]) => changeOf(rule, [base], [head], { page: { tbt } }).direction);
    });
    expect(directions.length).toBeGreaterThanOrEqual(20);
    expect(directions.filter((direction) => direction === 'higher' || direction === 'lower')).toEqual([]);
  },
);

/** Returns the pairs of a recorded check in turns (A, B, B, A, …), in each order of its variants. */
const pairsOf = (page: Page) =>
  turns[page].flatMap(({ samples }) => {
    const [a, b] = ([0, 1] as const).map((variant) => samples.filter((_, k) => [0, 1, 1, 0][k % 4] === variant));
    if (!a || !b) return [];
    return [
      { own: a, against: b },
      { own: b, against: a },
    ];
  });

test('equal variants in turns have no false verdict', () => {
  const directions = pages.flatMap(pairsOf).flatMap((pairs) => {
    const page = driftingBy(...[pairs.against, pairs.own].map((samples) => ({ run: { samples }, pooled: [] })));
    return metricNames.flatMap((name) => changeOfPairs(name, pairs, { page })?.direction ?? []);
  });
  expect(directions.length).toBeGreaterThan(0);
  expect(directions.filter((direction) => direction === 'higher' || direction === 'lower')).toEqual([]);
});

/** Share of unchanged pairs with any false verdict. Before a page's own noise could replace the prior, `script` had 16 %. */
const mostFalse = { small: 0.01, script: 0.03, app: 0.01, images: 0.01 };

test.each(pages)(
  'pairs of loads of the unchanged page %s, drawn from its recording, have hardly a false verdict',
  (name) => {
    const random = seededRandom(7);
    const samples = checks[name].flatMap((check) => check.samples);
    const draw = () =>
      Array.from({ length: FIVE }, () => samples[Math.floor(random.next() * samples.length)] as Sample);
    const trials = Array.from({ length: 1000 }, () => {
      const pairs = { own: draw(), against: draw() };
      const page = driftingBy(...[pairs.against, pairs.own].map((each) => ({ run: { samples: each }, pooled: [] })));
      return metricNames.map((metric) => changeOfPairs(metric, pairs, { page })?.direction);
    });
    const isFalse = (directions: (string | undefined)[]) =>
      directions.includes('higher') || directions.includes('lower');
    expect(shareOf(trials, isFalse)).toBeLessThanOrEqual(mostFalse[name]);
  },
);
