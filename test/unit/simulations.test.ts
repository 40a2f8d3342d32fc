import { expect, test } from 'vitest';
import { simulateLoad } from '../../functions/auditor/lighthouse/simulate.ts';
import { inputsOf } from '../../functions/lib/runs/run-variants.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import type { AuditOptions } from '../../shared/options/audit-options-schemas.ts';
import { presets } from '../../shared/options/throttling.ts';
import { anOrder } from '../support/order.ts';

const audits = {
  'first-contentful-paint': { scoreDisplayMode: 'numeric', numericValue: 633.4 },
  'largest-contentful-paint': { scoreDisplayMode: 'numeric', numericValue: 801.5 },
};
const rtt = (...times: number[]) => ({
  scoreDisplayMode: 'informative',
  details: { items: times.map((ms) => ({ url: 'https://example.com', rtt: ms })) },
});
const lhr = {
  lighthouseVersion: '13.5.0',
  runWarnings: [],
  environment: { benchmarkIndex: 1500 },
  configSettings: { throttlingMethod: 'simulate', throttling: presets.mobile },
  categories: { performance: { score: 0.9 } },
  audits,
};

/** Simulates with a runner that records the settings that it receives, and returns the same metrics. */
const simulate = async (
  options: Partial<AuditOptions>,
  { network = {}, late = Number.POSITIVE_INFINITY, fails = '' } = {},
) => {
  const settings: unknown[] = [];
  const runner = {
    audit: async (artifacts: { settings?: unknown }, { config }: { config: { settings: Record<string, unknown> } }) => {
      expect(artifacts.settings).toBe(config.settings); // otherwise Lighthouse refuses the artifacts
      settings.push(config.settings.throttling);
      if (fails) throw new Error(fails);
      return { lhr };
    },
  };
  const loads = await simulateLoad(
    { runner, resolveConfig: async () => ({ settings: { throttlingMethod: 'provided' } }) },
    { lhr: { ...lhr, audits: { ...audits, ...network } }, artifacts: { settings: {} } },
    anOrder(options),
    { config: undefined, isLate: () => settings.length >= late },
  );
  return { loads: loads.simulations ?? [], settings };
};

test('a preset has the values of its network, and otherwise those of the check', async () => {
  const throttling = { rttMs: 80, throughputKbps: 5000, cpuSlowdownMultiplier: 2 };
  const { loads } = await simulate({ throttling, simulations: ['3g', 'slow-phone'] });
  expect(loads).toMatchObject([
    {
      name: '3g',
      rttMs: 300,
      throughputKbps: 700,
      cpuSlowdownMultiplier: 2,
      performance: 90,
      lcp: 801.5,
      reason: null,
    },
    { name: 'slow-phone', ...throttling, cpuSlowdownMultiplier: 8 },
  ]);
});

test('without throttling, or on a desktop, a simulation starts from the preset of the device', async () => {
  const simulations = ['slow-phone', '4g'] as const;
  const unthrottled = await simulate({ throttling: 'none', simulations: [...simulations] });
  expect(unthrottled.settings).toEqual([
    { ...presets.mobile, cpuSlowdownMultiplier: 8 },
    { rttMs: 170, throughputKbps: 9000, cpuSlowdownMultiplier: 4 },
  ]);
  const desktop = await simulate({ device: 'desktop', simulations: [...simulations] });
  expect(desktop.loads[1]).toMatchObject({ rttMs: 170, cpuSlowdownMultiplier: 1 });
});

test('the region has the round-trip time to the nearest server, or a reason', async () => {
  const measured = await simulate({ simulations: ['region'] }, { network: { 'network-rtt': rtt(31.25, 12.0625) } });
  expect(measured.loads).toMatchObject([{ ...presets.mobile, rttMs: 12.063, reason: null }]);
  const unknown = await simulate({ simulations: ['region', '3g'] }, { network: { 'network-rtt': rtt(Number.NaN) } });
  expect(unknown.loads).toMatchObject([
    { ...presets.mobile, rttMs: null, lcp: null, reason: 'The region measured no round-trip time.' },
    { rttMs: 300, reason: null },
  ]);
});

test('a late simulation and one that fails have a reason in place of results', async () => {
  const late = await simulate({ simulations: ['3g', '4g'] }, { late: 1 });
  expect(late.loads.map(({ reason }) => reason)).toEqual([null, 'The audit took too long to simulate this too.']);
  const failing = await simulate({ simulations: ['3g'] }, { fails: 'No trace.' });
  expect(failing.loads).toMatchObject([
    { rttMs: 300, performance: null, reason: 'Lighthouse could not simulate this: No trace.' },
  ]);
});

test('the second variant of a run is not simulated', () => {
  const run = {
    url: 'https://example.com/',
    auditVersion: '13.5.0',
    options: { device: 'mobile', simulations: ['3g'] },
  };
  const inputs = (variant: 'own' | 'against') =>
    inputsOf({ ...run, options: { ...run.options, against: { device: 'desktop' } } } as RunItem, variant).options;
  expect([inputs('own'), inputs('against')]).toEqual([run.options, { device: 'desktop' }]);
});
