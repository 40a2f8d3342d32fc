/*
 * Cron expressions. Their times are those of a clock on a wall, as milliseconds that `Date.UTC` would give for the same clock.
 * Days and times of day are sets, so that it costs little to judge an expression, also one that is refused.
 */

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const DAY_MS = DAY_MINUTES * MINUTE_MS;
/** Months in which a date of an expression must exist. A February has a fifth Monday only every 28 or 40 years. */
const SEARCHED_MONTHS = 41 * 12;
/** Months whose dates are judged for neighbours. Rare ones don't matter. */
const JUDGED_MONTHS = 4 * 12;

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

type Field = { name: string; from: number; to: number; names?: readonly string[]; size?: number };

/** The fields of an expression. `names` stand for the numbers from `from` on. */
const fields = {
  minute: { name: 'minute', from: 0, to: 59 },
  hour: { name: 'hour', from: 0, to: 23 },
  day: { name: 'day of month', from: 1, to: 31 },
  month: { name: 'month', from: 1, to: 12, names: months },
  weekday: { name: 'day of week', from: 0, to: 7, names: weekdays, size: 7 }, // 0 and 7 are Sunday
} satisfies Record<string, Field>;

type Month = { days: number; firstWeekday: number };
/** Returns true if a day of a month matches. */
type DayRule = (day: number, month: Month) => boolean;

export type Cron = {
  /** Minutes of a day, ascending. */
  times: readonly number[];
  months: ReadonlySet<number>;
  isDay: DayRule;
  /**
   * True if minutes and hours have no `*` and no step. Each time is then a time of day and not one of an interval.
   */
  isFixed: boolean;
};

/** Returns a parsed expression, or a message that says what it must have. */
export const parseCron = (text: string): Cron | string => {
  const parts = text.trim().toUpperCase().split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  if (parts.length !== 5)
    return 'The cron expression must have five fields: minute, hour, day of month, month and day of week, such as 0 6 * * 1-5.';
  const minutes = numbersOf(fields.minute, minute);
  const hours = numbersOf(fields.hour, hour);
  const days = rulesOf(day, dayRule);
  const monthNumbers = numbersOf(fields.month, month);
  const ofWeek = rulesOf(weekday, weekdayRule);
  if (!minutes) return refusal(fields.minute, minute);
  if (!hours) return refusal(fields.hour, hour);
  if (!days) return refusal(fields.day, day);
  if (!monthNumbers) return refusal(fields.month, month);
  if (!ofWeek) return refusal(fields.weekday, weekday);
  const isEither = !isAny(day) && !isAny(weekday); // one of both is enough, as in every cron
  return {
    times: [...hours].sort(ascending).flatMap((h) => [...minutes].sort(ascending).map((m) => h * 60 + m)),
    months: monthNumbers,
    isDay: isEither ? (...at) => days(...at) || ofWeek(...at) : (...at) => days(...at) && ofWeek(...at),
    isFixed: !/[*?/]/.test(minute + hour),
  };
};

const refusal = ({ name, from, to, names }: Field, text: string): string => {
  const named = names ? `, names from ${names[0]} to ${names.at(-1)}` : '';
  return `The ${name} of the cron expression can't be ${text}. Use numbers from ${from} to ${to}${named}, lists such as 1,3, ranges such as 2-5, or steps such as */2.`;
};

const ascending = (a: number, b: number): number => a - b;
const isAny = (text: string): boolean => text === '*' || text === '?';

/** Returns the numbers of a list such as `1,5-20/5`, or undefined for another text. A range may go on past its highest number. */
const numbersOf = (field: Field, text: string): Set<number> | undefined => {
  const all = text.split(',').map((item) => numbersOfItem(field, item));
  return all.every((each) => each !== undefined) ? new Set(all.flat()) : undefined;
};

const ITEM = /^(?:([*?])|([A-Z]+|\d+)(?:-([A-Z]+|\d+))?)(?:\/(\d+))?$/;

const numbersOfItem = (field: Field, item: string): number[] | undefined => {
  const [, any, first, last, step] = ITEM.exec(item) ?? [];
  const size = field.size ?? field.to - field.from + 1;
  const end = field.from + size - 1;
  const from = any ? field.from : numberOf(field, first);
  const to = any || (last === undefined && step !== undefined) ? end : numberOf(field, last ?? first);
  const by = Number(step ?? 1);
  if (from === undefined || to === undefined || by < 1 || by > size) return undefined;
  const count = Math.floor((to - from + (to < from ? size : 0)) / by) + 1;
  return Array.from({ length: count }, (_, i) => field.from + ((from - field.from + i * by) % size));
};

