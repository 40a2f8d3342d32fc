import { expect, test } from 'vitest';
import { compareChecks } from '../../shared/comparison/comparison.ts';
import type { CheckComparison } from '../../shared/comparison/schemas.ts';
import { compareVariants } from '../../shared/comparison/variants.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import type { Sample } from '../../shared/metrics/page-metrics-schemas.ts';
import { allRegions, type Region } from '../../shared/regions.ts';
import { seededRandom } from '../simulation/random.ts';

const random = seededRandom(20_311_128);
const gaussian = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
const many = <T>(count: number, one: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => one(i));

/** Returns a load of a page whose loads differ by this share. Half of the noise moves all its times. */
const load = (noise: number, change = 1): Sample => {
  const common = gaussian();
  const time = (ms: number, share: number) =>
    ms * Math.max(0.05, 1 + noise * share * Math.SQRT1_2 * (common + gaussian()));
  const [fcp, lcp, tbt] = [time(900, 0.3), time(1600, 0.6), change * time(600, 1)];
  const performance = Math.round(85 - 20 * (tbt / 600 - 1) - 10 * (lcp / 1600 - 1));
  const steady = { device: 'mobile' as const, fcp, lcp, tbt, scripts: [] };
  return { ...noMetrics, performance, fcp, lcp, tbt, cpuBusy: 0, contended: false, steady };
};

const auditedAs = { url: 'https://shop.example/', auditVersion: '13.5.0' as const };
const runOf = (samples: readonly Sample[], region: Region = 'us-west1') => ({
  ...(samples[0] as Sample),
  region,
  state: 'succeeded',
  samples,
  environment: { host: 'a', contended: false },
});
const checkOf = (id: string, samples: readonly Sample[]) => ({ ...auditedAs, id, runs: [runOf(samples)] });

type Trial = (noise: number, change?: number) => CheckComparison | undefined;
const against =
  (bases: number): Trial =>
  (noise, change) => {
    const check = (id: string, by?: number) =>
      checkOf(
        id,
        many(5, () => load(noise, by)),
      );
    return compareChecks(check('base'), check('head', change), { pool: many(bases - 1, (i) => check(`base ${i}`)) });
  };
const inTurns =
  (pairs: number, places = 1): Trial =>
  (noise, change) => {
    const runs = allRegions.slice(0, places).map((region) => {
      const [before, after] = [many(pairs, () => load(noise)), many(pairs, () => load(noise, change))];
      return { ...runOf(after, region), against: runOf(before, region) };
    });
    return compareVariants({ ...auditedAs, id: 'a', against: {}, runs });
  };
const trials = [
  ['a base of one check', against(1)],
  ['a base of five', against(5)],
  ['three pairs in turns', inTurns(3)],
  ['five pairs in turns', inTurns(5)],
  ['three pairs in turns in six regions', inTurns(3, 6)],
  ['five pairs in turns in six regions', inTurns(5, 6)],
] as const;

const shareOf = (count: number, is: () => boolean | undefined) => many(count, is).filter(Boolean).length / count;
const isProved = ({ verdict }: { verdict: string }) => verdict === 'improved' || verdict === 'regressed';

test.each(trials)(
  'with %s, an unchanged page has a false verdict in hardly one of 100 trials, at any noise',
  (_, trial) => {
    for (const noise of [0.04, 0.1, 0.2, 0.3]) {
      const isFalse = () => Object.values(trial(noise)?.metrics ?? {}).some(isProved);
      expect(shareOf(500, isFalse), `noise ${noise}`).toBeLessThanOrEqual(0.02); // of a rate of 0.01 at most
    }
  },
);

test.each([
  ['a base of one check', 1.5, 0.9, against(1)],
  ['a base of five', 1.3, 0.9, against(5)],
  ['five pairs in turns', 1.2, 0.7, inTurns(5)],
] as const)(
  'with %s, %d times the TBT of a page whose loads differ by 5 % is found in at least %d of trials',
  (_, change, share, trial) => {
    const isFound = () => trial(0.05, change)?.metrics.tbt.verdict === 'regressed';
    expect(shareOf(300, isFound)).toBeGreaterThanOrEqual(share);
  },
);
