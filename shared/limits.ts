import { type PlanName, plans } from './plans.ts';

/**
 * Token buckets of an owner's keys of one plan. An audit takes one token from each bucket. A bucket holds at most
 * the quota of its window and fills evenly. A check of more audits than the quota takes a full bucket and leaves it in debt.
 * `at` is the time of these tokens, in milliseconds. Stored tokens are also negative if audits took tokens that came in
 * after `at`.
 */
export type Buckets = { minute: number; day: number; at: number };

/** Usage of an owner: the buckets of one plan, and the number of open checks of all plans. */
export type Usage = { buckets: Buckets | undefined; openChecks: number };

/** Bounds of the stored tokens. Within them the decision stays the same, so that others may take tokens meanwhile. */
export type Bounds = { at: number; minTokens: { minute: number; day: number } };

type Limit = { name: 'minute' | 'day'; quota: number; seconds: number };
type LimitName = Limit['name'] | 'openChecks';

export type Decision =
  | { allowed: { buckets: Buckets; bounds: Bounds | undefined } }
  | { refused: { limit: LimitName; quota: number; retryAfterSeconds: number; buckets: Buckets } };

const ROUNDING = 1e-6; // tokens that floating-point arithmetic may lose
const OPEN_CHECKS_RETRY_SECONDS = 10; // a guess, because the end of an open check is unknown

const limitsOf = (plan: PlanName): readonly Limit[] => [
  { name: 'minute', quota: plans[plan].auditsPerMinute, seconds: 60 },
  { name: 'day', quota: plans[plan].auditsPerDay, seconds: 24 * 3600 },
];

/** Decides whether a plan allows one more check with this many audits. */
export const decideCreate = (plan: PlanName, audits: number, now: Date, usage: Usage): Decision => {
  const buckets = fillBuckets(usage.buckets, plan, now);
  const left = takeTokens(buckets, plan, audits);
  if ('limit' in left) {
    const { limit, seconds } = left;
    return { refused: { limit: limit.name, quota: limit.quota, retryAfterSeconds: seconds, buckets } };
  }
  const quota = plans[plan].openChecks;
  if (usage.openChecks >= quota) {
    return { refused: { limit: 'openChecks', quota, retryAfterSeconds: OPEN_CHECKS_RETRY_SECONDS, buckets } };
  }
  return { allowed: { buckets: left, bounds: usage.buckets && boundsOf(usage.buckets, buckets.at, plan, audits) } };
};

/**
 * Returns undefined if a bucket is full. A full bucket gains no tokens, so `at` must move, or later creates would count
 * them. As long as no bucket is full, creates can subtract tokens without moving `at`.
 */
const boundsOf = (stored: Buckets, now: number, plan: PlanName, audits: number): Bounds | undefined => {
  const limits = limitsOf(plan).map((limit) => ({ ...limit, gain: gainOf(limit, stored.at, now) }));
  if (limits.some(({ name, quota, gain }) => stored[name] + gain > quota)) return undefined;
  const minTokens = Object.fromEntries(
    limits.map((limit) => [limit.name, neededFor(audits, limit) - limit.gain - ROUNDING]),
  );
  return { at: stored.at, minTokens: minTokens as Bounds['minTokens'] };
};

const gainOf = ({ quota, seconds }: Limit, from: number, to: number): number =>
  ((to - from) / 1000) * (quota / seconds);

/** Returns the buckets as time has filled them. A clock that is behind the last one adds nothing. */
export const fillBuckets = (buckets: Buckets | undefined, plan: PlanName, now: Date): Buckets => {
  const at = Math.max(buckets?.at ?? 0, now.getTime());
  const tokens = limitsOf(plan).map((limit) => {
    const { name, quota } = limit;
    return [name, buckets ? Math.min(quota, buckets[name] + gainOf(limit, buckets.at, at)) : quota];
  });
  return { ...(Object.fromEntries(tokens) as Omit<Buckets, 'at'>), at };
};

/** Returns the buckets without the tokens of these audits, or the seconds until there may be enough tokens. */
export const takeTokens = (
  buckets: Buckets,
  plan: PlanName,
  audits: number,
): Buckets | { limit: Limit; seconds: number } => {
  const short = limitsOf(plan)
    .map((limit) => ({ limit, seconds: secondsUntil(buckets[limit.name], neededFor(audits, limit), limit) }))
    .sort((a, b) => b.seconds - a.seconds)[0];
  if (short && short.seconds > 0) return short;
  return { minute: buckets.minute - audits, day: buckets.day - audits, at: buckets.at };
};

/** Returns the tokens that a bucket must have for a check of these audits. */
const neededFor = (audits: number, { quota }: Limit): number => Math.min(audits, quota);

const secondsUntil = (tokens: number, wanted: number, { quota, seconds }: Limit): number =>
  tokens + ROUNDING >= wanted ? 0 : Math.ceil(((wanted - tokens) * seconds) / quota);

/**
 * Returns `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11), counted in audits. `RateLimit`
 * reports the limit closest to exhaustion: audits left, and seconds until one more.
 */
export const rateLimitHeaders = (buckets: Buckets, plan: PlanName): Record<string, string> => {
  const limits = limitsOf(plan);
  const [nearest] = limits
    .map((limit) => ({ limit, left: Math.max(0, Math.floor(buckets[limit.name] + ROUNDING)) }))
    .sort((a, b) => a.left - b.left);
  if (!nearest) return {};
  const { limit, left } = nearest;
  return {
    'ratelimit-policy': limits
      .map(({ name, quota, seconds }) => `"audits-per-${name}";q=${quota};w=${seconds}`)
      .join(', '),
    ratelimit: `"audits-per-${limit.name}";r=${left};t=${secondsUntil(buckets[limit.name], left + 1, limit)}`,
  };
};
