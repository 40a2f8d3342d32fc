import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compareChecks } from '../../shared/comparison/comparison.ts';
import type { CheckComparison } from '../../shared/comparison/schemas.ts';
import { compareVariants } from '../../shared/comparison/variants.ts';
import type { Sample } from '../../shared/metrics/page-metrics-schemas.ts';
import type { SteadyTimes } from '../../shared/metrics/steady-load.ts';

/*
 * Checks of pages that did not change, whose samples have steady values, by the time of the recording. The first two are of a
 * quiet machine, and the priors were chosen with their noise in view. In the evening of that day and the next night, the same
 * work took twice as long. Its speed moved by 10 % and more. From the evening came the rule of other speeds, the smallest
 * change of TBT, and the prior of the CPU time. From the night came the rule that an unsteady machine drifts as its loads differ.
 * No rule comes from the last recording, which is of the next morning.
 */
type Recording = Record<string, { id: string; samples: Sample[] }[]>;
const packed = readFileSync('test/recorded/steady-checks.json.gz');
const recordings: Record<string, Recording> = JSON.parse(gunzipSync(packed).toString());

const auditedAs = { url: 'https://shop.example/', auditVersion: '13.5.0' as const };
const runOf = (samples: readonly Sample[]) => ({
  ...(samples[samples.length >> 1] as Sample),
  region: 'us-west1' as const,
  state: 'succeeded',
  samples,
  environment: { host: 'a', contended: false },
});
const checkOf = (id: string, samples: readonly Sample[]) => ({ ...auditedAs, id, runs: [runOf(samples)] });

type Change = (sample: Sample) => Sample;
/** Makes a time of a load longer by a factor, in every order of its paints. */
const slower =
  (name: keyof SteadyTimes, factor: number): Change =>
  (sample) => {
    const longer = <Times extends SteadyTimes>(times: Times) => ({ ...times, [name]: times[name] * factor });
    const { steady } = sample;
    const scripts = steady?.scripts.map(({ moved, ...script }) => ({
      ...script,
      ...(moved && { moved: longer(moved) }),
    }));
    return {
      ...sample,
      [name]: (sample[name] ?? 0) * factor,
      ...(steady && { steady: { ...longer(steady), scripts: scripts ?? [] } }),
    };
  };

/** Compares each check with others of its page. */
const againstChecks =
  (bases: number) =>
  (recording: Recording, change: Change): CheckComparison[] =>
    Object.values(recording).flatMap((checks) =>
      checks.flatMap((head) => {
        const others = checks.filter((each) => each !== head).map(({ id, samples }) => checkOf(id, samples));
        const sets = bases === 1 ? others.map((each) => [each]) : others.length < bases ? [] : [others.slice(0, bases)];
        return sets.flatMap(
          ([base, ...pool]) =>
            (base && compareChecks(base, checkOf(head.id, head.samples.map(change)), { pool })) ?? [],
        );
      }),
    );

/** Compares neighbours as pairs in turns, in each order: every one is a run in turns of a page that did not change. */
const inTurns =
  (pairs: number) =>
  (recording: Recording, change: Change): CheckComparison[] =>
    Object.values(recording).flatMap((checks) =>
      checks.flatMap(({ samples }, i) => {
        const list = [...samples, ...(checks[i + 1]?.samples ?? [])];
        if (list.length < 2 * pairs) return [];
        return Array.from({ length: 2 ** pairs }, (_, order) => {
          const side = (variant: 0 | 1) =>
            Array.from({ length: pairs }, (__, k) => list[2 * k + (variant ^ ((order >> k) & 1))] as Sample);
          const run = { ...runOf(side(1).map(change)), against: runOf(side(0)) };
          return compareVariants({ ...auditedAs, id: 'a', against: {}, runs: [run] }) ?? [];
        }).flat();
      }),
    );

const isProved = ({ verdict }: { verdict: string }) => verdict === 'improved' || verdict === 'regressed';
const shareOf = <T>(all: readonly T[], is: (one: T) => boolean) => all.filter(is).length / Math.max(1, all.length);
const unchanged: Change = (sample) => sample;

