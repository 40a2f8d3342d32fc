/** Units of a time span, in seconds. */
const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;

/** Returns how long ago a time was, for example `2 min ago`. */
export const ago = (at: string, now: number) => {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  const [unit, size] = units.find(([, each]) => seconds >= each) ?? [];
  return unit && size ? `${Math.floor(seconds / size)} ${unit} ago` : 'just now';
};

// A format of its own for each time would take most of the time of a table with 400 rows.
const format = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long', hourCycle: 'h23' });

/** Returns a time in the time zone of its reader, with the name of the zone. */
export const localTime = (at: string) => format.format(new Date(at));

const days = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

/** Returns the day of a time in the time zone of its reader, such as `Nov 24`. */
export const localDay = (at: string): string => days.format(new Date(at));

/** Returns the name of the time zone, such as `UTC` or `GMT+2`. */
export const zoneName = () => format.formatToParts().find(({ type }) => type === 'timeZoneName')?.value ?? '';
