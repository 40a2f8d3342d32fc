import { expect, test } from 'vitest';
import { everyError, nextTime } from '../../functions/lib/schedule-times.ts';
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

test('a clock that was set back before the create gives a time after the create', () => {
  expect(times('30m', '2026-12-31T00:00:00Z', 1)).toEqual(['2027-01-01T10:37']);
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
  ['*/4 * * * *', 'every.cron'],
  ['* * * * *', 'every.cron'],
  ['0 0 30 2 *', 'every.cron'],
  ['0 0 * * * *', 'every.cron'],
  ['@daily', 'every.cron'],
  ['2027-05-01T00:00:00', 'every.cron'],
  ['61 * * * *', 'every.cron'],
  ['', 'every.cron'],
])('cron %j has the error at %s', (cron, path) => {
  expect(everyError(berlin(cron), created)?.path).toBe(path);
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
