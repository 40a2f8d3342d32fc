import { z } from 'zod';

/**
 * Limits of each plan. An owner's keys of one plan share the audits per minute and per day. All keys of an owner share the
 * open checks. A change applies from the next request. An owner's open checks are in one item of the table, so a plan allows at most 1,600.
 */
export const plans = {
  small: { auditsPerMinute: 12, auditsPerDay: 200, openChecks: 10 },
  standard: { auditsPerMinute: 60, auditsPerDay: 2_000, openChecks: 100 },
  large: { auditsPerMinute: 600, auditsPerDay: 50_000, openChecks: 1_000 },
} as const satisfies Record<string, { auditsPerMinute: number; auditsPerDay: number; openChecks: number }>;

export type PlanName = keyof typeof plans;
export const PlanName = z.enum(Object.keys(plans) as [PlanName, ...PlanName[]]);