const ways = [
  ['a base of one check', againstChecks(1)],
  ['a base of four', againstChecks(4)],
  ['a base of five', againstChecks(5)],
  ['three pairs in turns', inTurns(3)],
  ['five pairs in turns', inTurns(5)],
] as const;

/** Each way of comparing in each recording. Recordings with too few comparisons for a share of 1 % are one. */
const judged = ways.flatMap(([way, compare]) => {
  const all = Object.entries(recordings).map(([name, checks]) => ({ name, comparisons: compare(checks, unchanged) }));
  const few = all.filter(({ comparisons }) => comparisons.length < 100);
  return [
    ...all.filter((each) => !few.includes(each)),
    { name: few.map(({ name }) => name).join(' and '), comparisons: few.flatMap(({ comparisons }) => comparisons) },
  ].flatMap(({ name, comparisons }) =>
    comparisons.length > 0 ? [{ recording: name, way, count: comparisons.length, comparisons }] : [],
  );
});

test('each way was judged by enough comparisons', () => {
  const counts = ways.map(([name]) =>
    judged.filter(({ way }) => way === name).reduce((sum, { count }) => sum + count, 0),
  );
  expect(
    counts.map((count, i) => count >= ([710, 160, 30, 1110, 4300][i] ?? 0)),
    counts.join(),
  ).toEqual(ways.map(() => true));
});

/**
 * False verdicts of a way that breaks the promise of 1 %: a check of the evening whose machine slowed down, and the Speed Index
 * of one of the last morning.
 */
const knownFalse: Readonly<Record<string, number>> = { 'a base of four': 2 };

test.each(judged)(
  'at most 1 %, or the known ones, of $count comparisons of pages that did not change, of the recording $recording, are false with $way',
  ({ way, comparisons }) => {
    const wrong = comparisons.filter(({ metrics }) => Object.values(metrics).some(isProved));
    expect(wrong.length).toBeLessThanOrEqual(knownFalse[way] ?? comparisons.length / 100);
  },
);

const [morning, noon, ...unsteady] = Object.values(recordings) as [Recording, Recording, ...Recording[]];
const quiet = [morning, noon];

test('no script of a page that did not change is said to work longer', () => {
  const named = unsteady.flatMap((recording) => againstChecks(1)(recording, unchanged)).filter(({ work }) => work);
  expect(named).toEqual([]);
});

test.each([
  ['a base of one check', 'lcp', 1.1, 0.85, againstChecks(1), 'a quiet', quiet],
  ['a base of one check', 'tbt', 1.5, 0.7, againstChecks(1), 'a quiet', quiet],
  ['a base of five', 'lcp', 1.1, 0.95, againstChecks(5), 'a quiet', quiet],
  ['a base of five', 'tbt', 1.5, 0.95, againstChecks(5), 'a quiet', quiet],
  ['three pairs in turns', 'lcp', 1.1, 0.75, inTurns(3), 'a quiet', quiet],
  ['five pairs in turns', 'lcp', 1.1, 0.95, inTurns(5), 'a quiet', quiet],
  ['five pairs in turns', 'tbt', 1.5, 0.8, inTurns(5), 'a quiet', quiet],
  ['a base of one check', 'lcp', 1.1, 0.5, againstChecks(1), 'an unsteady', unsteady],
  ['three pairs in turns', 'lcp', 1.1, 0.55, inTurns(3), 'an unsteady', unsteady],
  ['five pairs in turns', 'lcp', 1.1, 0.5, inTurns(5), 'an unsteady', unsteady],
] as const)('%s: %s times %d is found in at least %d of comparisons', (_, name, factor, share, way, machine, of) => {
  const comparisons = of.flatMap((recording) => way(recording, slower(name, factor)));
  const found = shareOf(comparisons, ({ metrics }) => metrics[name].verdict === 'regressed');
  expect(found, `on ${machine} machine`).toBeGreaterThanOrEqual(share);
});
