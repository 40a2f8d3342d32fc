import { expect, test } from 'vitest';
import {
  type AuditStep,
  initialProgress,
  next,
  type Progress,
  type RunResult,
  record,
  type Step,
  stepAfter,
  withStorageFailure,
} from '../../functions/auditor/verdict/attempts.ts';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { medianSample } from '../../functions/auditor/verdict/samples.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { MAX_SAMPLES } from '../../shared/options/audit-options.ts';
import { type RunProblemCode, runError } from '../../shared/problems.ts';
import type { Attempt } from '../../shared/run.ts';
import { functionRows } from '../../shared/service/functions.ts';
import { environment } from '../support/environment.ts';

/** A successful audit of a page whose first paint is at `fcp`. `cpuBusy` above 0 makes it contended. */
const success = (fcp: number, { cpuBusy = 0, tti = 2000 } = {}): AuditResult & { state: 'succeeded' } => ({
  ...emptyResult,
  state: 'succeeded',
  metrics: { ...noMetrics, fcp, tti },
  environment: { ...environment, cpuBusy, cpuWaitMs: 1000 * cpuBusy, contended: cpuBusy > 0 },
});
const failure = (
  code: RunProblemCode,
  { contended = false, auditCode = null as string | null, detail = '' } = {},
): AuditResult => ({
  ...emptyResult,
  state: 'failed',
  environment: { ...environment, contended },
  error: runError(code, { auditCode, ...(detail && { detail }) }),
});

const PLENTY_MS = 600_000;
const startedAt = new Date('2026-01-01T00:00:00.000Z');
const time = { startedAt, seconds: 6.5 };

/** Follows the steps of a run whose audits have these results. `timeLeftMs` is the time left before each step. */
const play = (
  results: readonly AuditResult[],
  { samples = 1, earlier = [] as readonly Attempt[], timeLeftMs = [] as number[] } = {},
) => {
  const steps: Step[] = [];
  const waiting = [...results];
  for (let progress: Progress = initialProgress(earlier); ; ) {
    const step = next(progress, { samples, timeLeftMs: timeLeftMs[steps.length] ?? PLENTY_MS });
    steps.push(step);
    if (step.do !== 'audit') return { steps, last: step, attempts: progress.attempts, audits: steps.length - 1 };
    const result = waiting.shift();
    if (!result) throw new Error('The run needs more audits than the test has results.');
    progress = record(progress, result, time);
  }
};
const resultOf = (results: readonly AuditResult[], options: Parameters<typeof play>[1] = {}): RunResult => {
  const { last } = play(results, options);
  if (last.do !== 'finish') throw new Error('The run did not finish.');
  return last.result;
};
/** The run's error code and its number of audits. */
const failedBy = (results: readonly AuditResult[], options: Parameters<typeof play>[1] = {}) => {
  const { last, audits } = play(results, options);
  if (last.do !== 'finish' || last.result.state !== 'failed') throw new Error('The run did not fail.');
  return [last.result.error.code, audits];
};

test('a successful audit finishes a run of one sample', () => {
  const { steps, attempts } = play([success(800)]);
  expect(steps[0]).toEqual({ do: 'audit', variant: 'own', skipOptionalParts: false, timedOnly: false });
  expect(steps[1]).toMatchObject({ do: 'finish', result: { state: 'succeeded', warnings: [], spread: null } });
  expect(attempts).toEqual([
    {
      number: 1,
      startedAt: '2026-01-01T00:00:00.000Z',
      finishedAt: '2026-01-01T00:00:06.500Z',
      seconds: 6.5,
      code: null,
      auditCode: null,
      contended: false,
    },
  ]);
});

test.each([
  ['on a page that takes 10 seconds', 10, MAX_SAMPLES],
  ['on a page that takes 30 seconds', 30, MAX_SAMPLES],
  ['on a page that takes 40 seconds, for as long as another attempt fits', 40, 12],
])('an invocation on Lambda takes the most samples %s', (_, secondsPerSample, taken) => {
  const { timeoutSeconds } = functionRows['run-audit'];
  const results = Array.from({ length: MAX_SAMPLES }, (_, i) => success(800 + i));
  const timeLeftMs = [...results, 0].map((_, i) => (timeoutSeconds - i * secondsPerSample) * 1000);
  const result = resultOf(results, { samples: MAX_SAMPLES, timeLeftMs });
  const missing = MAX_SAMPLES - taken;
  const warnings = missing > 0 ? [`${missing} of ${MAX_SAMPLES} samples could not be measured.`] : [];
  expect(result).toMatchObject({ state: 'succeeded', warnings, samples: { length: taken } });
});

