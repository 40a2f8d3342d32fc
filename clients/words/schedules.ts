import type { Every, Schedule } from '../../shared/schedules.ts';

/** Returns the times of a schedule as text. */
export const everyText = (every: Schedule['every']): string =>
  typeof every === 'string' ? `every ${every}` : `${every.cron} (${every.timeZone})`;

/** Returns the last result of a schedule as text. A link or an id shows the check itself. */
export const lastText = ({ last }: Pick<Schedule, 'last'>): string => {
  if (!last) return 'no check yet';
  return last.error ? `✘ no check: ${last.error.message}` : 'check created';
};

/** Returns true for times in the form of cron. An interval has no spaces. */
export const isCron = (times: string): boolean => times.trim().includes(' ');

/** Returns the times that a user has entered. The time zone is for cron. */
export const everyOf = (times: string, timeZone = ownTimeZone()): Every =>
  isCron(times) ? { cron: times.trim(), timeZone } : times.trim();

export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
