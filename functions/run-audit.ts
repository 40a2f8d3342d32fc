import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AuditJob } from '../shared/audit-job.ts';
import { RENEW_MS } from '../shared/due-times.ts';
import { AuditEnv } from '../shared/env.ts';
import { type RunError, type RunProblemCode, runError } from '../shared/problems.ts';
import { type Attempt, MAX_ATTEMPTS } from '../shared/run.ts';
import { type Auditors, auditors } from './auditor/auditors.ts';
import type { Verdict } from './auditor/judge.ts';
import { type CheckStore, checkStore, type Lease } from './lib/check-store.ts';
import { emit, emitFinished, log } from './lib/log.ts';
import { queue } from './lib/queue.ts';
import { type Reports, reports } from './lib/reports.ts';

/** One job from this region's queue: claims the run, audits the page, keeps the report, finishes the run. */
export const handler = queue(AuditJob, () => {
  const env = AuditEnv.parse(process.env);
  return runAudit({ store: checkStore(env), reports: reports(env), auditors: auditorsHere(), stopping: stop.signal });
});

/** Makes ready what the first audit needs: Chromium unpacked, an auditor started. */
export const prepare = () => auditorsHere().prepare();

/** Ends the audits at work and gives their runs back; no audit starts here any more. */
export const shutDown = async (): Promise<void> => {
  stop.abort();
  await here?.close();
};

type Deps = {
  store: Pick<CheckStore, 'findRun' | 'claim' | 'renew' | 'recordAttempt' | 'giveBack' | 'finish'>;
  reports: Pick<Reports, 'put' | 'delete'>;
  auditors: Pick<Auditors, 'audit'>;
  stopping?: AbortSignal;
  now?: () => Date;
  newId?: () => string;
  pauses?: readonly number[];
};

/** An attempt starts only with this much of the invocation left: the hard limit, and time to store what it found. */
const ATTEMPT_MS = 150_000;
/** Between the tries of a write that must not be lost: storage that fails for a while costs no audit. */
const PAUSES_MS = [500, 2000, 5000, 10_000];

export const runAudit =
  ({ store, reports, auditors, stopping, now = () => new Date(), newId = randomUUID, pauses = PAUSES_MS }: Deps) =>
  async (job: AuditJob, remainingMs: () => number): Promise<void> => {
    const run = await store.findRun({ checkId: job.checkId, id: job.runId });
    const claimed = run && (await store.claim(run, newId(), now()));
    if (!claimed) {
      log.info('a job was a duplicate', { checkId: job.checkId, runId: job.runId, state: run?.state ?? 'gone' });
      return;
    }
    const lease = claimed; // for the functions below: known to be there

    await using claim = keepAlive(store, lease, now);
    const signal = AbortSignal.any([claim.lost, ...(stopping ? [stopping] : [])]);
    try {
      await attemptUntilDone();
    } catch (error) {
      if (error instanceof GivenBack || stopping?.aborted) {
        log.info('a run was given back', { ...idsOf(lease), error: error as Error });
        await store.giveBack(lease, now());
      } else if (error instanceof ClaimLost) {
        log.warn('a claim was lost', idsOf(lease));
      } else throw error;
    }

    /** Tries until there is an answer about the page, or the attempts are used up. */
    async function attemptUntilDone(): Promise<void> {
      const attempts = [...lease.run.attempts];
      for (;;) {
        if (attempts.length >= MAX_ATTEMPTS) return finish({ ...nothingSeen, ...failedBy(attempts) }, attempts);
        if (remainingMs() < ATTEMPT_MS) throw new GivenBack('too little of the invocation is left');
        const startedAt = now();
        const result = await attempt(attempts.length + 1);
        const error = result.state === 'failed' ? result.error : null;
        attempts.push(attemptOf(attempts.length + 1, startedAt, now(), error));
        if (!error || !triedAgain(error, attempts)) return finish(result, attempts);

        emit('AttemptFailed', 1, { region: lease.run.region, code: error.code });
        log.warn('an attempt failed', { ...idsOf(lease), attempt: attempts.length, reason: error });
        if (!(await store.recordAttempt(lease, attempts, now()))) throw new ClaimLost();
      }
    }

    /** One audit, and its report stored: before the run says that there is one. */
    async function attempt(number: number): Promise<Result> {
      const { id: runId, checkId, url, auditVersion } = lease.run;
      try {
        const { report: made, ...verdict } = await auditors.audit({ url, auditVersion }, signal);
        if (!made) return verdict;
        const key = `reports/${checkId}/${runId}/${lease.id}-${number}.json.gz`;
        try {
          await insist(() => reports.put(key, made.gzip), pauses, signal);
        } catch (error) {
          if (signal.aborted) throw error;
          log.error('a report could not be stored', { ...idsOf(lease), error: error as Error });
          return { ...nothingSeen, state: 'failed', error: runError('storage-failure') };
        }
        return { ...verdict, report: { key, bytes: made.bytes, gzipBytes: made.gzip.length } };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        log.error('an audit could not be made', { ...idsOf(lease), error: error as Error });
        return { ...nothingSeen, state: 'failed', error: runError('internal') };
      }
    }

    /** Ends the run; what it stored is deleted again where the run is somebody else's by now. */
    async function finish(result: Result, attempts: Attempt[]): Promise<void> {
      const { metrics, ...outcome } = result.state === 'succeeded' ? result : { ...result, metrics: undefined };
      const finished = await insist(
        () => store.finish(lease, { ...outcome, ...metrics, attempts }, now()),
        pauses,
        signal,
      );
      if (!finished) {
        if (result.report) await reports.delete(result.report.key);
        throw new ClaimLost();
      }
      const error = result.state === 'failed' ? result.error : null;
      log.info('a run finished', { ...idsOf(lease), state: result.state, code: error?.code });
      emitFinished(lease.run.region, error);
      emitMeasured(lease.run, result, now());
    }
  };