test.each<[title: string, results: AuditResult[], code: RunProblemCode, audits: number]>([
  ['a fault of the page', [failure('dns-failure')], 'dns-failure', 1],
  ['three faults of the service', [failure('internal'), failure('internal'), failure('internal')], 'internal', 3],
  ['two crashes of the renderer', [failure('page-crashed'), failure('page-crashed')], 'page-crashed', 2],
  [
    'one crash of the renderer after two faults of the service',
    [failure('internal'), failure('internal'), failure('page-crashed')],
    'browser-crashed',
    3,
  ],
  ['two timeouts', [failure('audit-timeout'), failure('protocol-timeout')], 'page-hung', 2],
  ['two protocol timeouts', [failure('protocol-timeout'), failure('protocol-timeout')], 'page-hung', 2],
  [
    'two audit timeouts on a contended machine',
    [failure('audit-timeout', { contended: true }), failure('audit-timeout', { contended: true })],
    'audit-timeout',
    2,
  ],
  [
    'two protocol timeouts on a contended machine',
    [1, 2].map(() => failure('protocol-timeout', { contended: true })),
    'page-hung',
    2,
  ],
  [
    'timeouts of which one was on a contended machine',
    [failure('audit-timeout', { contended: true }), failure('protocol-timeout'), failure('protocol-timeout')],
    'page-hung',
    3,
  ],
  ['a hung page', [failure('page-hung', { auditCode: 'PAGE_HUNG' })], 'page-hung', 1],
  [
    'a page that stalled twice on a contended machine',
    [1, 2].map(() => failure('page-hung', { auditCode: 'PAGE_STALLED', contended: true })),
    'page-hung',
    2,
  ],
  [
    'a page that stalled after a timeout',
    [failure('audit-timeout'), failure('page-hung', { auditCode: 'PAGE_STALLED' })],
    'page-hung',
    2,
  ],
  [
    'a page that hung on a contended machine',
    [failure('page-hung', { auditCode: 'PAGE_HUNG', contended: true })],
    'page-hung',
    1,
  ],
])('%s fails the run', (_, results, code, audits) => {
  expect(failedBy([...results, success(1)])).toEqual([code, audits]);
});

test.each<[title: string, first: AuditResult]>([
  ['a fault of the service', failure('internal')],
  ['a crash of the renderer', failure('page-crashed')],
  ['a timeout', failure('audit-timeout')],
])('%s is retried, and the run can succeed', (_, first) => {
  expect(resultOf([first, success(800)]).state).toBe('succeeded');
});

test('the error of a page that timed out twice has the message of the newest attempt', () => {
  const detail = 'It did not answer.';
  const results = [failure('audit-timeout'), failure('protocol-timeout', { auditCode: 'PROTOCOL_TIMEOUT', detail })];
  const error = { code: 'page-hung', blame: 'page', auditCode: 'PROTOCOL_TIMEOUT', message: detail };
  expect(resultOf(results)).toMatchObject({ error });
  expect(resultOf([failure('audit-timeout'), failure('audit-timeout')])).toMatchObject({
    error: { code: 'page-hung', auditCode: null, message: 'The page stopped responding.' },
  });
});

test('the error of a page that hung has the code of its auditor', () => {
  const hung = failure('page-hung', { auditCode: 'PAGE_HUNG' });
  expect(resultOf([hung])).toMatchObject({ error: { code: 'page-hung', auditCode: 'PAGE_HUNG' } });
});

test('attempts of earlier deliveries count', () => {
  const { attempts } = play([failure('internal'), failure('internal'), failure('internal')]);
  expect(failedBy([], { earlier: attempts })).toEqual(['internal', 0]);
  expect(failedBy([failure('page-crashed')], { earlier: attempts.slice(0, 2) })).toEqual(['browser-crashed', 1]);
  const { attempts: crashed } = play([failure('page-crashed'), success(1)]);
  expect(failedBy([failure('page-crashed')], { earlier: crashed.slice(0, 1) })).toEqual(['page-crashed', 1]);
});

