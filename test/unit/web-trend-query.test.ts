import { expect, test } from 'vitest';
import { trendQueryOf } from '../../clients/web/trend/trend-query.ts';

const of = (address: string) => trendQueryOf(new URLSearchParams(`url=https://example.com/&${address}`));
const parametersOf = (address: string) => Object.fromEntries(of(address).parameters);

test('the address of a trend filters by device, region, label and the days of the reader', () => {
  const day = new Date(2031, 0, 31);
  expect(parametersOf('device=desktop&region=us-west1&label=branch:main&from=2031-01-31&to=2031-01-31')).toEqual({
    url: 'https://example.com/',
    device: 'desktop',
    region: 'us-west1',
    label: 'branch:main',
    createdAfter: new Date(day.getTime() - 1).toISOString(),
    createdBefore: new Date(2031, 1, 1).toISOString(),
  });
  expect(parametersOf('region=&from=')).toEqual({ url: 'https://example.com/', device: 'mobile' });
  expect([of('').isFiltered, of('device=desktop').isFiltered, of('to=2031-01-31').isFiltered]).toEqual([
    false,
    false,
    true,
  ]);
  expect(Object.fromEntries(of('from=2031-01-31').page)).toEqual({ url: 'https://example.com/', device: 'mobile' });
});

test.each([
  ['from=yesterday', { from: 'The day must be a date such as 2031-01-31.' }],
  ['to=2031-02-31', { to: 'The day must be a date such as 2031-01-31.' }],
  ['to=2031-13-01', { to: 'The day must be a date such as 2031-01-31.' }],
  ['from=0000-01-01', { from: 'The day must be a date such as 2031-01-31.' }],
  ['from=2031-02-02&to=2031-02-01', { to: 'The last day must not be before the first one.' }],
  ['from=2031-02-01&to=2031-02-01', {}],
])('a wrong day is a fault at its field: %s', (address, faults) => {
  expect(of(address).faults).toEqual(faults);
});
