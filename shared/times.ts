/**
 * Returns the latest of some times in ISO 8601 and UTC. With it, no time of an item goes backwards, even if the clock of a
 * machine was set back.
 */
export const latest = (...times: (string | null | undefined)[]): string =>
  times
    .filter((time) => typeof time === 'string')
    .sort()
    .at(-1) as string;

/** Returns the seconds from a time to `now`. Returns 0 if the clock was set back since. */
export const secondsSince = (time: string, now: Date): number => Math.max(0, (now.getTime() - Date.parse(time)) / 1000);

/**
 * Returns a stored time, or undefined if it is more than `ms` after now. Such a time was written while a clock was ahead, and
 * would hold until that date.
 */
export const unlessAhead = (time: string | undefined, ms: number, now: Date): string | undefined =>
  time !== undefined && Date.parse(time) > now.getTime() + ms ? undefined : time;
