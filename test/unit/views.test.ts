import { expect, test } from 'vitest';
import { asCreated, type Check, CheckView, checkView } from '../../shared/check.ts';
import { noMetrics, spreadOf } from '../../shared/metrics/page-metrics.ts';
import { optionNames } from '../../shared/options/audit-options.ts';
import { type Run, RunView, runView } from '../../shared/run.ts';
import { aCheck } from '../support/world.ts';

/** Fields of the stored items that no client may see, and one that a later change may add. */
const privateFields = {
  owner: 'acme',
  createId: 'c',
  lease: { id: 'l', until: 'u' },
  dueAt: 'd',
  fingerprint: 'f',
  addedLater: 'x',
};

/** A check with fields that only the store knows, on the check and on each run. */
const storedCheck = (): Check => {
  const check = aCheck({ device: 'desktop' });
  return { ...check, ...privateFields, runs: check.runs.map((run) => ({ ...run, ...privateFields })) };
};

test('a run shows the fields of its schema, in their order, and no other stored field', () => {
  const { id: checkId, runs } = storedCheck();
  for (const run of runs) expect(Object.keys(runView({ ...run, checkId }))).toEqual(Object.keys(RunView.shape));
});

test('a check shows the fields of its schema and no other stored field', () => {
  const shown = checkView(storedCheck());
  const unset: readonly string[] = optionNames.filter((name) => name !== 'device');
  const expected = Object.keys(CheckView.shape).filter((name) => !unset.includes(name));
  expect(Object.keys(shown).sort()).toEqual(expected.sort());
  for (const run of shown.runs) expect(Object.keys(run)).toEqual(Object.keys(RunView.shape));
});

test('the answer to a create shows the inputs that were sent and no other stored field', () => {
  const created = asCreated(storedCheck());
  expect(Object.keys(created)).toEqual(['id', 'auditVersion', 'url', 'regions', 'device', 'runs']);
  for (const run of created.runs) expect(Object.keys(run)).toEqual(['id', 'region', 'state']);
});

test('a run shows its times as text, and so do its samples and its spread', () => {
  const load = { bytes: 412_876, requests: 31 };
  const cpu = { mainThreadCpu: 152 };
  const times = { fcp: 633.4, si: 633.5, lcp: 912.1, tti: 2000, tbt: 0.3, cls: 0.043, ttfb: 184.3, ...load, ...cpu };
  const sample = { ...noMetrics, ...times, cpuBusy: 0, contended: false };
  const { id: checkId, runs } = aCheck();
  const [run] = runs as [Run];
  const shown = runView({ ...run, checkId, ...times, samples: [sample, sample], spread: spreadOf([sample, sample]) });
  const texts = {
    fcp: '633ms',
    si: '634ms',
    lcp: '912ms',
    tti: '2000ms',
    tbt: '0ms',
    cls: 0.043,
    ttfb: '184ms',
    ...load,
    mainThreadCpu: '152ms',
  };
  expect(shown).toMatchObject(texts);
  expect(shown.samples).toMatchObject([texts, texts]);
  expect(shown.spread?.lcp).toEqual({ min: '912ms', max: '912ms' });
  expect(shown.numericValues).toEqual(times);
  expect(RunView.parse(shown)).toEqual(shown);
});
