import { areClear, pairsNeeded } from '../../../shared/comparison/looks.ts';
import { noMetrics } from '../../../shared/metrics/page-metrics.ts';
import type { Sample } from '../../../shared/metrics/page-metrics-schemas.ts';
import type { Samples } from '../../../shared/options/audit-options.ts';
import { looks, MAX_PAIRS, type Variant } from '../../../shared/options/variants.ts';
import { type Attempt, countFailures, MAX_ATTEMPTS, type Turns } from '../../../shared/run.ts';
import { latest } from '../../../shared/times.ts';
import { type AuditResult, emptyResult } from './judge.ts';
import { errorOf, isHang, isRetried } from './retry-rules.ts';
import { leastContended, type MeasuredResult, measuredResult, type Succeeded, sampleOf } from './samples.ts';

type Failed = Extract<AuditResult, { state: 'failed' }>;

/** Result of a run: that of its own variant, with that of `against` beside it. A failed run has the failure of one. */
export type RunResult =
  | (MeasuredResult & { against?: MeasuredResult; turns?: Turns })
  | (Failed & { against?: Omit<Failed, 'state'> });

/** Audits of a variant in this delivery. */
type Taken = {
  /** Samples that count. */
  samples: readonly Succeeded[];
  /** Audits of the current sample that succeeded. The least contended one will count. */
  candidates: readonly Succeeded[];
  /** True if a contended sample was retaken. There is one retake, because a load that stays would spoil more of them too. */
  isRetaken?: boolean;
  /** Newest audit that failed. */
  failure?: Failed;
  /** Consequence of the newest audit if it failed: another audit, or the end of the run. */
  afterFailure?: 'retry' | 'fail' | undefined;
};

export type Progress = {
  /** All attempts of the run, also those of earlier deliveries of its job. */
  attempts: readonly Attempt[];
  own: Taken;
  /** The second variant, if the check has one. */
  against?: Taken;
  /** The variant whose loads are judged for both. Without it, the variants load in turns. */
  loader?: Variant | undefined;
  /** Regions of the check. They share the chance of a false verdict. */
  regions?: number | undefined;
};

/** Variant and time of an attempt. `seconds` comes from a clock that nobody can set. */
export type Attempted = { variant?: Variant; startedAt: Date; seconds: number };

/** An audit of a variant. `timedOnly` leaves out the parts without noise, which another sample of the variant has. */
export type AuditStep = { do: 'audit'; variant: Variant; skipOptionalParts: boolean; timedOnly: boolean };
export type Step = AuditStep | { do: 'finish'; result: RunResult } | { do: 'release' };

/** Time of the invocation that an attempt needs: its time limit, and the time to store its result. In milliseconds. */
const ATTEMPT_MS = 150_000;

const nothing: Taken = { samples: [], candidates: [] };
type Compared = { isCompared?: boolean } & Pick<Progress, 'loader' | 'regions'>;
export const initialProgress = (
  attempts: readonly Attempt[],
  { isCompared = false, ...compared }: Compared = {},
): Progress => ({
  attempts,
  own: nothing,
  ...(isCompared && { against: nothing, ...compared }),
});

/**
 * Returns the next step of a run: audit a variant of the page, finish the run, or release it to another invocation. The
 * check asks for `samples` of each variant. A variant without attempts left ends the run with the samples that it has, if the other variant has as many.
 */
