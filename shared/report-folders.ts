/** Returns the beginning of the keys of all reports with a life of so many days. Reports of earlier versions have none. */
export const reportsOf = (days: number | undefined): string => (days === undefined ? 'reports/' : `reports/${days}d/`);

/** Returns the beginning of the keys of a check's reports. */
export const reportFolder = (checkId: string, days: number | undefined): string => `${reportsOf(days)}${checkId}/`;

/** Returns the life in days that the key of a report has. */
export const lifeIn = (key: string): number | undefined => {
  const [, days] = /^reports\/(\d+)d\//.exec(key) ?? [];
  return days === undefined ? undefined : Number(days);
};
