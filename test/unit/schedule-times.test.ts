import { expect, test } from 'vitest';
import { everyError, nextTime } from '../../functions/lib/schedules/schedule-times.ts';
import { Every } from '../../shared/schedules.ts';

const at = (text: string) => new Date(text);
const created = at('2027-01-01T10:07:00.000Z');
const berlin = (cron: string) => ({ cron, timeZone: 'Europe/Berlin' });
/** Returns the first times after another one, each as the sweeper finds it after the one before. */
const times = (every: Every, from: string, count: number): string[] => {
  const found: string[] = [];
  for (let after = at(from); found.length < count; ) {
    after = nextTime(every, created, after);
    found.push(after.toISOString().slice(0, 16));
  }
  return found;
};

test('an interval counts from the create of its schedule, however late a check was', () => {
  expect(times('6h', '2027-01-01T10:07:00Z', 2)).toEqual(['2027-01-01T16:07', '2027-01-01T22:07']);
  expect(times('6h', '2027-01-03T03:59:59Z', 1)).toEqual(['2027-01-03T04:07']);
  expect(times('1d', '2027-03-27T23:00:00Z', 2)).toEqual(['2027-03-28T10:07', '2027-03-29T10:07']);
});

test('a clock that was set back before the create by less than an interval gives a time after the create', () => {
  expect(times('30m', '2027-01-01T09:40:00Z', 1)).toEqual(['2027-01-01T10:37']);
  expect(times('30m', '2026-12-31T00:00:00Z', 1)).toEqual(['2026-12-31T00:07']);
});

test('a time of day comes once on each day, also on the days when the clocks change', () => {
  const daily = berlin('30 2 * * *');
  expect(times(daily, '2027-03-27T00:00:00Z', 3)).toEqual([
    '2027-03-27T01:30',
    '2027-03-28T01:00', // 2:30 does not exist, so it moves to 3:00
    '2027-03-29T00:30',
  ]);
  expect(times(daily, '2027-10-30T12:00:00Z', 2)).toEqual(['2027-10-31T00:30', '2027-11-01T01:30']);
  expect(times(berlin('30 2,14 * * *'), '2027-03-27T20:00:00Z', 2)).toEqual(['2027-03-28T01:00', '2027-03-28T12:30']);
});

test('a time of day that the clocks skip before midnight comes at midnight', () => {
  const nuuk = { cron: '30 23 * * *', timeZone: 'America/Nuuk' };
  expect(times(nuuk, '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-29T01:00', '2026-03-30T00:30']);
});

test.each([
  ['5/15 * * * *', '01-01T00:20', '01-01T00:35'], // from the fifth minute on
  ['0 22-2 * * *', '01-01T01:00', '01-01T02:00'], // over midnight
  ['0 6 * feb sun', '02-07T06:00', '02-14T06:00'],
  ['0 6 13 * FRI', '01-01T06:00', '01-08T06:00'], // a Friday or a 13th
  ['0 6 15W 5,8 *', '05-14T06:00', '08-16T06:00'],
  ['0 6 LW 1,7 *', '01-29T06:00', '07-30T06:00'],
  ['0 6 * * 5L', '01-29T06:00', '02-26T06:00'],
  ['0 6 * * 1-2#1', '01-04T06:00', '01-05T06:00'],
])('cron %j has the times %s and %s', (cron, ...expected) => {
  const found = times({ cron, timeZone: 'UTC' }, '2027-01-01T00:10:00Z', 2);
  expect(found).toEqual(expected.map((time) => `2027-${time}`));
});

test('times of an interval in the form of cron go on through the repeated hour', () => {
  expect(times(berlin('*/30 2 * * *'), '2027-10-30T22:00:00Z', 5)).toEqual([
    '2027-10-31T00:00',
    '2027-10-31T00:30',
    '2027-10-31T01:00',
    '2027-10-31T01:30',
    '2027-11-01T01:00',
  ]);
});

test.each([
  ['0 6 * * 1-5', undefined],
  ['0 0 29 2 *', undefined],
  ['*/5 * * * *', undefined],
  ['0 0 L * *', undefined],
  ['58 23 * * *', undefined],
  ['0,58 0,23 1 * *', undefined], // not on two days in a row
  ['0,58 0,23 1,L * *', 'every.cron'],
  ['*/4 * * * *', 'every.cron'],
  ['* * * * *', 'every.cron'],
  ['0 0 30 2 *', 'every.cron'],
  ['0 0 1-7 2 1#5', undefined],
  ['0 0 * 2 1#5', undefined], // in 2044
  ['0 0 * * * *', 'every.cron'],
  ['@daily', 'every.cron'],
  ['2027-05-01T00:00:00', 'every.cron'],
  ['60 6 * * *', 'every.cron'],
  ['*/0 * * * *', 'every.cron'],
  ['1,,2 * * * *', 'every.cron'],
  ['0 6 constructor * *', 'every.cron'],
  ['', 'every.cron'],
])('cron %j has the error at %s', (cron, path) => {
  expect(everyError(berlin(cron), created)?.path).toBe(path);
});

test('an error of a field names it and what it takes', () => {
  expect(everyError(berlin('0 6 * * MOO'), created)?.message).toBe(
    "The day of week of the cron expression can't be MOO. Use numbers from 0 to 7, names from SUN to SAT, lists such as 1,3, ranges such as 2-5, or steps such as */2.",
  );
});

test('a time zone must exist', () => {
  for (const timeZone of ['Mars/Base', ''])
    expect(everyError({ cron: '0 6 * * *', timeZone }, created)?.path).toBe('every.timeZone');
});

test.each(['5m', '90m', '6h', '1d', '366d'])('the interval %s is good', (every) => {
  expect(Every.safeParse(every).success).toBe(true);
});
test.each(['4m', '0h', '-1d', '1w', '367d', '1.5h', '6 h', '', '6H', '999999d'])(
  'the interval %j is refused',
  (every) => {
    expect(Every.safeParse(every).success).toBe(false);
  },
);