export const next = (
  progress: Progress,
  { samples: asked, timeLeftMs }: { samples: Samples; timeLeftMs: number },
): Step => {
  const states = statesOf(progress);
  const { regions = 1 } = progress;
  const wanted = asked === 'auto' ? pairsNeeded(samplesOf(progress), regions) : asked;
  const shortBy = (stopped: 'failures' | 'time') => (asked === 'auto' ? { stopped, regions } : undefined);
  const goal = Math.min(wanted, ...states.filter(({ isSpent }) => isSpent).map(({ measured }) => measured.length));
  const failed = states.find(
    (state) => state.afterFailure === 'fail' || (state.isSpent && state.measured.length === 0),
  );
  if (failed) return { do: 'finish', result: failedResult(failed) };

  if (states.every(({ samples, isSpent }) => isSpent || samples.length >= goal)) {
    return finish(states, wanted, shortBy('failures'));
  }
  if (timeLeftMs >= ATTEMPT_MS) {
    const { variant, attempts, samples } = turnOf(states, progress.loader);
    return { do: 'audit', variant, skipOptionalParts: attempts.some(isHang), timedOnly: samples.length > 0 };
  }
  if (states.some(({ measured }) => measured.length === 0)) return { do: 'release' };
  return finish(states, wanted, shortBy('time'));
};

/** Returns the audit that comes after another one, if that gives a sample. Returns undefined if the run may end then. */
export const stepAfter = (
  progress: Progress,
  { variant }: AuditStep,
  limits: Parameters<typeof next>[1],
): AuditStep | undefined => {
  const sample = { ...emptyResult, state: 'succeeded' as const, metrics: noMetrics };
  const result = progress.loader === variant ? { ...sample, also: sample } : sample;
  const step = next(record(progress, result, { variant, startedAt: new Date(0), seconds: 0 }), limits);
  return step.do === 'audit' ? step : undefined;
};

/** A variant with its own attempts. */
type State = Taken & {
  variant: Variant;
  attempts: readonly Attempt[];
  /** True if no attempts are left. */
  isSpent: boolean;
  /** Its samples, also one that was to be retaken. */
  measured: readonly Succeeded[];
};

const statesOf = ({ attempts: all, own, against }: Progress): readonly State[] =>
  [{ variant: 'own' as const, ...own }, ...(against ? [{ variant: 'against' as const, ...against }] : [])].map(
    ({ samples, candidates, ...state }) => {
      const attempts = attemptsOf(all, state.variant);
      const measured = candidates.length > 0 ? [...samples, leastContended(candidates)] : samples;
      return {
        ...state,
        samples,
        candidates,
        measured,
        attempts,
        isSpent: countFailures(attempts) >= MAX_ATTEMPTS,
      };
    },
  );

const attemptsOf = (attempts: readonly Attempt[], variant: Variant): Attempt[] =>
  attempts.filter((attempt) => (attempt.variant ?? 'own') === variant);

/** Returns the variant that is audited next, in the order A, B, B, A, or the loader of both. A retake or a retry belongs to the turn of its sample. */
const turnOf = (states: readonly State[], loader: Variant | undefined): State => {
  const [own, against] = states as [State, State?];
  if (!against) return own;
  const [ofOwn, ofAgainst] = [own, against].map(({ isSpent, measured, samples }) =>
    isSpent ? measured.length : samples.length,
  ) as [number, number];
  if (ofOwn === ofAgainst) return (loader ?? (ofOwn % 2 === 0 ? 'own' : 'against')) === 'own' ? own : against;
  return ofOwn < ofAgainst ? own : against;
};

/** Why automatic samples end, unless the changes are clear, and the regions of the check. */
type Short = { stopped: Turns['stopped']; regions: number };

/** Ends a run with the samples that it has. With automatic samples, `short` says why they are fewer than needed, if they are. */
const finish = (states: readonly State[], wanted: number, short?: Short): Step => {
  const taken = states.map(({ measured, samples }) => (samples.length >= wanted ? samples : measured));
  const [own, against] = taken.map((samples) => measuredResult(samples, short ? samples.length : wanted));
  const turns = short && against && turnsOf(own as MeasuredResult, against, short);
  return { do: 'finish', result: { ...(own as MeasuredResult), ...(against && { against }), ...(turns && { turns }) } };
};

