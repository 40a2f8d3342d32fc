import { recordOf } from '../record.ts';

export const planNames = ['small', 'standard', 'large'] as const;
export type PlanName = (typeof planNames)[number];

/** Limit of a plan: its quota in each plan, and the text that follows the quota, as in `60 audits a minute`. */
type PlanLimit = { quotas: Record<PlanName, number>; text: string };
/**
 * Limit of the audits in a window of time. The token bucket of an owner is stored under `bucket`. Unused buckets expire
 * after three days, so a window has at most two.
 */
type AuditLimit = PlanLimit & { bucket: string; seconds: number };

/** Limits of audits. An owner's keys of one plan share them. A change applies from the next request. */
export const auditLimits = {
  auditsPerMinute: {
    quotas: { small: 12, standard: 60, large: 600 },
    text: 'audits a minute',
    bucket: 'minute',
    seconds: 60,
  },
  auditsPerDay: {
    quotas: { small: 200, standard: 2_000, large: 50_000 },
    text: 'audits a day',
    bucket: 'day',
    seconds: 24 * 3600,
  },
} as const satisfies Record<string, AuditLimit>;

export const planLimits = {
  ...auditLimits,
  /** All keys of an owner share the open checks. */
  openChecks: { quotas: { small: 10, standard: 100, large: 1_000 }, text: 'checks open at once' },
  /** All keys of an owner share the webhooks. Each finished check makes one delivery to each of them. */
  webhooks: { quotas: { small: 5, standard: 5, large: 5 }, text: 'webhooks' },
  /** All keys of an owner share the schedules. The largest number bounds the answer that lists them all. */
  schedules: { quotas: { small: 5, standard: 20, large: 50 }, text: 'schedules' },
  /** All keys of an owner share the marks. Those that labels make don't count. */
  marks: { quotas: { small: 200, standard: 1_000, large: 5_000 }, text: 'marks' },
  /** All keys of an owner share the badges. A badge has no end, so their number is limited. */
  badges: { quotas: { small: 20, standard: 100, large: 500 }, text: 'badges' },
  /** All keys of an owner share the builds of Lighthouse CI without a seal. */
  unsealedBuilds: { quotas: { small: 20, standard: 100, large: 500 }, text: 'unsealed builds' },
  /** Megabytes of their reports, compressed. Requests at the same time may pass the limit by a report each. */
  unsealedMegabytes: { quotas: { small: 500, standard: 2_000, large: 10_000 }, text: 'MB in unsealed builds' },
} as const satisfies Record<string, PlanLimit>;

export type LimitName = keyof typeof planLimits;
export const limitNames = Object.keys(planLimits) as LimitName[];
export type BucketName = (typeof auditLimits)[keyof typeof auditLimits]['bucket'];
export const bucketNames: readonly BucketName[] = Object.values(auditLimits).map(({ bucket }) => bucket);

/** Returns the attribute with the token buckets of a plan in the usage of an owner. */
export const tokensOf = (plan: PlanName) => `tokens-${plan}`;

export const plans = recordOf(planNames, (plan) =>
  recordOf(limitNames, (name): number => planLimits[name].quotas[plan]),
);

/** Returns a limit of a plan as a text, such as `60 audits a minute`. */
export const limitText = (plan: PlanName, name: LimitName): string => `${plans[plan][name]} ${planLimits[name].text}`;
