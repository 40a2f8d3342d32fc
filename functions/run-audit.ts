import { randomUUID } from 'node:crypto';
import type { Secrets } from '../shared/options/secrets.ts';
import { runError } from '../shared/problems.ts';
import { type Attempt, countFailures, MAX_ATTEMPTS } from '../shared/run.ts';
import { AuditJob } from '../shared/service/audit-job.ts';
import { isFinished } from '../shared/states.ts';
import { latest, secondsSince } from '../shared/times.ts';
import { spentInstance } from './auditor/host/free-resources.ts';
import { isTimed } from './auditor/messages.ts';
import type { Auditors } from './auditor/parent/auditors.ts';
import { closeSharedAuditors, sharedAuditors } from './auditor/parent/shared-auditors.ts';
import {
  type AuditStep,
  initialProgress,
  next,
  type RunResult,
  record,
  recordOf,
  stepAfter,
  withStorageFailure,
} from './auditor/verdict/attempts.ts';
import { type AuditResult, emptyResult } from './auditor/verdict/judge.ts';
import { envOf } from './lib/environment.ts';
import { idsOf, log } from './lib/log.ts';
import { closingDb } from './lib/queue/closing-db.ts';
import { queue } from './lib/queue/consumer.ts';
import { redactText } from './lib/redact.ts';
import { pause, retry } from './lib/retry.ts';
import { assertRun } from './lib/runs/assert-run.ts';
import { auditsAhead } from './lib/runs/audits-ahead.ts';
import { claimRun } from './lib/runs/claim.ts';
import { readSecrets, secretsFor, secretsGone } from './lib/runs/read-secrets.ts';
import { recordFailure, recordProgress } from './lib/runs/record-attempt.ts';
import { emitFinished, emitMeasured } from './lib/runs/run-metrics.ts';
import { againstOf, alsoBy, inputsOf, loaderOf } from './lib/runs/run-variants.ts';
import { type StoredReports, storeReports, storeReportsOfParts } from './lib/runs/store-report.ts';
import { withWholeReports } from './lib/runs/whole-reports.ts';
import { type CheckStore, checkStore } from './lib/store/checks.ts';
import {
  keepRenewed,
  type Lease,
  LeaseLostError,
  type LeaseStore,
  leaseStore,
  type Outcome,
} from './lib/store/leases.ts';
import { type RegionStore, regionStore } from './lib/store/regions.ts';
import { type Reports, reports } from './lib/store/reports.ts';
import { type SecretStore, secretStore } from './lib/store/secrets.ts';

/** Handles one job of this region's queue: claims the run, audits the page, stores the report, finishes the run. */
export const handler = queue({ schema: AuditJob, whySpent: spentInstance }, () => {
  const env = envOf('run-audit');
  const secrets = secretStore(env);
  const db = closingDb(env, secrets);
  return runAudit({
    secrets,
    store: checkStore(db),
    leases: leaseStore(db),
    reports: reports(env),
    auditors: sharedAuditors(),
    hasRoom: () => sharedAuditors().running() < env.AUDITS_AT_ONCE,
    regions: regionStore(db),
    stopping: shutdown.signal,
  });
});

/** Unpacks Chromium and starts an auditor, so that the first audit starts sooner. */
export const prepare = () => sharedAuditors().prepare();

/** Stops the audits at work and releases their runs. No audit starts in this process afterwards. */
export const shutDown = async (): Promise<void> => {
  shutdown.abort();
  await closeSharedAuditors();
};
const shutdown = new AbortController();

type Deps = {
  secrets: Pick<SecretStore, 'get'>;
  store: Pick<CheckStore, 'findRunOfAnyOwner' | 'assertionsOf' | 'closeIfFinished'>;
  leases: LeaseStore;
  reports: Pick<Reports, 'put'>;
  auditors: Pick<Auditors, 'audit'>;
  /** Returns true if this process may start one more audit. */
  hasRoom?: () => boolean;
  regions?: Pick<RegionStore, 'recordSuccess'>;
  stopping?: AbortSignal;
  now?: () => Date;
  newId?: () => string;
  retryDelaysMs?: readonly number[];
};