test('only an audit after a timeout skips the optional parts', () => {
  const leanOf = (first: AuditResult) =>
    play([first, success(1)]).steps.map((step) => step.do === 'audit' && step.skipOptionalParts);
  expect(leanOf(failure('audit-timeout'))).toEqual([false, true, false]);
  expect(leanOf(failure('page-hung', { auditCode: 'PAGE_STALLED' }))).toEqual([false, true, false]);
  expect(leanOf(failure('protocol-timeout'))).toEqual([false, true, false]);
  expect(leanOf(failure('browser-crashed'))).toEqual([false, false, false]);
});

test('a contended sample is retaken, and an uncontended one counts', () => {
  const { last } = play([success(900, { cpuBusy: 0.9 }), success(600)]);
  expect(last).toMatchObject({ result: { metrics: { fcp: 600 }, warnings: [] } });
});

test('the least contended sample counts if the retake is contended too, and a warning says so', () => {
  const results = [success(900, { cpuBusy: 0.9 }), success(901, { cpuBusy: 0.4 })];
  const result = resultOf(results);
  expect(result).toMatchObject({
    metrics: { fcp: 901 },
    samples: [{ fcp: 901, cpuBusy: 0.4, contended: true }],
  });
  const warning = 'The machine was busy, and the times could not be corrected. The performance score may be too low.';
  expect(result.warnings).toEqual([warning]);
  expect(play(results.toReversed()).last).toMatchObject({ result: { metrics: { fcp: 901 } } });
});

test('a run retakes one sample, because a load that stays would spoil the others too', () => {
  const contended = [900, 901, 902, 903].map((fcp) => success(fcp, { cpuBusy: 0.9 }));
  expect(play(contended, { samples: 3 })).toMatchObject({
    audits: 4,
    last: { result: { samples: { length: 3 } } },
  });
});

test('a failed retake keeps the contended sample', () => {
  const { last, attempts } = play([success(900, { cpuBusy: 0.9 }), failure('page-hung')]);
  const warnings = [expect.stringMatching(/performance score may be too low/)];
  expect(last).toMatchObject({ result: { state: 'succeeded', metrics: { fcp: 900 }, warnings } });
  expect(attempts.map(({ code }) => code)).toEqual([null, 'page-hung']);
});

test('the median sample is shown with the values and the spread of all', () => {
  const result = resultOf([success(900), success(700), success(800)], { samples: 3 });
  expect(result).toMatchObject({
    metrics: { fcp: 800 },
    samples: [{ fcp: 900 }, { fcp: 700 }, { fcp: 800 }],
    spread: { fcp: { min: 700, max: 900 }, performance: null },
  });
});

test('parts without noise are audited until a sample counts, and in no later sample', () => {
  const timedOnly = (results: readonly AuditResult[]) =>
    play(results, { samples: 3 }).steps.flatMap((step) => (step.do === 'audit' ? step.timedOnly : []));
  const [a, b, c] = [success(900), success(700), success(800)];
  expect(timedOnly([a, b, c])).toEqual([false, true, true]);
  expect(timedOnly([failure('browser-crashed'), a, b, c])).toEqual([false, false, true, true]);
  expect(timedOnly([success(900, { cpuBusy: 0.9 }), a, b, c])).toEqual([false, false, true, true]);
  expect(timedOnly([a, failure('internal'), b, c])).toEqual([false, true, true, true]);
});

test('the audit that comes after a sample is known unless the run may end with it', () => {
  const limits = { samples: 2, timeLeftMs: PLENTY_MS };
  const after = (progress: Progress) => stepAfter(progress, next(progress, limits) as AuditStep, limits);
  const alone = initialProgress([]);
  expect(after(alone)).toMatchObject({ variant: 'own', timedOnly: true });
  expect(after(record(alone, success(800), time))).toBeUndefined();
  const turns = initialProgress([], { isCompared: true });
  expect(after(turns)).toMatchObject({ variant: 'against', timedOnly: false });
  const shared = initialProgress([], { isCompared: true, loader: 'against' });
  expect(after(shared)).toMatchObject({ variant: 'against', timedOnly: true });
});

