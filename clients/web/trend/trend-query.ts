/** Names of the filters in the address of a trend. The API has the same ones, except for the days. */
const passed = ['device', 'region', 'label'] as const;
/** The days in the address, and the parameters of the API that begin or end there. */
const days = { from: 'createdAfter', to: 'createdBefore' } as const;

const FAULT_OF_DAY = 'The day must be a date such as 2031-01-31.';

export type Faults = Readonly<Record<string, string>>;

/**
 * Returns the parameters of `GET /v1/runs` for an address of a trend, and the faults of its days. The days are those of
 * the reader's time zone, and both belong to the range.
 */
export const trendQueryOf = (query: URLSearchParams) => {
  const url = query.get('url') ?? '';
  const parameters = new URLSearchParams({ url });
  if (!query.get('device')) parameters.set('device', 'mobile');
  for (const name of passed) for (const value of query.getAll(name)) if (value) parameters.append(name, value);
  const page = new URLSearchParams(parameters); // the newest results have no range
  const [from, to] = [query.get('from'), query.get('to')];
  const [first, last] = [from ? startOf(from) : undefined, to ? startOf(to, 1) : undefined];
  const faults: Record<string, string> = {};
  if (first === null) faults.from = FAULT_OF_DAY;
  if (last === null) faults.to = FAULT_OF_DAY;
  if (first && last && first >= last) faults.to = 'The last day must not be before the first one.';
  if (first) parameters.set(days.from, new Date(first.getTime() - 1).toISOString()); // the API excludes this time
  if (last) parameters.set(days.to, last.toISOString());
  return { url, parameters, page, faults, isFiltered: parameters.size > 2 };
};

/** Returns the local midnight at which a day starts, or a later day. Returns null if the text is no day. */
const startOf = (text: string, later = 0): Date | null => {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  if (!year || !month || !day || year < 1000 || year > 9998) return null; // ISO 8601 has four digits
  const isReal = new Date(year, month - 1, day).getDate() === day && month <= 12;
  return isReal ? new Date(year, month - 1, day + later) : null;
};

/** Returns the first and the last moment of a day in UTC. */
export const dayStart = (date: string) => new Date(`${date}T00:00:00Z`);
export const dayEnd = (date: string) => new Date(`${date}T23:59:59Z`);

/** Returns the address of a trend with the days of its reader from a time on, or to another time. */
export const daysAddress = (
  search: string | URLSearchParams,
  from?: Date | undefined,
  to?: Date | undefined,
): string => {
  const query = new URLSearchParams(search);
  for (const [name, time] of Object.entries({ from, to })) {
    if (time) query.set(name, dayText(time));
    else query.delete(name);
  }
  return `/pages?${query}`;
};

const dayText = (time: Date): string =>
  [
    `${time.getFullYear()}`.padStart(4, '0'),
    ...[time.getMonth() + 1, time.getDate()].map((each) => `${each}`.padStart(2, '0')),
  ].join('-');
