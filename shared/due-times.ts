/** When the sweeper looks at what is not finished. All in milliseconds. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A new run, its job not known to be queued; longer than a create may take (10 s). Also how long a sweep holds an item. */
export const HOLD_MS = 60 * SECOND;
/** How long a claim of a run holds without being renewed, how often it is, and what the sweeper allows beyond it. */
export const LEASE_MS = 60 * SECOND;
export const RENEW_MS = 15 * SECOND;
export const LEASE_SLACK_MS = 15 * SECOND;
/** Lost leases after which a run is given up. */
export const MAX_LOST_LEASES = 5;
/** How old a run may get without anyone at work on it. */
export const ABANDON_AFTER_MS = 24 * HOUR;

/** A job in a queue: an hour, then two, then four. Waiting in a long queue is not being lost. */
export const resendAfter = (sends: number): number => HOUR * 2 ** Math.min(sends, 5);

/** When a run is looked at whose job was sent just now: not later than it is too old, which is told of then. */
export const resendAt = ({ sends, createdAt }: { sends: number; createdAt: string }, now: Date): number => {
  const later = now.getTime() + resendAfter(sends);
  const tooOld = Date.parse(createdAt) + ABANDON_AFTER_MS + 1;
  return tooOld > now.getTime() ? Math.min(later, tooOld) : later;
};

/** A check that may have missed its closing: five minutes after its creation, then at twice that age, and so on. */
export const recheckAfter = (ageMs: number): number => Math.max(5 * MINUTE, ageMs);

/**
 * When an erased check is looked at again. Longer than a create may take, whose retry finds the mark until then, and than
 * any lease that was held when its run was deleted: what an audit stored late is found.
 */
export const ERASED_RECHECK_MS = LEASE_MS + 2 * LEASE_SLACK_MS;
