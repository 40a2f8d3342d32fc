import type { AuditJob } from '../../../shared/service/audit-job.ts';
import { retry } from '../retry.ts';
import type { CheckStore } from '../store/checks.ts';
import type { RunItem } from '../store/items.ts';
import type { Lease, LeaseStore } from '../store/leases.ts';

type Deps = {
  store: Pick<CheckStore, 'findRunOfAnyOwner'>;
  leases: Pick<LeaseStore, 'claim'>;
  retryDelaysMs: readonly number[];
  now: () => Date;
};

/** Time limit for the retries, in milliseconds. Then the queue delivers the job again. */
const CLAIM_MS = 20_000;

/**
 * Reads the run of a job and claims it. Retries while the table does not respond. A claim whose response was lost is
 * recognised by its lease id. Without a lease, the job is a duplicate, or its check was erased.
 */
export const claimRun = (
  { store, leases, retryDelaysMs, now }: Deps,
  { checkId, runId, createId }: AuditJob,
  leaseId: string,
  signal = new AbortController().signal,
): Promise<{ run?: RunItem | undefined; lease?: Lease | undefined }> => {
  const end = performance.now() + CLAIM_MS;
  const claim = async () => {
    const run = await store.findRunOfAnyOwner({ checkId, id: runId, createId });
    return { run, lease: run && (await leases.claim(run, leaseId, now())) };
  };
  return retry(claim, { retryDelaysMs, remainingMs: () => end - performance.now(), signal }, 0);
};
