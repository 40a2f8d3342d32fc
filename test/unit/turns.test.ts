import { expect, test } from 'vitest';
import { initialProgress, next, type Progress, record, type Step } from '../../functions/auditor/verdict/attempts.ts';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import type { Variant } from '../../shared/options/variants.ts';
import { type RunProblemCode, runError } from '../../shared/problems.ts';
import type { Attempt } from '../../shared/run.ts';
import { environment } from '../support/environment.ts';

const success = (fcp: number, { contended = false } = {}): AuditResult => ({
  ...emptyResult,
  state: 'succeeded',
  metrics: { ...noMetrics, fcp, tti: 2000 },
  environment: { ...environment, contended },
});
const failure = (code: RunProblemCode): AuditResult => ({ ...emptyResult, state: 'failed', error: runError(code) });
const time = { startedAt: new Date('2026-01-01T00:00:00.000Z'), seconds: 6.5 };
const PLENTY_MS = 600_000;

type Results = Record<Variant, AuditResult[]>;
type Settings = { samples?: number; earlier?: readonly Attempt[]; timeLeftMs?: number[] };

/** Follows the steps of a run whose variants have these results, each in its order. */
const play = ({ own, against }: Results, { samples = 3, earlier = [], timeLeftMs = [] }: Settings = {}) => {
  const waiting: Results = { own: [...own], against: [...against] };
  const turns: Variant[] = [];
  for (let progress: Progress = initialProgress(earlier, { isCompared: true }); ; ) {
    const step: Step = next(progress, { samples, timeLeftMs: timeLeftMs[turns.length] ?? PLENTY_MS });
    if (step.do !== 'audit') return { last: step, attempts: progress.attempts, turns };
    turns.push(step.variant);
    const result = waiting[step.variant].shift();
    if (!result) throw new Error(`There is no further result of ${step.variant}.`);
    progress = record(progress, result, { ...time, variant: step.variant });
  }
};
const many = (fcp: number, count = 5): AuditResult[] => Array.from({ length: count }, (_, i) => success(fcp + i));
const resultOf = ({ last }: ReturnType<typeof play>) => {
  if (last.do !== 'finish') throw new Error('The run did not finish.');
  return last.result;
};
const [A, B] = ['own', 'against'] as const;

test('audits the two variants by turns, so that a drift hits both alike', () => {
  const played = play({ own: many(100), against: many(200) }, { samples: 4 });
  expect(played.turns).toEqual([A, B, B, A, A, B, B, A]);
  expect(resultOf(played)).toMatchObject({
    state: 'succeeded',
    samples: { length: 4 },
    against: { samples: { length: 4 } },
  });
});

test('keeps the samples and the attempts of the variants apart', () => {
  const played = play({ own: many(100), against: many(200) }, { samples: 2 });
  const result = resultOf(played);
  if (result.state !== 'succeeded') throw new Error('The run failed.');
  expect(result.samples.map(({ fcp }) => fcp)).toEqual([100, 101]);
  expect(result.against?.samples.map(({ fcp }) => fcp)).toEqual([200, 201]);
  expect(played.attempts.map(({ number, variant }) => [number, variant])).toEqual([
    [1, A],
    [2, B],
    [3, B],
    [4, A],
  ]);
});

test('a retry and a retake belong to the turn of their sample', () => {
  const own = [failure('browser-crashed'), success(100), success(101)];
  const against = [success(200, { contended: true }), success(201), success(202)];
  const played = play({ own, against }, { samples: 2 });
  expect(played.turns).toEqual([A, A, B, B, B, A]);
  expect(resultOf(played)).toMatchObject({ against: { samples: [{ fcp: 201 }, { fcp: 202 }] } });
});

test.each([A, B])('a page that fails as %s fails the run, and the error names the variant', (variant) => {
  const results = { own: many(100), against: many(200), [variant]: [failure('dns-failure')] };
  const result = resultOf(play(results));
  expect(result).toMatchObject({ state: 'failed', error: { code: 'dns-failure', variant } });
});

