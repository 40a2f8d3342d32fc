import { expect, test } from 'vitest';
import { incomparable } from '../../clients/web/series.js';
import { throttlingFields } from '../../clients/web/throttling.js';
import { bounds, presets } from '../../shared/throttling.ts';

test('the page knows the bounds and the presets of the API', () => {
  expect(throttlingFields.map(({ name }) => name).sort()).toEqual(Object.keys(bounds).sort());
  for (const { name, min, max, mobile, desktop } of throttlingFields) {
    expect([name, min, max]).toEqual([name, ...bounds[name]]);
    expect([name, mobile, desktop]).toEqual([name, presets.mobile[name], presets.desktop[name]]);
  }
});

const newest = {
  region: 'us-west1',
  state: 'succeeded',
  auditVersion: '13.5.0',
  throttling: presets.mobile,
  contended: false,
};

test.each([
  ['the same', {}, undefined],
  ['another version', { auditVersion: '12.8.2' }, 'other version'],
  ['no throttling', { throttling: 'none' }, 'other throttling'],
  ['other values', { throttling: { ...presets.mobile, rttMs: 300 } }, 'other throttling'],
  ['an entry from before the throttling was stored', { throttling: null }, undefined],
  ['a busy CPU', { contended: true }, 'other work used the CPU'],
  ['another region', { region: 'us-east4', throttling: 'none' }, undefined],
])('a run with %s in a trend', (_, change, reason) => {
  const run = { ...newest, ...change };
  expect(incomparable([newest, run]).get(run)).toBe(reason);
  expect(incomparable([newest, run]).has(newest)).toBe(false);
});