const turnsOf = (
  { samples: own }: MeasuredResult,
  { samples: against }: MeasuredResult,
  { stopped, regions }: Short,
): Turns => {
  const pairs = Math.min(own.length, against.length);
  if (pairs >= looks[0] && areClear({ own, against }, regions)) return { pairs, stopped: 'clear' };
  return { pairs, stopped: pairs >= MAX_PAIRS ? 'most' : stopped };
};

/** Returns the progress after one more audit. The result by another release is a sample of the other variant, which needs no time. */
export const record = (
  progress: Progress,
  { also, ...result }: AuditResult,
  { variant = 'own', ...time }: Attempted,
): Progress => {
  const after = recordOne(progress, result, { variant, ...time });
  const other = variant === 'own' ? 'against' : 'own';
  const isAhead = (progress[other]?.samples.length ?? 0) > (progress[variant]?.samples.length ?? 0);
  return also && !isAhead ? recordOne(after, also, { ...time, variant: other, seconds: 0 }) : after;
};

const recordOne = (progress: Progress, result: AuditResult, { variant = 'own', ...time }: Attempted): Progress => {
  const attempt = { ...attemptOf(progress.attempts, result, time), ...(progress.against && { variant }) };
  const attempts = [...progress.attempts, attempt];
  const taken = takenAfter(progress[variant] ?? nothing, result, attemptsOf(attempts, variant));
  return { ...progress, attempts, [variant]: taken };
};

/** Returns the audits of a variant after one more audit. `attempts` are those of the variant. */
const takenAfter = (taken: Taken, result: AuditResult, attempts: readonly Attempt[]): Taken => {
  const { samples, candidates } = taken;
  if (result.state === 'failed' && isRetried(attempts)) return { ...taken, failure: result, afterFailure: 'retry' };
  if (result.state === 'failed' && candidates.length === 0) {
    return { ...taken, failure: result, afterFailure: 'fail' };
  }
  // A failed retake does not fail the run, because the page was measured before.
  const all = result.state === 'succeeded' ? [...candidates, result] : candidates;
  const retake = result.state === 'succeeded' && result.environment?.contended && !taken.isRetaken;
  const after = retake
    ? { candidates: all, isRetaken: true }
    : { samples: [...samples, leastContended(all)], candidates: [] };
  return { ...taken, ...after, afterFailure: undefined };
};

const samplesOf = ({ own, against = nothing }: Progress) => ({
  own: own.samples.map(sampleOf),
  against: against.samples.map(sampleOf),
});

/** Attempts and samples of a run while it is in work. */
export type Recorded = { attempts: readonly Attempt[]; samples: readonly Sample[]; against?: readonly Sample[] };

/** Returns what the run stores of its progress while it is in work. */
export const recordOf = ({ attempts, own, against }: Progress): Recorded => ({
  attempts,
  samples: own.samples.map(sampleOf),
  ...(against && { against: against.samples.map(sampleOf) }),
});

/** Returns the attempts after a report of a variant could not be stored. Its newest attempt then counts as failed. */
export const withStorageFailure = (attempts: readonly Attempt[], variant: Variant = 'own'): Attempt[] => {
  const newest = attemptsOf(attempts, variant).at(-1);
  return attempts.map((attempt) => (attempt === newest ? { ...attempt, code: 'storage-failure' } : attempt));
};

/** Returns the failure of a run. The fields of an audit are those of the variant that failed. */
const failedResult = ({ variant, attempts, failure }: State): RunResult => {
  const failed = failure ?? emptyResult;
  const isNamed = attempts.some((attempt) => attempt.variant !== undefined);
  const error = { ...errorOf(attempts, failure?.error), ...(isNamed && { variant }) };
  if (variant === 'own') return { ...failed, state: 'failed', error };
  return { ...emptyResult, state: 'failed', error, against: { ...failed, error } };
};

/** An attempt starts no earlier than the previous one ended, even if the clock was set back. */
const attemptOf = (
  earlier: readonly Attempt[],
  result: AuditResult,
  { startedAt, seconds }: Omit<Attempted, 'variant'>,
): Attempt => {
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
