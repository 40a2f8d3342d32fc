/* Times of the sweeper and of leases, in milliseconds. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Time until a new run is due, longer than the timeout of a create (10 s). Also how long a sweep reserves an item. */
export const HOLD_MS = 60 * SECOND;
/** Time that a lease is valid without renewal. */
export const LEASE_MS = 60 * SECOND;
/** Time between two renewals of a lease. */
export const RENEW_MS = 15 * SECOND;
/** Time between the end of a lease and the run's due time. */
export const LEASE_SLACK_MS = 15 * SECOND;
/** Number of lost leases after which the sweeper abandons a run. */
export const MAX_LOST_LEASES = 5;
/** Age at which the sweeper abandons a run that nobody is at work on. */
export const ABANDON_AFTER_MS = 24 * HOUR;

/** Returns the time until a job is resent: an hour, then two, then four. A job may wait in a long queue that long. */
export const resendAfter = (sends: number): number => HOUR * 2 ** Math.min(sends, 5);

/** Returns the due time of a run whose job was sent now: when to resend the job, or when to abandon the run if sooner. */
export const resendAt = ({ sends, createdAt }: { sends: number; createdAt: string }, now: Date): number => {
  const later = now.getTime() + resendAfter(sends);
  const tooOld = Date.parse(createdAt) + ABANDON_AFTER_MS + 1;
  return tooOld > now.getTime() ? Math.min(later, tooOld) : later;
};

/**
 * Returns the seconds until a queue delivers a failed message again: 5, 20, 80, then 120. SQS makes it a dead letter after
 * the third receive. A dead letter is received until it is handled.
 */
export const returnAfterSeconds = (receives: number): number => Math.min(5 * 4 ** (receives - 1), 120);

/** Returns the time until an open check is looked at again: five minutes at first, then always at twice its age. */
export const recheckAfter = (ageMs: number): number => Math.max(5 * MINUTE, ageMs);

/**
 * Time until an erased check is looked at again. It is longer than a create's timeout, so that a retried create finds the
 * mark. It is longer than a lease, so that the sweeper finds the report of an audit that lost its run.
 */
export const ERASED_RECHECK_MS = LEASE_MS + 2 * LEASE_SLACK_MS;
