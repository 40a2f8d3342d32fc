import { z } from 'zod';
import { anyName } from '../../../shared/name-schemas.ts';
import { CronTimes, LastCheck } from '../../../shared/schedules.ts';
import { partitions } from '../../../shared/service/partitions.ts';
import type { PlanName } from '../../../shared/service/plans.ts';
import type { Key } from './dynamodb.ts';
import { anyOf, type Condition } from './expressions.ts';
import { ifEqual } from './items.ts';

const time = z.iso.datetime();
export const ScheduleItem = z.object({
  sk: z.string(), // its place
  id: z.uuid(),
  owner: z.string(),
  plan: anyName<PlanName>().optional(), // of the key that created it; its limits apply to the checks
  name: z.string(),
  every: z.union([z.string(), CronTimes]),
  body: z.string(), // of the creates as JSON, without the secrets
  secretNames: z.string(), // as JSON
  secretsKey: z.string().optional(),
  createdAt: time,
  isHidden: z.boolean().optional(),
  pausedAt: time.optional(),
  nextAt: time.optional(),
  last: LastCheck.extend({
    error: z.object({ code: anyName<NonNullable<LastCheck['error']>['code']>(), message: z.string() }).nullable(),
  }).optional(),
  spareSecrets: z.array(z.string()).optional(), // keys of objects that no check uses, and that must be deleted
  edits: z.int().optional(), // number of edits
  watch: z.string().optional(), // how its pages are, as JSON (watch-schedule.ts)
  dueAt: z.string().optional(),
});
export type ScheduleItem = z.infer<typeof ScheduleItem>;
export type NewSchedule = Omit<
  ScheduleItem,
  'sk' | 'isHidden' | 'pausedAt' | 'last' | 'spareSecrets' | 'edits' | 'watch' | 'dueAt'
> & {
  nextAt: string;
};

export const partitionOf = (owner: string): string => `${partitions.schedule}${owner}`;
export const keyOf = ({ owner, sk }: Pick<ScheduleItem, 'owner' | 'sk'>): Key => ({ pk: partitionOf(owner), sk });
/** Holds if the place still has this schedule. */
export const ifSame = ({ id }: Pick<ScheduleItem, 'id'>): Condition => ifEqual('id', id);
export const ifShown = anyOf(['isHidden', 'absent']);

export const timesOf = (nextAt: Date) => ({ nextAt: nextAt.toISOString(), dueAt: nextAt.toISOString() });
