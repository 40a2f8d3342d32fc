/* Times of the sweeper and of leases, in milliseconds. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Time until a new run is due, longer than the timeout of a create (10 s): its create may have died before it sent the job. Also
 * how long a sweep reserves an item.
 */
export const HOLD_MS = 60 * SECOND;
/** Time that a lease is valid without renewal. */
export const LEASE_MS = 60 * SECOND;
/** Time between two renewals of a lease. */
export const RENEW_MS = 15 * SECOND;
/** Time between the end of a lease and the run's due time. */
export const LEASE_SLACK_MS = 15 * SECOND;
/** Number of lost leases after which the sweeper abandons a run. */
export const MAX_LOST_LEASES = 5;
/** Time between the due time of a lease and a sweep from which on the clock was set forward, or the machine slept. */
export const LATE_SWEEP_MS = 2 * MINUTE;

/**
 * Number of tries that came to nothing after which the sweeper abandons a run. A try is the first minute or an hour in which a
 * sent job waited, a dead letter, or a send that failed. Time in which no sweeper ran does not count.
 */
export const MAX_TRIES = 24;
/** Time that a job waits after the first minute, or after a resend, until the sweeper counts a try. */
export const TRY_MS = HOUR;

/** Time after which a run that no worker has claimed is late. */
export const LATE_RUN_MS = 15 * MINUTE;

/** Returns true if a job should be sent: at once if no queue has it, or after one try, two more, four more and so on. */
export const isSendDue = ({ sends, tries }: { sends: number; tries: number }): boolean => tries >= 2 ** sends - 1;

/** Returns the time until the next try after one that failed: a minute, doubling to an hour. A long outage costs few tries. */
export const retryAfter = (tries: number): number => Math.min(2 ** tries * MINUTE, HOUR);

/**
 * Returns the seconds until a queue delivers a failed message again: 5, 20, 80, then 120. SQS makes it a dead letter after
 * the third receive. A dead letter is received until it is handled.
 */
export const returnAfterSeconds = (receives: number): number => Math.min(5 * 4 ** (receives - 1), 120);

/** Difference in the sent times of two jobs that says nothing about their order, because a queue keeps it only roughly. */
export const QUEUE_ORDER_MS = 5 * MINUTE;

/**
 * Time until the sweeper looks at an open check. A worker that dies between the end of the last run and the closing leaves
 * such a check. Its results are there, but not yet in the lists of pages and runs.
 */
export const CHECK_LOOK_MS = 3 * HOUR;

/**
 * Time until an erased check is looked at again. It is longer than a create's timeout, so that a retried create finds the
 * mark. It is longer than a lease, so that the sweeper finds the report of an audit that lost its run.
 */
export const ERASED_RECHECK_MS = LEASE_MS + 2 * LEASE_SLACK_MS;

/** Time limit of one try to deliver to a webhook. An answer after it does not count. */
export const DELIVERY_TRY_MS = 15 * SECOND;
/** Time that a claimed delivery, or a place among the tries to a webhook, stays taken if its holder dies. */
export const DELIVERY_LEASE_MS = 30 * SECOND;
/** Delays before the retries of a delivery. After the last one the delivery has failed. */
export const DELIVERY_DELAYS_MS = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
] as const;
/** Time of retries without a success after which a webhook is disabled. Time in which no delivery waited for a retry does not count. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR;
/** Time until the sweeper sends the message of a delivery again that may still wait in the queue. */
export const DELIVERY_RESEND_MS = 5 * MINUTE;

/** Time longer than any after which an open item is due, except for a schedule. */
export const LONGEST_WAIT_MS = 30 * HOUR;

/** Time until the sweeper looks again at an item that it can't read. A later release may be able to read it. */
export const ASIDE_MS = 24 * HOUR;