/** What one attempt gave, with its report stored. */
type Result = (Omit<Extract<Verdict, { state: 'succeeded' }>, 'report'> | Omit<Failure, 'report'>) & {
  report?: { key: string; bytes: number; gzipBytes: number };
};
type Failure = Extract<Verdict, { state: 'failed' }>;

const nothingSeen = { environment: null, finalUrl: null, warnings: [] as string[] };

/** The run goes back unfinished, to be taken again at once. */
class GivenBack extends Error {}
/** Somebody else has the run, or it is gone: nothing that is known here may be written. */
class ClaimLost extends Error {}

const stop = new AbortController();
let here: Auditors | undefined;
const auditorsHere = (): Auditors => {
  const env = AuditEnv.parse(process.env);
  here ??= auditors({ targets: { targets: env.TARGETS, ports: env.TARGET_PORTS }, chromiumDir: env.CHROMIUM_DIR });
  return here;
};

const idsOf = ({ run: { correlationId, checkId, id: runId, region } }: Lease) => ({
  correlationId,
  checkId,
  runId,
  region,
});

/** What operators read of a run that has an answer: how long it took from its creation, and how steady its host was. */
const emitMeasured = ({ region, createdAt }: Lease['run'], result: Result, now: Date): void => {
  const answered = result.state === 'succeeded' || result.error.blame === 'page';
  if (answered) emit('RunSeconds', (now.getTime() - Date.parse(createdAt)) / 1000, { region });
  const { benchmarkIndex, processModel } = result.environment ?? {};
  if (benchmarkIndex) emit('BenchmarkIndex', benchmarkIndex, { region });
  if (processModel === 'single') emit('FallbackProcessModel', 1, { region });
};

/** Renews a claim until it is disposed of; `lost` fires when it is refused. A store that is silent for a while is not. */
const keepAlive = (store: Pick<CheckStore, 'renew'>, lease: Lease, now: () => Date) => {
  const lost = new AbortController();
  const timer = setInterval(async () => {
    try {
      if (!(await store.renew(lease, now()))) lost.abort(new ClaimLost());
    } catch (error) {
      log.warn('a claim could not be renewed', { ...idsOf(lease), error: error as Error });
    }
  }, RENEW_MS);
  return { lost: lost.signal, [Symbol.asyncDispose]: async () => clearInterval(timer) };
};

const attemptOf = (number: number, startedAt: Date, finishedAt: Date, error: RunError | null): Attempt => ({
  number,
  startedAt: startedAt.toISOString(),
  finishedAt: finishedAt.toISOString(),
  seconds: (finishedAt.getTime() - startedAt.getTime()) / 1000,
  code: error?.code ?? null,
  auditCode: error?.auditCode ?? null,
});

/** Our own faults are tried again; so is a renderer that died, once: only a page that kills it twice did it itself. */
const triedAgain = (error: RunError, attempts: readonly Attempt[]): boolean =>
  error.retryable || (error.code === 'page-crashed' && timesOf('page-crashed', attempts) < 2);

/** The error of a run whose attempts are used up. A page that makes every attempt hang is the one to blame. */
const failedBy = (attempts: readonly Attempt[]): { state: 'failed'; error: RunError } => {
  const last = attempts.at(-1);
  const hung = attempts.every(({ code }) => code === 'protocol-timeout' || code === 'audit-timeout');
  const code = hung ? 'page-hung' : (last?.code ?? 'internal');
  return { state: 'failed', error: runError(code, { auditCode: last?.auditCode ?? null }) };
};

const timesOf = (code: RunProblemCode, attempts: readonly Attempt[]): number =>
  attempts.filter((attempt) => attempt.code === code).length;

/** Does a write again, with growing pauses, until it is done, the pauses are used up, or `signal` fires. */
const insist = async <T>(write: () => Promise<T>, pauses: readonly number[], signal: AbortSignal): Promise<T> => {
  for (const pause of pauses) {
    try {
      return await write();
    } catch (error) {
      log.warn('a write is tried again', { error: error as Error });
      await sleep(pause, undefined, { signal }).catch(() => {
        throw signal.reason;
      });
    }
  }
  return write();
};
