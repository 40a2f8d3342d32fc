import type { Database } from './database.ts';

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** A clock that is so much later than when it was last trusted may be wrong. */
const JUMP_MS = 7 * DAY_MS;
/** Hours that the service runs with such a clock before it trusts the clock. */
const HOURS = 24;

/**
 * Returns a function that says whether data may be deleted because they are old. A machine may start with a clock that is a
 * year ahead, and its operator or its time service sets the clock right. Call the function once an hour.
 */
export const trustedClock = (database: Database, print: (line: string) => void) => {
  let isSaid = false;
  return async (now: Date): Promise<boolean> => {
    const { isTrusted, days } = await database.write(() => ({ answer: judged(database, now.getTime()) }));
    if (!isTrusted && !isSaid)
      print(
        `The clock of this machine is ${days} days later than when the service last ran. If that is right, expired data are deleted when the service has run for ${HOURS} hours. If not, set the clock: nothing is lost.`,
      );
    isSaid = !isTrusted;
    return isTrusted;
  };
};

/** Judges a time, and stores when the clock was last trusted, and for how many hours it has not been trusted since. */
const judged = (database: Database, at: number) => {
  const stored = database.prepare('SELECT at, hours FROM clock').get() as { at: number; hours: number } | undefined;
  const ahead = at - (stored?.at ?? at);
  const hours = ahead > JUMP_MS ? (stored?.hours ?? 0) + 1 : 0;
  const isTrusted = hours === 0 || hours > HOURS;
  const row = isTrusted ? [at, 0] : [stored?.at ?? at, hours];
  database.prepare('INSERT OR REPLACE INTO clock VALUES (1, ?, ?)').run(...row);
  return { isTrusted, days: Math.floor(ahead / DAY_MS) };
};
