import { expect, test } from 'vitest';
import { type Change, type ChangeOptions, changeOf, changeOfTurns } from '../../shared/comparison/change.ts';
import type { MetricRule } from '../../shared/comparison/noise.ts';
import { medianOf } from '../../shared/comparison/shift.ts';
import { studentReach } from '../../shared/comparison/student.ts';
import { pageMetrics } from '../../shared/metrics/page-metrics.ts';
import { seededRandom } from '../simulation/random.ts';

/** The total blocking time of a page, in milliseconds. */
const TBT = 2000;
const random = seededRandom(20_311_101);
const gaussian = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
const many = <T>(count: number, one: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => one(i));

/** Noise of a page, as shares of its TBT. The machine's speed moves all samples of a check, so it is drawn once a check. */
type Noise = { within: number; between: number };
const checkOf = (samples: number, { within, between }: Noise, mean = TBT): number[] => {
  const location = mean * Math.exp(between * gaussian());
  return many(samples, () => location * (1 + within * gaussian()));
};

/** TBT with a prior that expects this share of it as drift. */
const expecting = (work: number): MetricRule => ({ ...pageMetrics.tbt, drift: { work, most: 1, share: 0, floor: 5 } });

type Trial = { samples: number; noise: Noise; base?: number; heads?: number; change?: number; prior?: number };

const judge = (
  { samples, noise, base = 1, heads = 1, change = 1, prior = noise.between }: Trial,
  options: ChangeOptions = {},
): Change => {
  const [before, after] = [
    many(base, () => checkOf(samples, noise)),
    many(heads, () => checkOf(samples, noise, change * TBT)),
  ];
  return changeOf(expecting(prior), before, after, { page: { tbt: TBT }, ...options });
};

const shareOf = (directions: readonly Change['direction'][], trials: number, trial: () => Change): number =>
  many(trials, trial).filter(({ direction }) => directions.includes(direction)).length / trials;
const changed = ['higher', 'lower'] as const;

test.each([
  [0, 3],
  [0, 15],
  [0.03, 5],
  [0.09, 3],
  [0.09, 15],
])(
  'with the right prior, drift of %d and %i samples give a false verdict in at most a hundredth of trials',
  (between, samples) => {
    for (const base of [1, 5]) {
      const trial = { samples, base, noise: { within: 0.05, between } };
      expect(shareOf(changed, 1000, () => judge(trial))).toBeLessThanOrEqual(0.01);
    }
  },
);

test.each([
  [0.03, 1],
  [0.03, 5],
  [0.09, 1],
  [0.09, 5],
])(
  'if the prior is half of a drift of %d, a base of %i gives a false verdict in at most 4 % of trials with any number of samples',
  (between, base) => {
    const rate = (samples: number, prior: number) =>
      shareOf(changed, 1500, () => judge({ samples, base, noise: { within: 0.05, between }, prior }));
    const rates = [3, 5, 10, 15].map((samples) => rate(samples, between / 2));
    expect(Math.max(...rates)).toBeLessThanOrEqual(0.04); // samples alone: from 18 to 67 %
    expect(rate(15, 2 * between)).toBe(0);
  },
);

test('the history of the page corrects a prior that expects too little', () => {
  const trial = { samples: 5, noise: { within: 0.05, between: 0.09 }, prior: 0.03 };
  const history = () => many(20, () => TBT * Math.exp(0.09 * gaussian()));
  const [without, withHistory] = [() => judge(trial), () => judge(trial, { history: history() })].map((each) =>
    shareOf(changed, 1000, each),
  );
  expect(without).toBeGreaterThan(0.08);
  expect(withHistory).toBeLessThanOrEqual(0.04);
});

test.each([
  [0.03, 1, 0.95],
  [0.09, 1, 0.35],
  [0.09, 5, 0.75],
])(
  'with drift of %d and a base of %i checks, a change by half is found in at least %d of trials',
  (between, base, share) => {
    const trial = { samples: 5, base, noise: { within: 0.05, between }, change: 1.5 };
    expect(shareOf(['higher'], 500, () => judge(trial))).toBeGreaterThanOrEqual(share);
  },
);

