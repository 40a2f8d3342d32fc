import { Cron } from 'croner';
import { type CronTimes, type Every, intervalMs, MIN_INTERVAL_MINUTES } from '../../shared/schedules.ts';

/** Number of times of a new schedule whose distances are judged. It covers a year of daily times. */
const JUDGED_TIMES = 400;

/**
 * Returns the first time of a schedule after another time. An interval counts from the create of the schedule, so that late
 * checks don't move the later ones. Throws for times that `everyError` refuses.
 */
export const nextTime = (every: Every, createdAt: Date, after: Date): Date => {
  if (typeof every !== 'string') {
    const next = cronOf(every).nextRun(after);
    if (!next) throw new Error(`the times ${every.cron} have no next time`);
    return next;
  }
  const ms = intervalMs(every);
  if (ms === undefined) throw new Error(`${every} is no interval`);
  const passed = Math.max(0, Math.floor((after.getTime() - createdAt.getTime()) / ms));
  return new Date(createdAt.getTime() + (passed + 1) * ms);
};

/** Returns the path and the message of an error in the times of a new schedule, or undefined for good times. */
export const everyError = (every: Every, now: Date): { path: string; message: string } | undefined => {
  if (typeof every === 'string') return undefined;
  if (!isTimeZone(every.timeZone))
    return {
      path: 'every.timeZone',
      message: 'The time zone is unknown. Use a name of the IANA database, such as Europe/Berlin or UTC.',
    };
  const times = timesOf(every, now);
  if (!times)
    return {
      path: 'every.cron',
      message:
        'The cron expression must have five fields: minute, hour, day of month, month and day of week, such as 0 6 * * 1-5.',
    };
  if (times.length === 0)
    return { path: 'every.cron', message: 'The cron expression has no time. Use a day that exists in a month of it.' };
  const isDense = times.some(
    (time, i) => i > 0 && time.getTime() - Number(times[i - 1]) < MIN_INTERVAL_MINUTES * 60_000,
  );
  if (!isDense) return undefined;
  return {
    path: 'every.cron',
    message: `Two times of the cron expression are less than ${MIN_INTERVAL_MINUTES} minutes apart. Use fewer times.`,
  };
};

const isTimeZone = (name: string): boolean => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name })) && name !== '';
  } catch {
    return false;
  }
};

const timesOf = (every: CronTimes, now: Date): Date[] | undefined => {
  if (every.cron.trim().split(/\s+/).length !== 5) return undefined; // Croner also takes names, dates and seconds
  try {
    return cronOf(every).nextRuns(JUDGED_TIMES, now);
  } catch {
    return undefined;
  }
};

/**
 * A clock change skips no day and repeats none: with this rule, a time of day in the skipped hour moves to its end, and one in
 * the repeated hour comes once.
 */
const cronOf = ({ cron, timeZone }: CronTimes): Cron =>
  new Cron(cron, { timezone: timeZone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true });