type Work = Required<Omit<Deps, 'stopping' | 'newId' | 'regions'>> & {
  regions?: Deps['regions'] | undefined;
  lease: Lease;
  /** Aborts when the lease is lost or the service stops. */
  signal: AbortSignal;
  remainingMs: () => number;
};

/** Delays between attempts, and between retries of a write. */
const RETRY_DELAYS_MS = [500, 2000, 5000, 10_000];
/** Time of the invocation that is kept for its end, in milliseconds. */
const END_MS = 1000;

export const runAudit =
  ({ stopping, now = () => new Date(), newId = randomUUID, ...deps }: Deps) =>
  async (job: AuditJob, remainingMs: () => number): Promise<void> => {
    const { store, leases, retryDelaysMs = RETRY_DELAYS_MS, hasRoom = () => false } = deps;
    const { checkId, runId } = job;
    log.debug('The job is received.', { checkId, runId });
    const { run, lease } = await claimRun({ store, leases, retryDelaysMs, now }, job, newId(), stopping);
    if (!run || !lease) {
      log.info('The job is a duplicate.', { ...(run ? idsOf(run) : { checkId, runId }), state: run?.state ?? 'gone' });
      // The worker that ended the run may have died before it closed the check and deleted the message.
      if (run && isFinished(run.state)) await store.closeIfFinished(checkId, now());
      return;
    }
    log.info('The run is claimed.', idsOf(lease.run)); // the last line of a run whose instance dies

    await using renewal = keepRenewed(leases, lease, now);
    const signal = AbortSignal.any([renewal.lost, ...(stopping ? [stopping] : [])]);
    try {
      await auditAndFinish({ ...deps, now, retryDelaysMs, hasRoom, lease, signal, remainingMs });
    } catch (error) {
      if (error instanceof OutOfTimeError || stopping?.aborted) {
        log.info('The run is released.', { ...idsOf(lease.run), error: error as Error });
        await leases.release(lease, now());
      } else if (error instanceof LeaseLostError) {
        log.warn('The lease is lost.', idsOf(lease.run));
      } else throw error;
    }
  };

/** Audits the page until the result is stored, then finishes the run. */
const auditAndFinish = async (work: Work): Promise<void> => {
  let { attempts }: { attempts: readonly Attempt[] } = work.lease.run;
  const secrets = await readSecrets(work);
  if (secrets === 'gone') {
    const result = { ...emptyResult, state: 'failed', error: secretsGone() } as const;
    return finishRun(work, result, { own: undefined, against: undefined }, attempts);
  }
  for (;;) {
    const measured = await measure(work, secrets, attempts);
    attempts = measured.attempts;
    const { result } = measured;
    const written = { own: result.report, against: result.against?.report };
    const reports = await storeReports(work, written, attempts.length, result.state === 'succeeded');
    if ('stored' in reports) return finishRun(work, result, reports.stored, attempts);
    attempts = withStorageFailure(attempts, reports.failed);
    await recordFailure(work, { attempts, samples: [] }, runError('storage-failure')); // no time is left, so the next step ends the work
  }
};

/** Audits the page until the run has enough samples or failures, or no time is left. */
const measure = async (work: Work, secrets: Secrets | undefined, earlier: readonly Attempt[]) => {
  const { lease, now, remainingMs, hasRoom } = work;
  const { samples } = lease.run.options;
  const audits = auditsAhead((step: AuditStep, cancelled, onMeasured) =>
    audit(work, step, secrets, { onMeasured, signal: AbortSignal.any([work.signal, cancelled]) }),
  );
  using _ = audits;
  let recorded = earlier.length; // finishing the run records its last attempt
  const { run } = lease;
  const compared = { isCompared: run.against !== null, loader: loaderOf(run), regions: run.regionCount };
  for (let progress = initialProgress(earlier, compared); ; ) {
    const step = next(progress, { samples, timeLeftMs: remainingMs() });
    if (step.do === 'finish') return { result: await withWholeReports(step.result), attempts: progress.attempts };
    if (step.do === 'release') throw new OutOfTimeError('The invocation has too little time left for another attempt.');
    if (progress.attempts.length > recorded) await recordProgress(work, recordOf(progress));
    recorded = progress.attempts.length;
    const startedAt = new Date(latest(now().toISOString(), lease.run.updatedAt));
    const start = performance.now();
    const before = progress;
    const result = await audits.run(step, () =>
      hasRoom() ? stepAfter(before, step, { samples, timeLeftMs: remainingMs() }) : undefined,
    );
    const seconds = Math.round(performance.now() - start) / 1000;
    progress = record(progress, result, { variant: step.variant, startedAt, seconds });
    if (result.state === 'failed' && progress[step.variant]?.afterFailure === 'retry') {
      await recordFailure(work, recordOf(progress), result.error);
      recorded = progress.attempts.length;
      if (countFailures(progress.attempts) < MAX_ATTEMPTS) await pauseAfter(progress.attempts, work);
    }
  }
};

