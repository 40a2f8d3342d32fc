import { auditLimits, type BucketName, type LimitName, type PlanName, plans } from './plans.ts';

/**
 * Token buckets of an owner's keys of one plan. An audit takes one token from each bucket. A bucket holds at most
 * the quota of its window and fills evenly. A check of more audits than the quota takes a full bucket and leaves it in debt.
 * `at` is the time of these tokens, in milliseconds. Stored tokens are also negative if audits took tokens that came in
 * after `at`.
 */
export type Buckets = Record<BucketName, number> & { at: number };

/** Usage of an owner: the buckets of one plan, and the number of open checks of all plans. */
export type Usage = { buckets: Buckets | undefined; openChecks: number };

/** Bounds of the stored tokens. Within them the decision stays the same, so that others may take tokens meanwhile. */
export type Bounds = { at: number; minTokens: Record<BucketName, number> };

type Limit = { name: keyof typeof auditLimits; bucket: BucketName; quota: number; seconds: number };

export type Decision =
  | { allowed: { buckets: Buckets; bounds: Bounds | undefined } }
  | { refused: { limit: LimitName; retryAfterSeconds: number; buckets: Buckets } };

const ROUNDING = 1e-6; // tokens that floating-point arithmetic may lose
const OPEN_CHECKS_RETRY_SECONDS = 10; // a guess, because the end of an open check is unknown

const limitsOf = (plan: PlanName): readonly Limit[] =>
  Object.entries(auditLimits).map(([name, { bucket, quotas, seconds }]) => ({
    name: name as Limit['name'],
    bucket,
    seconds,
    quota: quotas[plan],
  }));

const tokensOf = (limits: readonly Limit[], tokens: (limit: Limit) => number): Record<BucketName, number> =>
  Object.fromEntries(limits.map((limit) => [limit.bucket, tokens(limit)])) as Record<BucketName, number>;

/** Decides whether a plan allows one more check with this many audits. */
export const decideCreate = (plan: PlanName, audits: number, now: Date, usage: Usage): Decision => {
  const stored = unlessBucketsAhead(usage.buckets, now);
  const buckets = fillBuckets(stored, plan, now);
  const left = takeTokens(buckets, plan, audits);
  if ('limit' in left) {
    const { limit, seconds } = left;
    return { refused: { limit: limit.name, retryAfterSeconds: seconds, buckets } };
  }
  if (usage.openChecks >= plans[plan].openChecks) {
    return { refused: { limit: 'openChecks', retryAfterSeconds: OPEN_CHECKS_RETRY_SECONDS, buckets } };
  }
  return { allowed: { buckets: left, bounds: stored && boundsOf(stored, buckets.at, plan, audits) } };
};

/**
 * Returns undefined if a bucket is full. A full bucket gains no tokens, so `at` must move, or later creates would count
 * them. As long as no bucket is full, creates can subtract tokens without moving `at`.
 */
const boundsOf = (stored: Buckets, now: number, plan: PlanName, audits: number): Bounds | undefined => {
  const gain = (limit: Limit) => gainOf(limit, stored.at, now);
  const limits = limitsOf(plan);
  if (limits.some((limit) => stored[limit.bucket] + gain(limit) > limit.quota)) return undefined;
  return { at: stored.at, minTokens: tokensOf(limits, (limit) => neededFor(audits, limit) - gain(limit) - ROUNDING) };
};

const gainOf = ({ quota, seconds }: Limit, from: number, to: number): number =>
  ((to - from) / 1000) * (quota / seconds);

/** Time by which clocks may differ, in milliseconds. */
const SKEW_MS = 60_000;

/** Returns stored buckets, or undefined if a clock that was ahead has written them. They would fill only after that time. */
const unlessBucketsAhead = (buckets: Buckets | undefined, now: Date): Buckets | undefined =>
  buckets && buckets.at > now.getTime() + SKEW_MS ? undefined : buckets;

/** Returns the buckets as time has filled them. A clock that is little behind the last one adds nothing. */
export const fillBuckets = (stored: Buckets | undefined, plan: PlanName, now: Date): Buckets => {
  const buckets = unlessBucketsAhead(stored, now);
  const at = Math.max(buckets?.at ?? 0, now.getTime());
  const tokens = (limit: Limit) => {
    const tokens = buckets?.[limit.bucket];
    return tokens === undefined ? limit.quota : Math.min(limit.quota, tokens + gainOf(limit, buckets?.at ?? at, at));
  };
  return { ...tokensOf(limitsOf(plan), tokens), at };
};

/** Returns the buckets without the tokens of these audits, or the seconds until there may be enough tokens. */
export const takeTokens = (
  buckets: Buckets,
  plan: PlanName,
  audits: number,
): Buckets | { limit: Limit; seconds: number } => {
  const limits = limitsOf(plan);
  const short = limits
    .map((limit) => ({ limit, seconds: secondsUntil(buckets[limit.bucket], neededFor(audits, limit), limit) }))
    .sort((a, b) => b.seconds - a.seconds)[0];
  if (short && short.seconds > 0) return short;
  return { ...tokensOf(limits, ({ bucket }) => buckets[bucket] - audits), at: buckets.at };
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
    .map((limit) => ({ limit, left: Math.max(0, Math.floor(buckets[limit.bucket] + ROUNDING)) }))
    .sort((a, b) => a.left - b.left);
  if (!nearest) return {};
  const { limit, left } = nearest;
  return {
    'ratelimit-policy': limits
      .map(({ bucket, quota, seconds }) => `"audits-per-${bucket}";q=${quota};w=${seconds}`)
      .join(', '),
    ratelimit: `"audits-per-${limit.bucket}";r=${left};t=${secondsUntil(buckets[limit.bucket], left + 1, limit)}`,
  };
};
