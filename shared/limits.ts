import { type PlanName, plans } from './plans.ts';

/**
 * An owner's runs by its keys of one plan, as two buckets of tokens: one token a run. Each bucket holds what its window
 * allows, and fills at that rate all the time. `at` is when they were filled last, in milliseconds; it never goes back.
 */
export type Buckets = { minute: number; day: number; at: number };

type Limit = { name: 'minute' | 'day'; quota: number; seconds: number };

const limitsOf = (plan: PlanName): readonly Limit[] => [
  { name: 'minute', quota: plans[plan].runsPerMinute, seconds: 60 },
  { name: 'day', quota: plans[plan].runsPerDay, seconds: 24 * 3600 },
];

/** The buckets as time has filled them. A clock that is behind the one that filled them last fills nothing. */
export const filled = (buckets: Buckets | undefined, plan: PlanName, now: Date): Buckets => {
  const at = Math.max(buckets?.at ?? 0, now.getTime());
  const tokens = limitsOf(plan).map(({ name, quota, seconds }) => {
    const more = buckets ? ((at - buckets.at) / 1000) * (quota / seconds) : 0;
    return [name, Math.min(quota, (buckets?.[name] ?? quota) + more)];
  });
  return { ...(Object.fromEntries(tokens) as Omit<Buckets, 'at'>), at };
};

const LEAST = 1e-6; // of a token: what rounding may cost

/** The buckets with so many runs taken, or in how many seconds there may be enough. */
export const taken = (buckets: Buckets, plan: PlanName, runs: number): Buckets | { limit: Limit; seconds: number } => {
  const short = limitsOf(plan)
    .map((limit) => ({ limit, seconds: secondsUntil(buckets[limit.name], runs, limit) }))
    .sort((a, b) => b.seconds - a.seconds)[0];
  if (short && short.seconds > 0) return short;
  return { minute: buckets.minute - runs, day: buckets.day - runs, at: buckets.at };
};

const secondsUntil = (tokens: number, wanted: number, { quota, seconds }: Limit): number =>
  tokens + LEAST >= wanted ? 0 : Math.ceil(((wanted - tokens) * seconds) / quota);

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11), in runs. Of the limits the one that is
 * nearest is told: how many runs are left, and for how many seconds there will be no more than these.
 */
export const rateLimitHeaders = (buckets: Buckets, plan: PlanName): Record<string, string> => {
  const limits = limitsOf(plan);
  const [nearest] = limits
    .map((limit) => ({ limit, left: Math.max(0, Math.floor(buckets[limit.name] + LEAST)) }))
    .sort((a, b) => a.left - b.left);
  if (!nearest) return {};
  const { limit, left } = nearest;
  return {
    'ratelimit-policy': limits.map(({ name, quota, seconds }) => `"${name}";q=${quota};w=${seconds}`).join(', '),
    ratelimit: `"${limit.name}";r=${left};t=${secondsUntil(buckets[limit.name], left + 1, limit)}`,
  };
};
