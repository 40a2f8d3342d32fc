import { expect, test } from 'vitest';
import { initialProgress, next, type Progress, record, type Step } from '../../functions/auditor/verdict/attempts.ts';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { countUsed } from '../../shared/check.ts';
import { changeOfPairs, LOOK_CONFIDENCE, pairsNeeded } from '../../shared/comparison/looks.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import type { Sample } from '../../shared/metrics/page-metrics-schemas.ts';
import type { Variant } from '../../shared/options/variants.ts';
import { runError } from '../../shared/problems.ts';

const time = { startedAt: new Date('2026-01-01T00:00:00.000Z'), seconds: 10 };
const measured = (lcp: number, tbt = 100): AuditResult => ({
  ...emptyResult,
  state: 'succeeded',
  metrics: { ...noMetrics, performance: 90, fcp: 900, tti: 1900, lcp, tbt, cls: 0 },
});
const crash: AuditResult = { ...emptyResult, state: 'failed', error: runError('browser-crashed') };

/** Follows the steps of a run with automatic samples. Each variant has these results by turns. */
const play = (
  results: Record<Variant, readonly AuditResult[]>,
  { budgetMs = 3_600_000, regions = 1 }: { budgetMs?: number; regions?: number } = {},
) => {
  const taken = { own: 0, against: 0 };
  for (let progress: Progress = initialProgress([], { isCompared: true, regions }); ; ) {
    const timeLeftMs = budgetMs - progress.attempts.length * 10_000;
    const step: Step = next(progress, { samples: 'auto', timeLeftMs });
    if (step.do === 'finish') return { ...step.result, audits: progress.attempts.length };
    if (step.do === 'release') throw new Error('The run was released.');
    const { variant } = step;
    const own = results[variant];
    const result = own[taken[variant]++ % own.length] as AuditResult;
    progress = record(progress, result, { ...time, variant });
  }
};
const [calm, slower] = [
  [measured(1500), measured(1510), measured(1505)],
  [measured(3000), measured(3010)],
];
/** TBTs that three pairs of an unchanged page do not tell apart, and more pairs do. */
const restless = (by = 0) => [300, 480, 390, 450, 330, 420].map((tbt) => measured(1500, tbt + by));

test('an unchanged page and a page that is clearly slower need five pairs', () => {
  expect(play({ own: calm, against: calm })).toMatchObject({ turns: { pairs: 5, stopped: 'clear' }, audits: 10 });
  const { turns, ...changed } = play({ own: slower, against: calm }) as ReturnType<typeof play> & { turns: object };
  expect(turns).toEqual({ pairs: 5, stopped: 'clear' });
  expect(changed).toMatchObject({ samples: { length: 5 }, against: { samples: { length: 5 } }, warnings: [] });
});

test('a page that moves by itself is looked at again after 5, 8 and 12 pairs, and no further', () => {
  const reversed = restless().toReversed();
  expect(play({ own: restless(20), against: reversed })).toMatchObject({
    turns: { pairs: 12, stopped: 'most' },
    audits: 24,
  });
  const told = play({ own: restless(250), against: restless().toReversed() });
  expect(told).toMatchObject({ turns: { stopped: 'clear' } });
  expect([5, 8]).toContain(told.audits / 2);
});

test('the regions of a check share the chance of a false verdict, so each looks at more pairs', () => {
  const audits = (regions: number) =>
    play({ own: restless(250), against: restless().toReversed() }, { regions }).audits;
  expect(audits(6)).toBeGreaterThan(audits(1));
});

test('a run whose time is over ends with the pairs that it has, and says so', () => {
  const result = play({ own: restless(20), against: restless().toReversed() }, { budgetMs: 150_000 + 9 * 10_000 });
  expect(result).toMatchObject({ state: 'succeeded', turns: { pairs: 5, stopped: 'time' }, warnings: [] });
});

test('a variant without attempts left ends the run with the pairs that it has, and says so', () => {
  const own = [...restless(20).slice(0, 4), crash, crash, crash];
  const result = play({ own, against: restless().toReversed() });
  expect(result).toMatchObject({ state: 'succeeded', turns: { pairs: 4, stopped: 'failures' } });
});

test('a check counts by the samples of its runs, and a failed run by its attempts', () => {
  const run = (own: number, against: number, attempts: number) =>
    ({ samples: Array(own), against: { samples: Array(against) }, attempts: Array(attempts) }) as never;
  expect(countUsed([run(3, 3, 7), run(12, 12, 30), run(0, 0, 3)])).toBe(6 + 24 + 3);
});

/** Returns normal numbers, always the same. */
const gaussians = () => {
  let state = 7;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 1) / (2 ** 32 + 1);
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
};

/** Draws runs of a page with this TBT and noise, and returns how they ended. */
const trials = (count: number, { tbt, noise, change }: { tbt: number; noise: number; change: number }) => {
  const gaussian = gaussians();
  const sample = (level: number): Sample => ({
    ...noMetrics,
    tbt: level * (1 + noise * gaussian()),
    cpuBusy: 0,
    mainThreadCpu: null,
    contended: false,
  });
  return Array.from({ length: count }, () => {
    const pairs: { own: Sample[]; against: Sample[] } = { own: [], against: [] };
    while (pairsNeeded(pairs, 1) > pairs.own.length) {
      pairs.own.push(sample(tbt * change));
      pairs.against.push(sample(tbt));
    }
    const page = { tbt: tbt * (1 + (change - 1) / 2) };
    const judged = changeOfPairs('tbt', pairs, { page, confidence: LOOK_CONFIDENCE });
    return { direction: judged?.direction };
  });
};
const shareOf = (all: { direction: unknown }[], ...directions: string[]) =>
  all.filter(({ direction }) => directions.includes(direction as string)).length / all.length;

test.each([
  [2000, 0.053, 0.95],
  [500, 0.097, 0.8],
])(
  'four looks at a TBT of %i ms with noise of %d are seldom false, and find 20 %% more in the share %d',
  (tbt, noise, share) => {
    const unchanged = trials(2000, { tbt, noise, change: 1 });
    expect(shareOf(unchanged, 'higher', 'lower')).toBeLessThanOrEqual(0.0125);
    const slower = trials(500, { tbt, noise, change: 1.2 });
    expect(shareOf(slower, 'higher')).toBeGreaterThanOrEqual(share);
    expect(shareOf(slower, 'lower')).toBe(0);
  },
);

test('a contended sample takes its pair with it, so that the others stay pairs', () => {
  const at = (tbt: number, contended = false): Sample => ({
    ...noMetrics,
    tbt,
    cpuBusy: 0,
    mainThreadCpu: null,
    contended,
  });
  const [base, drift] = [[100, 900, 500, 300], 400];
  const against = base.map((tbt) => at(tbt));
  const own = base.map((tbt, i) => (i === 1 ? at(9000, true) : at(tbt + drift)));
  const change = changeOfPairs('tbt', { own, against }, { page: { tbt: 0 } });
  expect(change?.shift.estimate).toBe(drift);
});
