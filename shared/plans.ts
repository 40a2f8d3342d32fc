import { z } from 'zod';

/**
 * Limits of each plan. An owner's keys of one plan share the runs per minute and per day. All keys of an owner share the
 * open checks. A change applies from the next request. A plan must allow a check in every region, so its runs per minute
 * must not be fewer than the regions. An owner's open checks are in one item of the table, so a plan allows at most 1,600.
 */
export const plans = {
  small: { runsPerMinute: 12, runsPerDay: 200, openChecks: 10 },
  standard: { runsPerMinute: 60, runsPerDay: 2_000, openChecks: 100 },
  large: { runsPerMinute: 600, runsPerDay: 50_000, openChecks: 1_000 },
} as const satisfies Record<string, { runsPerMinute: number; runsPerDay: number; openChecks: number }>;

export type PlanName = keyof typeof plans;
export const PlanName = z.enum(Object.keys(plans) as [PlanName, ...PlanName[]]);