test('the median sample has the scores, the warnings and the report of the parts that only the first sample has', () => {
  const parts = { seo: 82, bestPractices: 96, accessibility: 61 };
  const first = success(900);
  const whole = {
    ...{
      ...first,
      warnings: ['of the load', 'of a rule'],
      steadyWarnings: ['of a rule'],
      finalUrl: 'https://a.example/',
    },
    metrics: { ...first.metrics, ...parts },
    report: { gzip: Buffer.from('first'), bytes: 5 },
  };
  const last = { ...success(800), warnings: ['of the shown load'], finalUrl: 'https://b.example/' };
  const result = resultOf([whole, success(700), last], { samples: 3 });
  expect(result).toMatchObject({ metrics: { fcp: 800, ...parts }, firstReport: whole.report });
  expect(result).toMatchObject({
    samples: [parts, { seo: null }, { seo: null }],
    spread: { seo: { min: 82, max: 82 } },
  });
  expect(result.warnings).toEqual([
    'of the shown load',
    'of a rule',
    expect.stringMatching(/first sample.*a\.example/),
  ]);
  const shown = resultOf([{ ...whole, metrics: { ...whole.metrics, fcp: 750 } }, success(700), last], { samples: 3 });
  expect(shown).toMatchObject({ metrics: { fcp: 750 }, warnings: whole.warnings });
  expect(shown).not.toHaveProperty('firstReport');
});

test('a fault of the page in one sample fails the run', () => {
  expect(failedBy([success(800), failure('http-error')], { samples: 3 })).toEqual(['http-error', 2]);
});

test('a run that is out of attempts succeeds with the samples that it has, and a warning gives their number', () => {
  const results = [success(800), failure('internal'), failure('internal'), failure('internal')];
  const result = resultOf(results, { samples: 3 });
  expect(result).toMatchObject({ state: 'succeeded', metrics: { fcp: 800 } });
  expect(result.warnings[0]).toBe('2 of 3 samples could not be measured.');
});

test('a warning about blocked requests stays before the warnings of the run', () => {
  const blocked = { ...success(800, { cpuBusy: 0.9 }), blockedRequestCount: 1, warnings: ['blocked', 'other'] };
  const failures = [1, 2, 3].map(() => failure('internal'));
  const { warnings } = resultOf([blocked, blocked, ...failures], { samples: 2 });
  expect(warnings).toEqual([
    'blocked',
    '1 of 2 samples could not be measured.',
    expect.stringMatching(/^The machine was busy/),
    'other',
  ]);
});

test('an invocation with too little time left releases the run', () => {
  expect(play([], { timeLeftMs: [149_999] }).last).toEqual({ do: 'release' });
  expect(play([failure('internal')], { timeLeftMs: [PLENTY_MS, 149_999] }).last).toEqual({ do: 'release' });
  expect(play([success(1)], { timeLeftMs: [150_000] }).last.do).toBe('finish');
});

test('an invocation with too little time left finishes the run if it has a sample or a candidate', () => {
  const timeLeftMs = [PLENTY_MS, 149_999];
  expect(resultOf([success(800)], { samples: 2, timeLeftMs })).toMatchObject({ metrics: { fcp: 800 } });
  const contended = resultOf([success(900, { cpuBusy: 0.9 })], { timeLeftMs });
  expect(contended).toMatchObject({ state: 'succeeded', metrics: { fcp: 900 } });
});

test('a report that can not be stored makes the newest attempt a failure', () => {
  const { attempts } = play([failure('internal'), success(800)]);
  expect(withStorageFailure(attempts).map(({ number, code }) => [number, code])).toEqual([
    [1, 'internal'],
    [2, 'storage-failure'],
  ]);
  expect(attempts[1]?.code).toBeNull();
});

test('the median sample is the nearest to the medians of FCP and TTI, in full precision', () => {
  const samples = [
    success(800.4, { tti: 2000 }),
    success(800.1, { tti: 2000 }),
    success(800.2, { tti: 2000 }),
  ] as const;
  expect(medianSample(samples)).toBe(samples[2]);
  const unmeasured = { ...success(1), metrics: noMetrics };
  expect(medianSample([unmeasured, success(1)])).toBe(unmeasured);
});
