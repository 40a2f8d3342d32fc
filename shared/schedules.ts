import { z } from 'zod';
import { CreateCheckBody } from './check.ts';
import { UnjudgedReason } from './comparison/watch.ts';
import { mainNames } from './metrics/page-metrics.ts';
import { Region } from './name-schemas.ts';
import { SentOptions, ShownOptions } from './options/audit-options-schemas.ts';
import { Problem } from './problems.ts';
import { MAX_SCHEDULE_NAME, MIN_INTERVAL_MINUTES } from './schedule-limits.ts';

const MAX_INTERVAL_DAYS = 366;

const minutesOf = { m: 1, h: 60, d: 24 * 60 } as const;
const INTERVAL = /^([1-9]\d{0,5})([mhd])$/;

/** Returns the milliseconds of an interval such as `6h`, or undefined for another text. */
export const intervalMs = (text: string): number | undefined => {
  const [, count, unit] = INTERVAL.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * minutesOf[unit as keyof typeof minutesOf] * 60_000;
};

const isInterval = (text: string): boolean => {
  const ms = intervalMs(text) ?? 0;
  return ms >= MIN_INTERVAL_MINUTES * 60_000 && ms <= MAX_INTERVAL_DAYS * minutesOf.d * 60_000;
};

/** Times of day and of the calendar, in the form of cron and in a time zone. */
export const CronTimes = z
  .strictObject({
    cron: z.string().max(200).meta({ description: 'Five fields: minute, hour, day of month, month, day of week.' }),
    timeZone: z.string().max(64).meta({ description: 'Name of a time zone, such as `Europe/Berlin`.' }),
  })
  .meta({ id: 'CronTimes', description: 'Times in the form of cron, in a time zone.' });
export type CronTimes = z.infer<typeof CronTimes>;

/** When a schedule creates its checks. */
export const Every = z.union([
  z
    .string()
    .refine(isInterval)
    .meta({
      description: 'A number of minutes, hours or days, such as `30m`, `6h` or `1d`.',
      override: { type: 'string', pattern: INTERVAL.source },
    }),
  CronTimes,
]);
export type Every = z.infer<typeof Every>;

export const acceptedEvery = `The times must be an interval from ${MIN_INTERVAL_MINUTES}m to ${MAX_INTERVAL_DAYS}d, such as "30m", "6h" or "1d", or an object such as { "cron": "0 6 * * 1-5", "timeZone": "Europe/Berlin" }.`;
export const acceptedName = `The name must be a text of 1 to ${MAX_SCHEDULE_NAME} characters.`;

const Name = z
  .string()
  .refine((text) => text.trim() !== '' && text.length <= MAX_SCHEDULE_NAME)
  .meta({ override: { type: 'string', minLength: 1, maxLength: MAX_SCHEDULE_NAME } });

/** Body of the create of a schedule. The function judges `check` as the create of a check does. */
export const CreateScheduleBody = z
  .strictObject({ name: Name, every: Every, check: CreateCheckBody })
  .meta({ id: 'CreateSchedule' });
export type CreateScheduleBody = z.infer<typeof CreateScheduleBody>;

/** Body of an edit. Without a part, the schedule keeps its own. */
export const EditScheduleBody = CreateScheduleBody.partial().meta({ id: 'EditSchedule' });
export type EditScheduleBody = z.infer<typeof EditScheduleBody>;

/** Inputs of the checks of a schedule, with the names of secrets in place of them. */
const ScheduledCheck = z
  .object({
    ...CreateCheckBody.pick({ url: true, auditVersion: true, regions: true }).shape,
    ...ShownOptions.shape,
    against: SentOptions.shape.against,
  })
  .meta({
    id: 'ScheduledCheck',
    description: 'Inputs of the checks, as they were sent. Secrets have only their names.',
  });

/** Result of the last time at which a schedule had to create a check. */
export const LastCheck = z
  .object({
    scheduledFor: z.iso.datetime(),
    at: z.iso.datetime().describe('When the service created the check, or failed to.'),
    checkId: z.uuid().nullable(),
    error: z
      .object({ code: Problem.shape.code, message: z.string() })
      .nullable()
      .describe('Why there is no check. The schedule goes on.'),
  })
  .meta({ id: 'LastCheck' });
export type LastCheck = z.infer<typeof LastCheck>;

/** How the page is in a region by the last checks of a schedule. */
export const WatchedRegion = z
  .object({
    region: Region,
    state: z.enum(['normal', 'regressed']).describe('`regressed` from the event `page.regressed` to `page.recovered`.'),
    metrics: z.array(z.enum(mainNames)).describe('Metrics that have regressed.'),
    interactions: z.array(z.string()).describe('Names of the interactions whose INP has regressed.'),
    since: z.uuid().nullable().describe('Id of the first check of the regression. Null without one.'),
    checkId: z.uuid().describe('Id of the last check that the service has looked at.'),
    reason: UnjudgedReason.nullable().describe(
      'Why that check has no verdict, or none about metrics with noise. `first`: it is the first. The code of a difference: it begins a new series.',
    ),
  })
  .meta({ id: 'WatchedRegion' });
export type WatchedRegion = z.infer<typeof WatchedRegion>;

export const Schedule = z
  .object({
    id: z.uuid(),
    name: z.string(),
    every: z.union([z.string(), CronTimes]),
    check: ScheduledCheck,
    createdAt: z.iso.datetime(),
    pausedAt: z.iso.datetime().nullable(),
    nextAt: z.iso.datetime().nullable().describe('When it creates the next check. Null while it is paused.'),
    last: LastCheck.nullable(),
    watched: z.array(WatchedRegion).describe('Empty until a check closes while the owner has a webhook.'),
    links: z.object({ self: z.string() }).describe('Relative URLs.'),
  })
  .meta({ id: 'Schedule', description: 'A check that repeats.' });
export type Schedule = z.infer<typeof Schedule>;

export const ScheduleList = z.object({ schedules: z.array(Schedule) });
export type ScheduleList = z.infer<typeof ScheduleList>;
