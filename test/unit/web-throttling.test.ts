import { expect, test } from 'vitest';
import { throttlingFields } from '../../clients/web/new-check/throttling.ts';
import { incomparable, stepsOf } from '../../clients/web/trend/series.ts';
import { auditVersions } from '../../shared/audit-versions.ts';
import { measuredOn } from '../../shared/comparison/comparable.ts';
import { presets, throttlingNames } from '../../shared/options/throttling.ts';
import { environment } from '../support/environment.ts';

test('the page has a field for each value of a throttling', () => {
  expect(throttlingFields.map(({ name }) => name).sort()).toEqual(throttlingNames.toSorted());
});

const newest: Parameters<typeof incomparable>[0][number] = {
  url: 'https://example.com/',
  device: 'mobile',
  region: 'us-west1',
  state: 'succeeded',
  blockedUrlPatterns: [],
  auditVersion: '13.5.0',
  throttling: presets.mobile,
  ...measuredOn(environment),
};

test.each([
  ['the same', {}, undefined],
  ['another version', { auditVersion: '12.8.2' }, 'other Lighthouse version'],
  ['no throttling', { throttling: 'none' as const }, 'other throttling'],
  ['other values', { throttling: { ...presets.mobile, rttMs: 300 } }, 'other throttling'],
  ['an entry from before the throttling was stored', { throttling: null }, undefined],
  ['other blocked URLs', { blockedUrlPatterns: ['*/ads/*'] }, 'other blocked URLs'],
  ['blocked URLs that an older entry lacks', { blockedUrlPatterns: null }, undefined],
  ['another spelling of the URL', { url: 'https://example.com' }, undefined],
  ['another kind of machine', { host: 'ffffffffffff' }, 'other machine'],
  ['an unknown machine, as in a failed run', { host: null }, undefined],
  ['another major version of Chromium', { chromium: 'HeadlessChrome/156.0.1.0' }, 'other Chromium'],
  ['another build of the same Chromium', { chromium: 'HeadlessChrome/153.0.9999.1' }, undefined],
  ['other fonts', { fonts: '00000000' }, 'other fonts'],
  ['a busy CPU', { contended: true }, 'other work used the CPU'],
  ['another region', { region: 'us-east4', throttling: 'none' as const }, undefined],
])('a run with %s in a trend', (_, change, reason) => {
  const run = { ...newest, ...change };
  expect(incomparable([newest, run], 'lcp').get(run)).toBe(reason);
  expect(incomparable([newest, run], 'lcp').has(newest)).toBe(false);
});

test('another Chromium begins a new series of the times, and none of the other scores and bytes', () => {
  const older = { ...newest, chromium: 'HeadlessChrome/150.0.1.0' };
  const runs = [newest, { ...newest }, { ...older, host: 'ffffffffffff' }, { ...older, state: 'failed' }, older];
  const step = 'Chromium 150.0.1.0 → 153.0.8010.0';
  for (const name of ['performance', 'lcp', 'tbt'] as const) {
    expect([...stepsOf(runs, name)]).toEqual([[runs[1], step]]);
    expect(incomparable(runs, name).size).toBe(3);
  }
  for (const name of ['accessibility', 'seo', 'cls', 'bytes', 'ttfb'] as const) {
    expect([stepsOf(runs, name).size, incomparable(runs, name).size]).toEqual([0, 0]);
  }
});

test('another minor version of Lighthouse begins a new series of every metric, with its name', () => {
  const [{ version }, { version: previous }] = auditVersions;
  const runs = [
    { ...newest, auditVersion: version },
    { ...newest, auditVersion: previous },
  ] as const;
  for (const name of ['performance', 'lcp', 'accessibility', 'bytes'] as const)
    expect([...stepsOf(runs, name)]).toEqual([[runs[0], `Lighthouse version ${previous} → ${version}`]]);
});
