import { MIN_INTERVAL_MINUTES } from '../../../shared/schedule-limits.ts';
import { type CronTimes, type Every, intervalMs } from '../../../shared/schedules.ts';
import { type Cron, hasTimes, isDense, parseCron, wallTimes } from './cron.ts';
import { type WallClock, wallClock } from './wall-clock.ts';

/**
 * Returns the first time of a schedule after another time. An interval counts from the create of the schedule, so that late
 * checks don't move the later ones. Throws for times that `everyError` refuses.
 */
export const nextTime = (every: Every, createdAt: Date, after: Date): Date => {
  if (typeof every !== 'string') return nextCronTime(every, after);
  const ms = intervalMs(every);
  if (ms === undefined) throw new Error(`${every} is no interval`);
  const passed = Math.floor((after.getTime() - createdAt.getTime()) / ms);
  // The first time is an interval after the create, unless the clock was ahead by more than that.
  return new Date(createdAt.getTime() + ((passed < -1 ? passed : Math.max(0, passed)) + 1) * ms);
};

/** Returns the path and the message of an error in the times of a new schedule, or undefined for good times. */
export const everyError = (every: Every, now: Date): { path: string; message: string } | undefined => {
  if (typeof every === 'string') return undefined;
  if (!wallClock(every.timeZone))
    return {
      path: 'every.timeZone',
      message: 'The time zone is unknown. Use a name of the IANA database, such as Europe/Berlin or UTC.',
    };
  const cron = parseCron(every.cron);
  if (typeof cron === 'string') return { path: 'every.cron', message: cron };
  if (!hasTimes(cron, now.getTime()))
    return { path: 'every.cron', message: 'The cron expression has no time. Use a day that exists in a month of it.' };
  if (!isDense(cron, MIN_INTERVAL_MINUTES, now.getTime())) return undefined;
  return {
    path: 'every.cron',
    message: `Two times of the cron expression are less than ${MIN_INTERVAL_MINUTES} minutes apart. Use fewer times.`,
  };
};

/**
 * A clock change skips no day and repeats none: a time of day in the skipped hour moves to its end, and one in the repeated hour
 * comes once. Times of an interval go on.
 */
const nextCronTime = ({ cron: text, timeZone }: CronTimes, after: Date): Date => {
  const clock = wallClock(timeZone);
  const cron = parseCron(text);
  if (!clock || typeof cron === 'string') throw new Error(`the times ${text} in ${timeZone} can't be read`);
  const next = (cron.isFixed ? nextTimeOfDay : nextOfInterval)(cron, clock, after.getTime() + 1);
  if (next === undefined) throw new Error(`the times ${text} have no next time`);
  return new Date(next);
};

const nextTimeOfDay = (cron: Cron, clock: WallClock, from: number): number | undefined => {
  for (const wall of wallTimes(cron, from + clock.offsetAt(from))) {
    const instant = clock.instantOf(wall);
    if (instant >= from) return instant;
  }
  return undefined;
};

const nextOfInterval = (cron: Cron, clock: WallClock, from: number): number | undefined => {
  const offset = clock.offsetAt(from);
  const { value: wall } = wallTimes(cron, from + offset).next();
  if (wall === undefined) return undefined;
  const next = wall - offset;
  return clock.offsetAt(next) === offset ? next : nextOfInterval(cron, clock, clock.changeBetween(from, next));
};