const numberOf = ({ from, to, names = [] }: Field, text = ''): number | undefined => {
  const number = /^\d/.test(text) ? Number(text) : names.indexOf(text) + from;
  return number >= from && number <= to && (names.includes(text) || /^\d/.test(text)) ? number : undefined;
};

/** Returns a rule that one of the items of a list fulfils, or undefined if an item has none. */
const rulesOf = (text: string, ruleOf: (item: string) => DayRule | undefined): DayRule | undefined => {
  const rules = text.split(',').map(ruleOf);
  if (!rules.every((rule) => rule !== undefined)) return undefined;
  return (...at) => rules.some((rule) => rule(...at));
};

/** `L` is the last day of the month. `15W` and `LW` are the weekday nearest to a day, in the same month. */
const dayRule = (item: string): DayRule | undefined => {
  if (item === 'L') return (day, { days }) => day === days;
  if (item === 'LW') return (day, month) => day === nearestWeekday(month.days, month);
  const near = item.endsWith('W') ? numberOf(fields.day, item.slice(0, -1)) : undefined;
  if (near !== undefined) return (day, month) => near <= month.days && day === nearestWeekday(near, month);
  const numbers = numbersOf(fields.day, item);
  return numbers && ((day) => numbers.has(day));
};

/** `5#2` is the second Friday of the month, and `5L` or `5#L` the last one. */
const weekdayRule = (item: string): DayRule | undefined => {
  const [, base = item, nth, last] = /^(.+?)(?:#([1-5])|(#?L))$/.exec(item) ?? [];
  const numbers = numbersOf(fields.weekday, base);
  if (!numbers) return undefined;
  return (day, month) =>
    numbers.has(weekdayOf(day, month)) &&
    (nth === undefined || Math.ceil(day / 7) === Number(nth)) &&
    (last === undefined || day + 7 > month.days);
};

const weekdayOf = (day: number, { firstWeekday }: Month): number => (firstWeekday + day - 1) % 7;

const nearestWeekday = (day: number, month: Month): number => {
  const weekday = weekdayOf(day, month);
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === month.days ? day - 2 : day + 1;
  return day;
};

/** Returns the dates of an expression from that of a time on, each as its midnight. */
function* datesFrom({ months, isDay }: Cron, wall: number, searched = SEARCHED_MONTHS): Generator<number> {
  const start = new Date(wall);
  const firstDate = wall - (wall % DAY_MS);
  for (let i = 0; i < searched; i++) {
    const first = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + i, 1);
    const date = new Date(first);
    if (!months.has(date.getUTCMonth() + 1)) continue;
    const days = (Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) - first) / DAY_MS;
    const month = { days, firstWeekday: date.getUTCDay() };
    for (let day = 1; day <= days; day++) {
      const midnight = first + (day - 1) * DAY_MS;
      if (midnight >= firstDate && isDay(day, month)) yield midnight;
    }
  }
}

/** Returns the times of an expression from another time on, that one too. */
export function* wallTimes(cron: Cron, from: number): Generator<number> {
  for (const date of datesFrom(cron, from))
    for (const minute of cron.times) {
      const wall = date + minute * MINUTE_MS;
      if (wall >= from) yield wall;
    }
}

/** Returns true if a date of an expression exists. */
export const hasTimes = (cron: Cron, from: number): boolean => wallTimes(cron, from).next().done === false;

/** Returns true if two times of an expression are less than some minutes apart. */
export const isDense = (cron: Cron, minutes: number, from: number): boolean => {
  const [first = 0, ...more] = cron.times;
  const last = more.at(-1) ?? first;
  if (more.some((time, i) => time - Number(cron.times[i]) < minutes)) return true;
  return first + DAY_MINUTES - last < minutes && hasNeighbours(cron, from);
};

const hasNeighbours = (cron: Cron, from: number): boolean => {
  let before: number | undefined;
  for (const date of datesFrom(cron, from, JUDGED_MONTHS)) {
    if (before !== undefined && date - before === DAY_MS) return true;
    before = date;
  }
  return false;
};
