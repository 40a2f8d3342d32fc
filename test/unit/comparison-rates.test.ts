import { expect, test } from 'vitest';
import { type Change, changeOf } from '../../shared/comparison/change.ts';
import { medianOf } from '../../shared/comparison/shift.ts';
import { pageMetrics } from '../../shared/page-metrics.ts';
import { seededRandom } from '../simulation/random.ts';

const TRIALS = 4000;
const MEAN = 2000;
/** The smallest difference of this mean: 5 %. */
const SMALLEST = 0.05 * MEAN;

type Draw = (count: number, noise: number) => number[];
const random = seededRandom(20_311_101);
const gaussian = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
const many = <T>(count: number, one: () => T): T[] => Array.from({ length: count }, one);
/** Samples of an LCP with noise, which is a share of the mean. */
const draws: [name: string, draw: Draw][] = [
  ['normal', (count, noise) => many(count, () => MEAN * (1 + noise * gaussian()))],
  ['log-normal', (count, noise) => many(count, () => MEAN * Math.exp(noise * gaussian()))],
];

const plus = (values: readonly number[], change: number) => values.map((value) => value + change);
const judge = (base: readonly number[], values: readonly number[], pairs = 1) =>
  changeOf(pageMetrics.lcp, base, values, pairs);

/** Returns the share of trials whose verdict is one of these. */
const shareOf = (directions: readonly Change['direction'][], trial: () => Change, trials = TRIALS): number => {
  const found = Array.from({ length: trials }, trial).filter(({ direction }) => directions.includes(direction));
  return found.length / trials;
};
const changed = ['higher', 'lower'] as const;

for (const [name, draw] of draws) {
  test.each([3, 4, 5, 10, 15])(
    `an unchanged page with ${name} noise changes in at most 1.3 %% of comparisons of %i samples`,
    (count) => {
      for (const noise of [0.05, 0.2]) {
        expect(shareOf(changed, () => judge(draw(count, noise), draw(count, noise)))).toBeLessThanOrEqual(0.013);
      }
    },
  );

  test.each([3, 5, 10, 15])(
    `the best and the worst of six equal regions with ${name} noise differ in at most 2 %% at %i samples`,
    (count) => {
      const trial = () => {
        const regions = Array.from({ length: 6 }, () => draw(count, 0.1)).sort((a, b) => medianOf(a) - medianOf(b));
        return judge(regions[0] as number[], regions[5] as number[], 15);
      };
      expect(shareOf(changed, trial)).toBeLessThanOrEqual(0.02);
    },
  );

  test.each([3, 5, 10, 15])(
    `a change of twice the smallest difference with ${name} noise is the same in at most 1 %% at %i samples`,
    (count) => {
      for (const noise of [0.02, 0.05]) {
        const trial = () => judge(draw(count, noise), plus(draw(count, noise), 2 * SMALLEST));
        expect(shareOf(['same'], trial)).toBeLessThanOrEqual(0.01);
      }
    },
  );

  test.each([
    [5, 5, 0.35],
    [10, 10, 0.88],
    [25, 5, 0.75],
  ])(
    `a change of 20 %% with ${name} noise of 10 %% is found: %i against %i samples in at least %d of trials`,
    (base, count, share) => {
      const trial = () => judge(draw(base, 0.1), plus(draw(count, 0.1), 0.2 * MEAN));
      expect(shareOf(['higher'], trial)).toBeGreaterThanOrEqual(share);
    },
  );

  test.each([
    [0.05, 0],
    [0.1, 0.15],
    [0.1, 0.2],
  ])(
    `as many samples as the answer says tell in most trials with ${name} noise of %d and a change of %d`,
    (noise, change) => {
      const sides = (count: number) => [draw(count, noise), plus(draw(count, noise), change * MEAN)] as const;
      const open = many(1000, () => judge(...sides(5)).samplesNeeded).filter((count) => count !== null);
      const trials = open.slice(0, 150);
      const told = trials.filter((count) => judge(...sides(count)).direction !== 'unknown');
      expect(told.length / trials.length).toBeGreaterThanOrEqual(0.6);
    },
  );
}