/** Audits a variant once in a fresh process. Throws only if `signal` aborts. */
const audit = async (
  { auditors, lease, hasRoom }: Work,
  { variant, ...step }: AuditStep,
  given: Secrets | undefined,
  { signal, onMeasured }: { signal: AbortSignal; onMeasured: () => void },
): Promise<AuditResult> => {
  const secrets = secretsFor(lease.run, variant, given);
  const inputs = inputsOf(lease.run, variant);
  const { options, against } = lease.run;
  const parts = { skipOptionalParts: step.skipOptionalParts, timedOnly: step.timedOnly && isTimed(inputs) };
  const order = { ...inputs, ...parts, alsoBy: alsoBy(lease.run, variant), secrets };
  try {
    return await auditors.audit(order, signal, {
      isFollowed: () => (options.samples !== 1 || against !== null) && hasRoom(),
      onEvent: ({ type }) => void (type === 'measured' && onMeasured()),
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    log.error('Could not make the audit.', { ...idsOf(lease.run), error: error as Error });
    const detail = `The service could not start the audit. ${redactText((error as Error).message)}`;
    return { ...emptyResult, state: 'failed', error: runError('internal', { detail }) };
  }
};

const pauseAfter = ({ length }: readonly Attempt[], { retryDelaysMs, signal }: Work): Promise<void> =>
  pause(retryDelaysMs[Math.min(length, retryDelaysMs.length) - 1] ?? 0, signal);

/**
 * Finishes the run. If the run belongs to another lease by now, or its check was erased, the stored report stays. The
 * erasure of the check, the sweeper or the lifecycle rule of the bucket deletes it.
 */
const finishRun = async (
  work: Work,
  result: RunResult,
  reports: StoredReports,
  attempts: readonly Attempt[],
): Promise<void> => {
  const { leases, lease, now } = work;
  const { metrics, against, ...fields } = { metrics: undefined, ...result };
  const judged = await assertRun(work, result, END_MS);
  const { own, against: others } = await storeReportsOfParts(work, result, attempts.length);
  const stored = { report: reports.own, attempts: [...attempts] };
  const outcome: Outcome = { ...fields, ...metrics, ...judged, ...own, ...stored };
  if (against) outcome.against = againstOf(lease.run, { ...against, ...others }, reports.against);
  const finished = await retry(() => leases.finish(lease, outcome, now()), work, END_MS);
  if (!finished) throw new LeaseLostError();
  const error = result.state === 'failed' ? result.error : null;
  const auditSeconds = attempts.reduce((sum, { seconds }) => sum + seconds, 0);
  log.info('The run is finished.', { ...idsOf(lease.run), state: result.state, code: error?.code, auditSeconds });
  emitFinished(lease.run, error);
  if (!error)
    await work.regions?.recordSuccess(lease.run.region, now()).catch((failure: Error) => {
      log.warn('Could not record the success of the region.', { ...idsOf(lease.run), error: failure });
    });
  const seconds = { auditSeconds, runSeconds: secondsSince(lease.run.createdAt, now()) };
  emitMeasured(lease.run, error, { environment: result.environment, ...seconds });
};

/** The run must be released, so that another invocation continues it. */
class OutOfTimeError extends Error {}
