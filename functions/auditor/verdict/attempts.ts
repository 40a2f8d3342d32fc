import { computeMedianRun } from 'lighthouse/core/lib/median-run.js';
import { spreadOf } from '../../../shared/page-metrics.ts';
import type { Sample, Spread } from '../../../shared/page-metrics-schemas.ts';
import { type Attempt, countFailures, MAX_ATTEMPTS } from '../../../shared/run.ts';
import { latest } from '../../../shared/times.ts';
import { type AuditResult, emptyResult } from './judge.ts';
import { errorOf, isHang, isRetried } from './retry-rules.ts';

type Succeeded = Extract<AuditResult, { state: 'succeeded' }>;
type Failed = Extract<AuditResult, { state: 'failed' }>;

/** Result of a run: its median sample with the values of all samples, or the failure. */
export type RunResult = (Succeeded & { samples: Sample[]; spread: Spread | null }) | Failed;

export type Rules = {
  /** Samples that the check asks for. */
  samples: number;
  /** How often the auditor retakes a sample that was measured on a contended machine. */
  maxRetakes: number;
};

export type Progress = {
  /** All attempts of the run, also those of earlier deliveries of its job. */
  attempts: readonly Attempt[];
  /** Samples that count. */
  samples: readonly Succeeded[];
  /** Audits of the current sample that succeeded. The least contended one will count. */
  candidates: readonly Succeeded[];
  /** Newest audit that failed in this delivery. */
  failure?: Failed;
  /** Consequence of the newest audit if it failed: another audit, or the end of the run. */
  afterFailure?: 'retry' | 'fail' | undefined;
};

/** Time of an attempt. `seconds` comes from a clock that nobody can set. */
export type AttemptTime = { startedAt: Date; seconds: number };

export type Step =
  | { do: 'audit'; skipOptionalParts: boolean; isRetake: boolean }
  | { do: 'finish'; result: RunResult }
  | { do: 'release' };

/** Time of the invocation that an attempt needs: its time limit, and the time to store its result. In milliseconds. */
const ATTEMPT_MS = 150_000;

export const initialProgress = (attempts: readonly Attempt[]): Progress => ({ attempts, samples: [], candidates: [] });

/** Returns the next step of a run: audit the page, finish the run, or release it to another invocation. */
export const next = (
  { attempts, samples, candidates, failure, afterFailure }: Progress,
  { samples: wanted, timeLeftMs }: Pick<Rules, 'samples'> & { timeLeftMs: number },
): Step => {
  if (afterFailure === 'fail') return { do: 'finish', result: failedResult(attempts, failure) };
  if (samples.length >= wanted) return { do: 'finish', result: measuredResult(samples, wanted) };

  const outOfAttempts = countFailures(attempts) >= MAX_ATTEMPTS;
  if (!outOfAttempts && timeLeftMs >= ATTEMPT_MS) {
    return { do: 'audit', skipOptionalParts: attempts.some(isHang), isRetake: candidates.length > 0 };
  }
  const measured = candidates.length > 0 ? [...samples, leastContended(candidates)] : samples;
  if (measured.length > 0) return { do: 'finish', result: measuredResult(measured, wanted) };
  return outOfAttempts ? { do: 'finish', result: failedResult(attempts, failure) } : { do: 'release' };
};

/** Returns the progress after one more audit. */
export const record = (
  progress: Progress,
  result: AuditResult,
  time: AttemptTime,
  { maxRetakes }: Pick<Rules, 'maxRetakes'>,
): Progress => {
  const { samples, candidates } = progress;
  const attempts = [...progress.attempts, attemptOf(progress.attempts, result, time)];
  if (result.state === 'failed' && isRetried(attempts)) {
    return { ...progress, attempts, failure: result, afterFailure: 'retry' };
  }
  if (result.state === 'failed' && candidates.length === 0) {
    return { ...progress, attempts, failure: result, afterFailure: 'fail' };
  }
  // A failed retake does not fail the run, because the page was measured before.
  const all = result.state === 'succeeded' ? [...candidates, result] : candidates;
  const retake = result.state === 'succeeded' && result.environment?.contended && all.length <= maxRetakes;
  const taken = retake ? { candidates: all } : { samples: [...samples, leastContended(all)], candidates: [] };
  return { ...progress, ...taken, attempts, afterFailure: undefined };
};

