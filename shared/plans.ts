import { z } from 'zod';

/**
 * What an owner's keys allow, by plan: runs a minute and a day, which the keys of one plan share, and checks open at once,
 * counted over all keys of the owner. A change here counts from the next request on. No plan may allow fewer runs a minute
 * than a check of every region has.
 */
export const plans = {
  small: { runsPerMinute: 12, runsPerDay: 200, openChecks: 10 },
  standard: { runsPerMinute: 60, runsPerDay: 2_000, openChecks: 100 },
  large: { runsPerMinute: 600, runsPerDay: 50_000, openChecks: 1_000 },
} as const satisfies Record<string, { runsPerMinute: number; runsPerDay: number; openChecks: number }>;

export type PlanName = keyof typeof plans;
export const PlanName = z.enum(Object.keys(plans) as [PlanName, ...PlanName[]]);
