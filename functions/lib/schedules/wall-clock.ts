const DAY_MS = 24 * 60 * 60_000;

/** The clock of a time zone. Its times are milliseconds that `Date.UTC` would give for what the clock shows. */
export type WallClock = {
  /** Returns the milliseconds by which the clock is ahead of UTC at an instant. */
  offsetAt: (instant: number) => number;
  /**
   * Returns the instant at which the clock shows a time. It is the first of two, and the end of the skipped hours if the clock
   * never shows the time.
   */
  instantOf: (wall: number) => number;
  /** Returns the instant between two others at which the clock changes. */
  changeBetween: (before: number, after: number) => number;
};

/** Returns the clock of a time zone, or undefined if the zone is unknown. */
export const wallClock = (timeZone: string): WallClock | undefined => {
  const format = formatOf(timeZone);
  if (!format) return undefined;
  const offsetAt = (instant: number): number => {
    const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d+):(\d+)(?::(\d+))?/.exec(name) ?? [];
    return (sign === '-' ? -1000 : 1000) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
  };
  const changeBetween = (before: number, after: number): number => {
    const offset = offsetAt(before);
    let [low, high] = [before, after];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === offset) low = middle;
      else high = middle;
    }
    return high;
  };
  const instantOf = (wall: number): number => {
    const byEarlier = wall - offsetAt(wall - DAY_MS);
    const byLater = wall - offsetAt(wall + DAY_MS);
    const shown = [byEarlier, byLater].find((instant) => instant + offsetAt(instant) === wall);
    return shown ?? changeBetween(byLater, byEarlier);
  };
  return { offsetAt, instantOf, changeBetween };
};

const formatOf = (timeZone: string): Intl.DateTimeFormat | undefined => {
  try {
    return timeZone === '' ? undefined : new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
};
