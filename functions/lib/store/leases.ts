import type { Sample } from '../../../shared/metrics/page-metrics-schemas.ts';
import { type Attempt, follows, type Run } from '../../../shared/run.ts';
import { LEASE_MS, LEASE_SLACK_MS, RENEW_MS } from '../../../shared/service/due-times.ts';
import { isFinished } from '../../../shared/states.ts';
import { latest } from '../../../shared/times.ts';
import { idsOf, log } from '../log.ts';
import { announceEnd, closeAfterRun } from './closing.ts';
import type { Db } from './dynamodb.ts';
import { allOf, anyOf, type Condition } from './expressions.ts';
import {
  firstDueAt,
  ifCreateId,
  ifEqual,
  ifLease,
  ifNoLease,
  ifState,
  type RunItem,
  toIso,
  updateRun,
  withSamples,
} from './items.ts';

/** Right to work on a run, valid as long as it is renewed. `run` is the run when it was claimed. */
export type Lease = { id: string; run: RunItem };

/** Result of a run: the fields that it changes. */
export type Outcome = Partial<Omit<Pick<RunItem, keyof Run>, 'id' | 'state'>> & {
  state: 'succeeded' | 'failed';
  attempts: Attempt[];
  report?: RunItem['report'] | undefined;
};

/** A run's attempts and samples while it is in work. */
type Progress = { attempts: readonly Attempt[]; samples: readonly Sample[]; against?: readonly Sample[] };

export type LeaseStore = ReturnType<typeof leaseStore>;

/** Stores the progress of a run, for `run-audit`. Each write fails if another worker has claimed the run. */
export const leaseStore = (db: Db) => ({
  /**
   * Claims a run. Returns undefined if the run is finished, gone, or held by another delivery of its job. Replaces an
   * expired lease and counts it as lost. Safe to repeat with the run read again, also after a lost response.
   */
  claim: (run: RunItem, leaseId: string, now: Date) => claim(db, run, leaseId, now),

  /** Renews a lease. Returns false if the lease is lost. */
  renew: async (lease: Lease, now: Date): Promise<boolean> =>
    Boolean(await updateRun(db, lease.run, { set: leaseFrom(lease, now), ...ifLeaseHeld(lease) })),

  /** Records an attempt that another one follows, and the samples so far. Returns false if the lease is lost. */
  recordAttempt: async (lease: Lease, { attempts, samples, against }: Progress): Promise<boolean> => {
    const taken = withSamples(lease.run, samples, against);
    const set = { attempts, ...taken, updatedAt: latest(lease.run.updatedAt, attempts.at(-1)?.finishedAt) };
    return Boolean(await updateRun(db, lease.run, { set, ...allOf(ifLeaseHeld(lease), ifFewerAttempts(attempts)) }));
  },

  /** Gives up a lease and makes the unfinished run due now. */
  release: (lease: Lease, now: Date) =>
    updateRun(db, lease.run, {
      set: { dueAt: now.toISOString(), sends: 0 },
      remove: ['lease'],
      ...ifLeaseHeld(lease),
    }),

  /**
   * Finishes a run, and closes its check if the run was the last. Returns false if the lease is lost. Safe to repeat, also
   * after a call that failed or whose response was lost.
   */
  finish: async (lease: Lease, outcome: Outcome, now: Date): Promise<boolean> => {
    const finishedAt = latest(now.toISOString(), lease.run.updatedAt, outcome.attempts.at(-1)?.finishedAt);
    const change = {
      set: { ...withSamples(lease.run, []), ...outcome, finishedAt, updatedAt: finishedAt },
      remove: ['open', 'dueAt', 'lease'],
      ...ifLeaseHeld(lease),
    };
    await announceEnd(db, lease.run, now);
    const finished = await updateRun(db, lease.run, change, `${lease.id} ${outcome.state}`);
    if (finished) await closeAfterRun(db, lease.run, now);
    return Boolean(finished);
  },
});

const claim = async (db: Db, run: RunItem, leaseId: string, now: Date): Promise<Lease | undefined> => {
  if (run.lease?.id === leaseId) return { id: leaseId, run };
  if (isFinished(run.state) || (run.lease && run.lease.until > now.toISOString())) return undefined;
  const first = run.state === 'created';
  const hasSamples = run.samples.length + (run.against?.samples.length ?? 0) > 0;
  const startedAt = latest(now.toISOString(), run.updatedAt);
  const claimed = await updateRun(db, run, {
    set: {
      state: 'running',
      ...leaseFrom({ id: leaseId, run }, now),
      ...(isDueAfterRenewal(run, now) && { dueAt: undefined }),
      tries: 0,
      lostLeases: run.lostLeases + (run.lease ? 1 : 0),
      ...(first && { startedAt }),
      ...(hasSamples && withSamples(run, [])), // their reports were lost with the worker that had them
      ...((first || hasSamples) && { updatedAt: startedAt }),
    },
    ...allOf(ifState(...follows.running), ifCreateId(run.createId), run.lease ? ifNotRenewed(run.lease) : ifNoLease),
  });
  return claimed && { id: leaseId, run: claimed };
};

/**
 * Returns true if a new run is due between the first renewal of a lease and its end. Its claim leaves the due time, which saves a
 * write to the index.
 */
const isDueAfterRenewal = (run: RunItem, now: Date): boolean => {
  const inMs = Date.parse(firstDueAt(run)) - now.getTime();
  return run.dueAt === firstDueAt(run) && inMs > RENEW_MS + LEASE_SLACK_MS && inMs <= LEASE_MS + LEASE_SLACK_MS;
};

const leaseFrom = ({ id, run }: Lease, now: Date) => ({
  lease: { id, until: toIso(now.getTime() + LEASE_MS), sentAt: run.sentAt ?? run.createdAt },
  dueAt: toIso(now.getTime() + LEASE_MS + LEASE_SLACK_MS),
});

/** Holds if the lease is the one that was read, and its holder has not renewed it since. */
const ifNotRenewed = ({ id, until }: NonNullable<RunItem['lease']>): Condition =>
  allOf(ifLease(id), ifEqual('lease.until', until));
const ifLeaseHeld = ({ id }: Lease): Condition => allOf(ifState('running'), ifLease(id));

/** Holds if the run has not more attempts. The SDK may repeat a write, and the first copy may arrive late. */
const ifFewerAttempts = ({ length }: readonly Attempt[]): Condition => anyOf(['attempts', 'size <=', length]);

/** Another worker has claimed the run, or the run is gone. The holder of the lost lease must not write any more. */
export class LeaseLostError extends Error {}

/** Renews a lease until disposal. Aborts `lost` if a renewal is rejected, but not if the store fails to respond. */
export const keepRenewed = (leases: Pick<LeaseStore, 'renew'>, lease: Lease, now: () => Date) => {
  const lost = new AbortController();
  const timer = setInterval(async () => {
    try {
      if (!(await leases.renew(lease, now()))) lost.abort(new LeaseLostError());
    } catch (error) {
      log.warn('Could not renew the lease. The next renewal may succeed.', {
        ...idsOf(lease.run),
        error: error as Error,
      });
    }
  }, RENEW_MS);
  return { lost: lost.signal, [Symbol.asyncDispose]: async () => clearInterval(timer) };
};
