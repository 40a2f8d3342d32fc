// @ts-check

/** Units of a time span, in seconds. */
const units = /** @type {const} */ ([
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
]);

/**
 * Returns how long ago a time was, for example `2 min ago`.
 * @param {string} at
 * @param {number} now
 */
export const ago = (at, now) => {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  const [unit, size] = units.find(([, each]) => seconds >= each) ?? [];
  return unit && size ? `${Math.floor(seconds / size)} ${unit} ago` : 'just now';
};

// A format of its own for each time would take most of the time of a table with 400 rows.
const format = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

/** @param {string} at */
export const localTime = (at) => format.format(new Date(at));
