import type { Sample } from '../../../shared/metrics/page-metrics-schemas.ts';
import type { RunError } from '../../../shared/problems.ts';
import { type Attempt, countFailures, MAX_ATTEMPTS } from '../../../shared/run.ts';
import { idsOf, log } from '../log.ts';
import { retry } from '../retry.ts';
import { type Lease, LeaseLostError, type LeaseStore } from '../store/leases.ts';
import { emitOfRun } from './run-metrics.ts';

type Work = {
  leases: Pick<LeaseStore, 'recordAttempt'>;
  lease: Lease;
  retryDelaysMs: readonly number[];
  remainingMs: () => number;
  signal: AbortSignal;
};
/** Attempts and samples of a run after its newest attempt. */
type Recorded = { attempts: readonly Attempt[]; samples: readonly Sample[]; against?: readonly Sample[] };

/** Time of the invocation that is kept for its end, in milliseconds. */
const END_MS = 1000;

/** Records a failed attempt. Retries, because the failures decide when a run has been tried enough. */
export const recordFailure = async (work: Work, recorded: Recorded, reason: RunError): Promise<void> => {
  const { leases, lease } = work;
  const { attempts } = recorded;
  if (countFailures(attempts) < MAX_ATTEMPTS) {
    emitOfRun(lease.run, 'AttemptFailed', 1, { region: lease.run.region, code: reason.code });
  }
  log.warn('The attempt failed.', { ...idsOf(lease.run), attempt: attempts.length, reason });
  if (!(await retry(() => leases.recordAttempt(lease, recorded), work, END_MS))) throw new LeaseLostError();
};

/** Records an attempt that gave a sample, so that a client sees progress. The next write repeats a failed one. */
export const recordProgress = async ({ leases, lease }: Work, recorded: Recorded): Promise<void> => {
  const held = await leases.recordAttempt(lease, recorded).catch((error: Error) => {
    log.warn('Could not record the sample. The next write repeats it.', { ...idsOf(lease.run), error });
    return true;
  });
  if (!held) throw new LeaseLostError();
};
