import { LEASE_MS, LEASE_SLACK_MS, RENEW_MS } from '../../../shared/due-times.ts';
import { type Attempt, follows, isFinished, type Run } from '../../../shared/run.ts';
import { log } from '../log.ts';
import { closeIfFinished } from './checks.ts';
import { allOf, type Condition, type Db } from './dynamodb.ts';
import { findRun, ifLease, ifNoLease, ifState, type RunItem, toIso, updateRun } from './items.ts';

/** The right to work on a run, for as long as it is renewed. `run` is the run as it was claimed. */
export type Lease = { id: string; run: RunItem };

/** How a run ended: what changes on its item. */
export type Outcome = Partial<Omit<Run, 'id' | 'state'>> & {
  state: 'succeeded' | 'failed';
  attempts: Attempt[];
  report?: RunItem['report'] | undefined;
};

export type LeaseStore = ReturnType<typeof leaseStore>;

/** What the worker of a run writes. Each write states the condition under which it is true; a refused one says so. */
export const leaseStore = (db: Db) => ({
  /**
   * Takes a run to work on it. Undefined where it is finished or gone, or another delivery of its job is at work:
   * then the job is a duplicate. A lease that ran out is taken over, and counted as lost.
   */
  claim: (run: RunItem, leaseId: string, now: Date) => claim(db, run, leaseId, now),

  /** Keeps a claim alive. False where it is not ours any more. */
  renew: async (lease: Lease, now: Date): Promise<boolean> =>
    Boolean(await updateRun(db, lease.run, { set: leaseFrom(lease.id, now), ...ifLeaseHeld(lease) })),

  /** Notes an attempt that failed and is to be followed by another. False where the claim is lost. */
  recordAttempt: async (lease: Lease, attempts: Attempt[], now: Date): Promise<boolean> =>
    Boolean(await updateRun(db, lease.run, { set: { attempts, updatedAt: now.toISOString() }, ...ifLeaseHeld(lease) })),

  /** Lets a run go unfinished, due at once. */
  release: (lease: Lease, now: Date) =>
    updateRun(db, lease.run, { set: { dueAt: now.toISOString() }, remove: ['lease'], ...ifLeaseHeld(lease) }),

  /** Ends a run, and its check if it was the last. False where the claim is lost: then nothing is changed. */
  finish: async (lease: Lease, outcome: Outcome, now: Date): Promise<boolean> => {
    const nowIso = now.toISOString();
    const finished = await updateRun(db, lease.run, {
      set: { ...outcome, finishedAt: nowIso, updatedAt: nowIso },
      remove: ['open', 'dueAt', 'lease'],
      ...ifLeaseHeld(lease),
    });
    // The run is finished, whatever comes of its check: a sweep closes one that this did not.
    if (finished) await closeIfFinished(db, lease.run.checkId, now).catch(() => false);
    return Boolean(finished);
  },
});

const claim = async (db: Db, run: RunItem, leaseId: string, now: Date): Promise<Lease | undefined> => {
  if (isFinished(run.state) || (run.lease && run.lease.until > now.toISOString())) return undefined;
  const first = run.state === 'created';
  const nowIso = now.toISOString();
  const claimed = await updateRun(db, run, {
    set: {
      state: 'running',
      ...leaseFrom(leaseId, now),
      lostLeases: run.lostLeases + (run.lease ? 1 : 0),
      ...(first && { startedAt: nowIso, updatedAt: nowIso }),
    },
    ...allOf(ifState(...follows.running), run.lease ? ifLease(run.lease.id) : ifNoLease),
  });
  // What is not answered is sent again: then it may be our own claim that stands in the way.
  const ours = claimed ?? (await findRun(db, run));
  return ours?.lease?.id === leaseId ? { id: leaseId, run: ours } : undefined;
};

const leaseFrom = (id: string, now: Date) => ({
  lease: { id, until: toIso(now.getTime() + LEASE_MS) },
  dueAt: toIso(now.getTime() + LEASE_MS + LEASE_SLACK_MS),
});

/** The condition of everything that a lease's holder writes. */
const ifLeaseHeld = ({ id }: Lease): Condition => allOf(ifState('running'), ifLease(id));

/** Somebody else has the run, or it is gone: nothing that is known here may be written. */
export class LeaseLost extends Error {}

/** Renews a claim until it is disposed of; `lost` fires when it is refused. A store that is silent for a while is not. */
export const keepRenewed = (leases: Pick<LeaseStore, 'renew'>, lease: Lease, now: () => Date) => {
  const lost = new AbortController();
  const timer = setInterval(async () => {
    try {
      if (!(await leases.renew(lease, now()))) lost.abort(new LeaseLost());
    } catch (error) {
      log.warn('a claim could not be renewed', { ...idsOf(lease), error: error as Error });
    }
  }, RENEW_MS);
  return { lost: lost.signal, [Symbol.asyncDispose]: async () => clearInterval(timer) };
};

export const idsOf = ({ run: { correlationId, checkId, id: runId, region } }: Lease) => ({
  correlationId,
  checkId,
  runId,
  region,
});
