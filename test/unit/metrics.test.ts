import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { type RunProblemCode, runError } from '../../shared/problems.ts';
import { CANARY_OWNER } from '../../shared/service/keys.ts';
import { metricsIn } from '../support/metrics.ts';

/** Returns the metrics of a finished run. Runs in a process of its own, because tests run with metrics off. */
const emittedFor = (code: RunProblemCode | null, owner = 'acme') => {
  const runMetrics = new URL('../../functions/lib/runs/run-metrics.ts', import.meta.url);
  const emits = `
    import { emitFinished } from ${JSON.stringify(runMetrics)};
    emitFinished({ region: 'us-west1', owner: ${JSON.stringify(owner)} }, ${JSON.stringify(code && runError(code))});`;
  const env = { PATH: process.env.PATH, POWERTOOLS_SERVICE_NAME: 'page-audit-test' };
  return metricsIn(execFileSync(process.execPath, ['--input-type=module', '-e', emits], { encoding: 'utf8', env }));
};
const one = (name: string, dimensions = {}, value = 1) => ({
  namespace: 'PageAudit',
  name,
  unit: 'Count',
  value,
  dimensions: { service: 'page-audit-test', region: 'us-west1', ...dimensions },
});

test('only a failure that the service is to blame for counts for the alarm', () => {
  expect(emittedFor('internal')).toEqual([
    one('RunFailed', { code: 'internal', blame: 'service' }),
    one('ServiceFailure'),
  ]);
  expect(emittedFor('dns-failure')).toEqual([
    one('RunFailed', { code: 'dns-failure', blame: 'page' }),
    one('ServiceFailure', {}, 0),
  ]);
  expect(emittedFor(null)).toEqual([one('ServiceFailure', {}, 0)]);
});

test('a run of the canary counts nowhere, because the canary judges it itself', () => {
  expect(emittedFor('internal', CANARY_OWNER)).toEqual([]);
  expect(emittedFor(null, CANARY_OWNER)).toEqual([]);
});
