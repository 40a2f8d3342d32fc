import type { Schedule } from '../../shared/schedules.ts';

/** Returns the times of a schedule as text. */
export const everyText = (every: Schedule['every']): string =>
  typeof every === 'string' ? `every ${every}` : `${every.cron} (${every.timeZone})`;

/** Returns the last result of a schedule as text. A link or an id shows the check itself. */
export const lastText = ({ last }: Pick<Schedule, 'last'>): string => {
  if (!last) return 'no check yet';
  return last.error ? `✘ no check: ${last.error.message}` : 'check created';
};