test('a change of twice the smallest difference is the same in at most 1 % of trials', () => {
  for (const between of [0, 0.01]) {
    const trial = { samples: 10, base: 5, noise: { within: 0.02, between }, change: 1.1 };
    expect(shareOf(['same'], 1000, () => judge(trial))).toBeLessThanOrEqual(0.01);
  }
});

test('the best and the worst of six equal regions differ in at most 2 % of trials', () => {
  const trial = () => {
    const regions = many(6, () => checkOf(5, { within: 0.1, between: 0 })).sort((a, b) => medianOf(a) - medianOf(b));
    return changeOf(expecting(0), [regions[0] as number[]], [regions[5] as number[]], {
      page: { tbt: TBT },
      pairs: 15,
    });
  };
  expect(shareOf(changed, 1000, trial)).toBeLessThanOrEqual(0.02);
});

/** Most checks a side of a trial. The exact intervals of hundreds of samples take seconds. */
const MOST_TRIED = 12;

test('as many checks as the answer says tell in most trials, and it never asks for samples against drift', () => {
  const noise = { within: 0.05, between: 0.09 };
  const open = many(300, () => judge({ samples: 5, noise, change: 1.4 })).flatMap(({ needs }) => needs ?? []);
  expect(new Set(open.map(({ kind }) => kind))).toEqual(new Set(['checks']));
  const tried = open.filter(({ count }) => count <= MOST_TRIED).slice(0, 100);
  expect(tried).toHaveLength(100);
  const told = tried.filter(({ count }) => {
    const trial = { samples: 5, noise, base: count, heads: count, change: 1.4 };
    return judge(trial).direction !== 'unknown';
  });
  expect(told.length).toBeGreaterThanOrEqual(60);
});

/** Audits two variants in turns. What drifts moves both, so only the noise within a check is drawn. */
const turns = (pairs: number, { within, mean, change = 1 }: { within: number; mean: number; change?: number }) => {
  const audits = (level: number) => many(pairs, () => level * (1 + within * gaussian()));
  return changeOfTurns(pageMetrics.tbt, audits(mean), audits(change * mean), { page: { tbt: mean } });
};

test.each([
  [2000, 0.053, 0.9],
  [500, 0.097, 0.4],
])(
  'five pairs in turns find a fifth more than a TBT of %i ms with noise of %d in at least %d of trials',
  (mean, within, share) => {
    for (const pairs of [3, 5, 12]) {
      expect(shareOf(changed, 1000, () => turns(pairs, { within, mean }))).toBeLessThanOrEqual(0.013);
    }
    const found = shareOf(['higher'], 500, () => turns(5, { within, mean, change: 1.2 }));
    expect(found).toBeGreaterThanOrEqual(share);
  },
);

test.each([
  [0.99, 4, 4.6041],
  [0.99, 10, 3.1693],
  [0.99, 60, 2.6603],
  [0.9999, 6, 9.0823],
])(
  'an interval of Student at %d with %i degrees of freedom reaches %d standard errors',
  (confidence, freedom, reach) => {
    expect(studentReach(confidence, freedom)).toBeCloseTo(reach, 3);
  },
);

test('a page with two values that comes back to one of them is suspected, and a new value is proved', () => {
  const value = () => (random.next() < 0.15 ? 460_000 : 400_000);
  const history = () => many(20, value);
  const judged = (bytes: () => number, known: readonly number[]) =>
    changeOf(pageMetrics.bytes, [[value()]], [[bytes()]], { history: known });
  expect(shareOf(changed, 1000, () => judged(value, history()))).toBeLessThanOrEqual(0.01); // 24 % with every step cut
  expect(
    shareOf(changed, 300, () =>
      judged(
        () => 420_000,
        many(20, () => 400_000),
      ),
    ),
  ).toBeGreaterThan(0.8);
});
