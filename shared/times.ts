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
