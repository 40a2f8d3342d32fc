import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AuditJob } from '../shared/audit-job.ts';
import { AuditEnv } from '../shared/env.ts';
import { type Sample, type Spread, spreadOf } from '../shared/page-metrics.ts';
import { type RunError, type RunProblemCode, runError } from '../shared/problems.ts';
import { type Attempt, failuresAmong, MAX_ATTEMPTS } from '../shared/run.ts';
import { medianOf } from './auditor/attempts.ts';
import { type Auditors, auditors } from './auditor/auditors.ts';
import { type AuditResult, nothingSeen } from './auditor/judge.ts';
import { emit, emitFinished, log } from './lib/log.ts';
import { queue } from './lib/queue/consumer.ts';
import { type CheckStore, checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { idsOf, keepRenewed, type Lease, LeaseLost, type LeaseStore, leaseStore } from './lib/store/leases.ts';
import { type Reports, reports } from './lib/store/reports.ts';

/** One job from this region's queue: claims the run, audits the page, keeps the report, finishes the run. */
export const handler = queue(AuditJob, () => {
  const env = AuditEnv.parse(process.env);
  const db = openDb(env);
  return runAudit({
    store: checkStore(db),
    leases: leaseStore(db),
    reports: reports(env),
    auditors: auditorsHere(),
    stopping: stop.signal,
    retakes: env.RETAKES,
  });
});

/** Makes ready what the first audit needs: Chromium unpacked, an auditor started. */
export const prepare = () => auditorsHere().prepare();

/** Ends the audits at work and gives their runs back; no audit starts here any more. */
export const shutDown = async (): Promise<void> => {
  stop.abort();
  await here?.close();
};

type Deps = {
  store: Pick<CheckStore, 'findRun'>;
  leases: LeaseStore;
  reports: Pick<Reports, 'put' | 'delete'>;
  auditors: Pick<Auditors, 'audit'>;
  stopping?: AbortSignal;
  now?: () => Date;
  newId?: () => string;
  pauses?: readonly number[];
  /** How often a sample is taken again that was measured on a busy machine. */
  retakes?: number;
};

/** An attempt starts only with this much of the invocation left: the hard limit, and time to store what it found. */
const ATTEMPT_MS = 150_000;
/** Between attempts, and between the tries of a write that must not be lost: storage that fails for a while costs no audit. */
const PAUSES_MS = [500, 2000, 5000, 10_000];

export const runAudit =
  ({ store, leases, reports, auditors, stopping, now = () => new Date(), newId = randomUUID, ...options }: Deps) =>
  async (job: AuditJob, remainingMs: () => number): Promise<void> => {
    const { pauses = PAUSES_MS, retakes = 2 } = options;
    const run = await store.findRun({ checkId: job.checkId, id: job.runId });
    const claimed = run && (await leases.claim(run, newId(), now()));
    if (!claimed) {
      log.info('a job was a duplicate', { checkId: job.checkId, runId: job.runId, state: run?.state ?? 'gone' });
      return;
    }
    const lease = claimed; // for the functions below: known to be there
    log.info('a run was claimed', idsOf(lease)); // the last that is said of one whose instance dies

    await using claim = keepRenewed(leases, lease, now);
    const signal = AbortSignal.any([claim.lost, ...(stopping ? [stopping] : [])]);
    try {
      await attemptUntilDone();
    } catch (error) {
      if (error instanceof GivenBack || stopping?.aborted) {
        log.info('a run was given back', { ...idsOf(lease), error: error as Error });
        await leases.giveBack(lease, now());
      } else if (error instanceof LeaseLost) {
        log.warn('a claim was lost', idsOf(lease));
      } else throw error;
    }

    /** Ends the run: with the page's median sample, with what is wrong with it, or with a fault of ours. */
    async function attemptUntilDone(): Promise<void> {
      const attempts = [...lease.run.attempts];
      for (;;) {
        const result = await measure(attempts);
        try {
          return await finish(await withReport(result, attempts), attempts);
        } catch (error) {
          if (!(error instanceof NotStored)) throw error;
          log.error('a report could not be stored', { ...idsOf(lease), error });
          const failed = runError('storage-failure');
          attempts.push({ ...(attempts.pop() as Attempt), code: failed.code });
          await noteFailure(failed, attempts);
        }
      }
    }

    /** Audits until all samples are taken, the page has failed, or the attempts or the time are used up. */
    async function measure(attempts: Attempt[]): Promise<Measured | Failure> {
      const { options } = lease.run;
      const samples: Sampled[] = [];
      let failed: Failure | undefined;
      let takes: Sampled[] = []; // of the sample that is being taken
      while (samples.length < options.samples) {
        const outOfAttempts = failuresAmong(attempts) >= MAX_ATTEMPTS;
        if (outOfAttempts || remainingMs() < ATTEMPT_MS) {
          if (takes.length > 0) samples.push(leastBusy(takes));
          if (samples.length > 0) break;
          if (outOfAttempts) return { ...(failed ?? nothingSeen), ...failedBy(attempts, failed?.error) };
          throw new GivenBack('too little of the invocation is left');
        }

        if (takes.length > 0) emit('SampleRetaken', 1, { region: lease.run.region });
        const startedAt = now();
        const result = await attempt(attempts);
        const error = result.state === 'failed' ? result.error : null;
        const contended = result.environment?.contended ?? false;
        attempts.push(attemptOf(attempts.length + 1, startedAt, now(), error, contended));
        if (result.state === 'failed') {
          if (triedAgain(result.error, attempts)) {
            await noteFailure(result.error, attempts);
            failed = result;
            continue;
          }
          if (takes.length === 0) return { ...result, ...failedBy(attempts, result.error) };
        } else {
          takes.push(result);
          if (contended && takes.length <= retakes) continue;
        }
        samples.push(leastBusy(takes)); // where the page was measured before, though not calmly, no retake can fail it
        takes = [];
      }
      const missing = options.samples - samples.length;
      const warning = `Of ${options.samples} samples ${missing} could not be taken.`;
      return medianOfAll(samples, missing > 0 ? [warning] : []);
    }

    /** One audit in a fresh process. Rejects only when the claim is lost or the service stops. */
    async function attempt(attempts: readonly Attempt[]): Promise<AuditResult> {
      const { url, auditVersion, options } = lease.run;
      const lean = attempts.some(({ code }) => code && HANGS.includes(code));
      const { device, categories } = options;
      const order = { url, auditVersion, device, lean, ...(categories && { categories }) };
      try {
        return await auditors.audit(order, signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        log.error('an audit could not be made', { ...idsOf(lease), error: error as Error });
        return { ...nothingSeen, state: 'failed', error: runError('internal') };
      }
    }

    /** Notes a failed attempt, and where another follows waits a little. */
    async function noteFailure(reason: RunError, attempts: Attempt[]): Promise<void> {
      const anotherFollows = failuresAmong(attempts) < MAX_ATTEMPTS;
      if (anotherFollows) emit('AttemptFailed', 1, { region: lease.run.region, code: reason.code });
      log.warn('an attempt failed', { ...idsOf(lease), attempt: attempts.length, reason });
      if (!(await leases.recordAttempt(lease, attempts, now()))) throw new LeaseLost();
      if (anotherFollows) await pauseFor(pauses[Math.min(attempts.length, pauses.length) - 1] ?? 0, signal);
    }

    /** The result with its report stored: before the run says that there is one. A failed run can do without. */
    async function withReport(result: Measured | Failure, attempts: Attempt[]): Promise<Stored> {
      const without = { ...result, report: undefined };
      const made = result.report;
      if (!made) return without;
      const { id, checkId } = lease.run;
      const key = `reports/${checkId}/${id}/${lease.id}-${attempts.length}.json.gz`;
      try {
        await insist(() => reports.put(key, made.gzip), pauses, signal);
        return { ...result, report: { key, bytes: made.bytes, gzipBytes: made.gzip.length } };
      } catch (error) {
        if (signal.aborted) throw error;
        if (result.state === 'failed') return without;
        throw new NotStored('the report could not be stored', { cause: error });
      }
    }

    /** Whether a write that was refused is ours all the same: done before, with its answer lost. */
    async function isFinishedWith(key: string | undefined): Promise<boolean> {
      if (key === undefined) return false;
      const standing = await insist(() => store.findRun(lease.run), pauses, signal);
      return standing?.report?.key === key;
    }

    /** Ends the run; what it stored is deleted again where the run is somebody else's by now. */
    async function finish(result: Stored, attempts: Attempt[]): Promise<void> {
      const { metrics, ...outcome } = result.state === 'succeeded' ? result : { ...result, metrics: undefined };
      const finished = await insist(
        () => leases.finish(lease, { ...outcome, ...metrics, attempts }, now()),
        pauses,
        signal,
      );
      if (!finished && !(await isFinishedWith(result.report?.key))) {
        if (result.report) await reports.delete(result.report.key);
        throw new LeaseLost();
      }
      const error = result.state === 'failed' ? result.error : null;
      log.info('a run finished', { ...idsOf(lease), state: result.state, code: error?.code });
      emitFinished(lease.run.region, error);
      emitMeasured(lease.run, result, now());
    }
  };

type Sampled = Extract<AuditResult, { state: 'succeeded' }>;
type Failure = Extract<AuditResult, { state: 'failed' }>;
/** The sample that stands for the run, with what all of them say. */
type Measured = Sampled & { samples: Sample[]; spread: Spread | null };
type WithReport<Of> = Omit<Of, 'report'> & { report: { key: string; bytes: number; gzipBytes: number } | undefined };
type Stored = WithReport<Measured> | WithReport<Failure>;

const medianOfAll = (samples: readonly Sampled[], warnings: string[]): Measured => {
  const median = medianOf(samples as [Sampled, ...Sampled[]]);
  const busy = median.environment?.contended ? [CONTENDED] : [];
  return {
    ...median,
    warnings: [...warnings, ...busy, ...median.warnings],
    samples: samples.map(({ metrics, environment }) => ({
      ...metrics,
      cpuBusy: environment?.cpuBusy ?? null,
      contended: environment?.contended ?? null,
    })),
    spread: spreadOf(samples.map(({ metrics }) => metrics)),
  };
};

const CONTENDED = 'Other work took the processor while this was measured: performance may be lower than it is.';

const leastBusy = (takes: readonly Sampled[]): Sampled =>
  takes.find(({ environment }) => !environment?.contended) ??
  (takes.toSorted((a, b) => (a.environment?.cpuBusy ?? 0) - (b.environment?.cpuBusy ?? 0))[0] as Sampled);

/** What a page can do that makes an audit hang; the next one leaves out what need not be there. */
const HANGS: readonly RunProblemCode[] = ['audit-timeout', 'protocol-timeout'];

/** The run goes back unfinished, to be taken again at once. */
class GivenBack extends Error {}
/** Storage stayed away though asked again and again. */
class NotStored extends Error {}

const stop = new AbortController();
let here: Auditors | undefined;
const auditorsHere = (): Auditors => {
  const env = AuditEnv.parse(process.env);
  here ??= auditors({
    targets: { targets: env.TARGETS, ports: env.TARGET_PORTS },
    chromiumDir: env.CHROMIUM_DIR,
    timedAtOnce: env.TIMED_AT_ONCE,
  });
  return here;
};

/** What operators read of a run that has an answer: how long it took from its creation, and how steady its host was. */
const emitMeasured = ({ region, createdAt }: Lease['run'], result: Stored, now: Date): void => {
  const answered = result.state === 'succeeded' || result.error.blame === 'page';
  if (answered) emit('RunSeconds', (now.getTime() - Date.parse(createdAt)) / 1000, { region });
  const { benchmarkIndex } = result.environment ?? {};
  if (benchmarkIndex) emit('BenchmarkIndex', benchmarkIndex, { region });
};

const attemptOf = (
  number: number,
  startedAt: Date,
  finishedAt: Date,
  error: RunError | null,
  contended: boolean,
): Attempt => ({
  number,
  startedAt: startedAt.toISOString(),
  finishedAt: finishedAt.toISOString(),
  seconds: (finishedAt.getTime() - startedAt.getTime()) / 1000,
  code: error?.code ?? null,
  auditCode: error?.auditCode ?? null,
  contended,
});

/**
 * Our own faults are tried again. So is a renderer that died, once: only a page that kills it twice did it itself. What
 * hangs for as long as an audit may last is tried again once too, and so is a page that stopped responding while others
 * took the processor.
 */
const triedAgain = ({ code, auditCode, retryable }: RunError, attempts: readonly Attempt[]): boolean => {
  if (code === 'page-crashed') return timesOf([code], attempts) < 2;
  if (timesOf(['audit-timeout'], attempts) >= 2) return false;
  if (auditCode === 'PAGE_HUNG' && attempts.at(-1)?.contended) return timesOf([code], attempts) < 2;
  const free = attempts.filter(({ contended }) => !contended);
  return HANGS.includes(code) ? timesOf(HANGS, free) < 2 : retryable;
};

/**
 * The error of a run that is not tried again. A page that hung two attempts is the one to blame, if the machine was free; one
 * that a renderer died on once may not be.
 */
const failedBy = (attempts: readonly Attempt[], error?: RunError): { state: 'failed'; error: RunError } => {
  const last = attempts.at(-1);
  const auditCode = last?.auditCode ?? null;
  const free = attempts.filter(({ contended }) => !contended);
  if (timesOf(HANGS, free) >= 2) {
    const detail = auditCode && error && { detail: error.message }; // what Lighthouse waited for
    return { state: 'failed', error: runError('page-hung', { auditCode, ...detail }) };
  }
  if (last?.code === 'page-crashed' && timesOf([last.code], attempts) < 2) {
    return { state: 'failed', error: runError('browser-crashed', { auditCode }) };
  }
  return { state: 'failed', error: error ?? runError(last?.code ?? 'internal', { auditCode }) };
};

const timesOf = (codes: readonly RunProblemCode[], attempts: readonly Attempt[]): number =>
  attempts.filter(({ code }) => code && codes.includes(code)).length;

/** Does a write again, with growing pauses, until it is done, the pauses are used up, or `signal` fires. */
const insist = async <T>(write: () => Promise<T>, pauses: readonly number[], signal: AbortSignal): Promise<T> => {
  for (const pause of pauses) {
    try {
      return await write();
    } catch (error) {
      log.warn('a write is tried again', { error: error as Error });
      await pauseFor(pause, signal);
    }
  }
  return write();
};

const pauseFor = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