/** Returns the progress if the current sample is not retaken, because the machine stays busy. */
export const withoutRetake = (progress: Progress): Progress => ({
  ...progress,
  samples: [...progress.samples, leastContended(progress.candidates)],
  candidates: [],
});

/** Returns what the run stores of its progress while it is in work. */
export const recordOf = ({ attempts, samples }: Progress): { attempts: readonly Attempt[]; samples: Sample[] } => ({
  attempts,
  samples: samples.map(sampleOf),
});

/** Returns the attempts after a report could not be stored. The newest attempt then counts as failed. */
export const withStorageFailure = (attempts: readonly Attempt[]): Attempt[] => [
  ...attempts.slice(0, -1),
  { ...(attempts.at(-1) as Attempt), code: 'storage-failure' },
];

/**
 * Returns the sample that Lighthouse would choose: the sample nearest to the median FCP and the median TTI. Returns the first
 * sample if performance was not measured.
 */
export const medianSample = <Measured extends Pick<Succeeded, 'metrics'>>(
  samples: readonly [Measured, ...Measured[]],
): Measured => {
  if (samples.some(({ metrics }) => metrics.fcp === null || metrics.tti === null)) return samples[0];
  const runs = samples.map((sample) => ({
    sample,
    audits: {
      'first-contentful-paint': { numericValue: sample.metrics.fcp },
      interactive: { numericValue: sample.metrics.tti },
    },
  }));
  return (computeMedianRun(runs as never) as unknown as (typeof runs)[number]).sample;
};

const measuredResult = (samples: readonly Succeeded[], wanted: number): RunResult => {
  const median = medianSample(samples as [Succeeded, ...Succeeded[]]);
  const missing = wanted - samples.length;
  const ofRun = [
    ...(missing > 0 ? [`${missing} of ${wanted} samples could not be measured.`] : []),
    ...(median.environment?.contended ? [CONTENDED] : []),
  ];
  const first = median.blockedRequestCount > 0 ? 1 : 0; // the warning about blocked requests stays first
  return {
    ...median,
    warnings: median.warnings.toSpliced(first, 0, ...ofRun),
    samples: samples.map(sampleOf),
    spread: spreadOf(samples.map(({ metrics }) => metrics)),
  };
};

const sampleOf = ({ metrics, environment }: Succeeded): Sample => ({
  ...metrics,
  cpuBusy: environment?.cpuBusy ?? null,
  contended: environment?.contended ?? null,
});

const CONTENDED = 'Other processes used the CPU during the measurement. The performance score may be too low.';

const leastContended = (candidates: readonly Succeeded[]): Succeeded =>
  candidates.find(({ environment }) => !environment?.contended) ??
  (candidates.toSorted((a, b) => (a.environment?.cpuBusy ?? 0) - (b.environment?.cpuBusy ?? 0))[0] as Succeeded);

const failedResult = (attempts: readonly Attempt[], failure: Failed | undefined): RunResult => ({
  ...(failure ?? emptyResult),
  state: 'failed',
  error: errorOf(attempts, failure?.error),
});

/** An attempt starts no earlier than the previous one ended, even if the clock was set back. */
const attemptOf = (earlier: readonly Attempt[], result: AuditResult, { startedAt, seconds }: AttemptTime): Attempt => {
  const start = latest(startedAt.toISOString(), earlier.at(-1)?.finishedAt);
  return {
    number: earlier.length + 1,
    startedAt: start,
    finishedAt: new Date(Date.parse(start) + seconds * 1000).toISOString(),
    seconds,
    code: result.state === 'failed' ? result.error.code : null,
    auditCode: result.state === 'failed' ? result.error.auditCode : null,
    contended: result.environment?.contended ?? false,
  };
};
