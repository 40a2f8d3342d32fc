/** Beginning of the keys of all reports. */
export const REPORTS = 'reports/';

/** Returns the beginning of the keys of all reports with a life of so many days. */
export const reportsOf = (days: number): string => `${REPORTS}${days}d/`;

/** Returns the beginning of the keys of a check's reports. */
export const reportFolder = (checkId: string, days: number): string => `${reportsOf(days)}${checkId}/`;

/** Returns the life in days that the key of a report has. */
export const lifeIn = (key: string): number => Number(/^reports\/(\d+)d\//.exec(key)?.[1]);
