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

/** Returns the parts of a time in the time zone of its reader. Its format is a standard, and `Intl` blocks a page for 30 ms. */
const partsOf = (at: Date) => {
  const [, month = '', day = '', year = '', time = '', offset = ''] = at.toString().split(' ');
  return { date: `${month} ${Number(day)}`, year, time, zone: zoneOf(offset) };
};

/** Returns the name of a zone by an offset such as `GMT+0530`. */
const zoneOf = (offset: string): string => {
  const [, sign = '', hours = '', minutes = ''] = /^GMT([+-])(\d\d)(\d\d)$/.exec(offset) ?? [];
  if (Number(hours) === 0 && Number(minutes) === 0) return 'UTC';
  return `GMT${sign}${Number(hours)}${minutes === '00' ? '' : `:${minutes}`}`;
};

/** Returns a time in the time zone of its reader, such as `Nov 24, 2026, 09:05:00 GMT+2`. */
export const localTime = (at: string): string => {
  const { date, year, time, zone } = partsOf(new Date(at));
  return `${date}, ${year}, ${time} ${zone}`;
};

/** Returns the day of a time in the time zone of its reader, such as `Nov 24`. */
export const localDay = (at: string): string => partsOf(new Date(at)).date;

/** Returns the name of the time zone, such as `UTC` or `GMT+2`. */
export const zoneName = (): string => partsOf(new Date()).zone;
