import { expect, test } from 'vitest';
import { incomparable } from '../../clients/web/series.ts';
import { throttlingFields } from '../../clients/web/throttling.ts';
import { presets, throttlingNames } from '../../shared/throttling.ts';

test('the page has a field for each value of a throttling', () => {
  expect(throttlingFields.map(({ name }) => name).sort()).toEqual(throttlingNames.toSorted());
});

const newest: Parameters<typeof incomparable>[0][number] = {
  url: 'https://example.com/',
  device: 'mobile',
  region: 'us-west1',
  state: 'succeeded',
  blockedUrlPatterns: [],
  benchmarkIndex: 2700,
  auditVersion: '13.5.0',
  throttling: presets.mobile,
  contended: false,
};

test.each([
  ['the same', {}, undefined],
  ['another version', { auditVersion: '12.8.2' }, 'other version'],
  ['no throttling', { throttling: 'none' as const }, 'other throttling'],
  ['other values', { throttling: { ...presets.mobile, rttMs: 300 } }, 'other throttling'],
  ['an entry from before the throttling was stored', { throttling: null }, undefined],
  ['other blocked URLs', { blockedUrlPatterns: ['*/ads/*'] }, 'other blocked URLs'],
  ['blocked URLs that an older entry lacks', { blockedUrlPatterns: null }, undefined],
  ['another spelling of the URL', { url: 'https://example.com' }, undefined],
  ['a machine of nearly the same speed', { benchmarkIndex: 2400 }, undefined],
  ['a slower machine', { benchmarkIndex: 2000 }, 'other machine'],
  ['a machine of unknown speed, as in a failed run', { benchmarkIndex: null }, undefined],
  ['a busy CPU', { contended: true }, 'other work used the CPU'],
  ['another region', { region: 'us-east4', throttling: 'none' as const }, undefined],
])('a run with %s in a trend', (_, change, reason) => {
  const run = { ...newest, ...change };
  expect(incomparable([newest, run]).get(run)).toBe(reason);
  expect(incomparable([newest, run]).has(newest)).toBe(false);
});