test('three failures of one variant end its attempts, and leave those of the other', () => {
  const crashes = [failure('browser-crashed'), failure('internal'), failure('no-screenshots')];
  const both = { own: [crashes[0], crashes[1], ...many(100)], against: [crashes[0], crashes[1], ...many(200)] };
  expect(resultOf(play(both as Results, { samples: 1 }))).toMatchObject({ state: 'succeeded' });
  const failed = resultOf(play({ own: many(100), against: crashes }));
  expect(failed).toMatchObject({ error: { code: 'no-screenshots', variant: B } });
});

test('a variant without attempts left ends the run with the samples of both, and warnings of the missing ones', () => {
  const crashes = [failure('browser-crashed'), failure('internal'), failure('no-screenshots')];
  const result = resultOf(play({ own: [success(100), ...crashes], against: many(200) }, { samples: 3 }));
  expect(result).toMatchObject({
    warnings: ['2 of 3 samples could not be measured.'],
    against: { samples: { length: 2 }, warnings: ['1 of 3 samples could not be measured.'] },
  });
});

test('a variant whose retakes failed lets the other one have its first sample', () => {
  const crashes = [failure('browser-crashed'), failure('internal'), failure('no-screenshots')];
  const own = [success(100, { contended: true }), ...crashes];
  const played = play({ own, against: many(200) }, { samples: 3 });
  expect(played.turns).toEqual([A, A, A, A, B]);
  expect(resultOf(played)).toMatchObject({ samples: { length: 1 }, against: { samples: { length: 1 } } });
});

test('a run out of time finishes if both variants have a sample, and is released otherwise', () => {
  const results = { own: many(100), against: many(200) };
  expect(play(results, { timeLeftMs: [600_000, 149_000] }).last).toEqual({ do: 'release' });
  const { last, turns } = play(results, { timeLeftMs: [600_000, 400_000, 149_000] });
  expect([last.do, turns]).toEqual(['finish', [A, B]]);
});

test('two hangs of one page blame that page, and one hang of each blames none', () => {
  const hang = failure('audit-timeout');
  const once = resultOf(play({ own: [hang, ...many(100)], against: [hang, ...many(200)] }, { samples: 1 }));
  expect(once.state).toBe('succeeded');
  const twice = resultOf(play({ own: many(100), against: [hang, hang] }, { samples: 1 }));
  expect(twice).toMatchObject({ error: { code: 'page-hung', variant: B } });
});

test('attempts of an earlier delivery count for their variant', () => {
  const earlier = play(
    { own: many(100), against: [failure('browser-crashed'), failure('internal')] },
    {
      timeLeftMs: [PLENTY_MS, PLENTY_MS, PLENTY_MS, 0],
    },
  ).attempts;
  const played = play({ own: many(100), against: [failure('no-screenshots')] }, { earlier });
  expect(resultOf(played)).toMatchObject({ error: { code: 'no-screenshots', variant: B } });
  expect(played.attempts.map(({ variant }) => variant)).toEqual([A, B, B, A, B]);
});

test('two minor versions share each load of the newer one, and a load that only one could judge is repeated by the other', () => {
  const shared = (fcp: number): AuditResult => ({ ...success(fcp), also: success(fcp + 1) });
  const loaded: AuditResult[] = [shared(100), success(200), shared(300)];
  const steps: Variant[] = [];
  let progress = initialProgress([], { isCompared: true, loader: 'own' });
  let step = next(progress, { samples: 3, timeLeftMs: PLENTY_MS });
  for (; step.do === 'audit'; step = next(progress, { samples: 3, timeLeftMs: PLENTY_MS })) {
    steps.push(step.variant);
    const result = step.variant === 'own' ? (loaded.shift() as AuditResult) : success(250);
    progress = record(progress, result, { ...time, variant: step.variant });
  }
  expect(steps).toEqual(['own', 'own', 'against', 'own']);
  if (step.do !== 'finish' || step.result.state !== 'succeeded') throw new Error('The run did not succeed.');
  expect(step.result.samples.map(({ fcp }) => fcp)).toEqual([100, 200, 300]);
  expect(step.result.against?.samples.map(({ fcp }) => fcp)).toEqual([101, 250, 301]);
  expect(progress.attempts.reduce((sum, { seconds }) => sum + seconds, 0)).toBe(4 * time.seconds);
});
