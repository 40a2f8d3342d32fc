import { afterEach, expect, test, vi } from 'vitest';
import * as logging from '../../functions/lib/log.ts';
import { abandon } from '../../functions/lib/runs/abandon.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { runError } from '../../shared/problems.ts';

const ids = { correlationId: 'c', checkId: 'k', region: 'us-east4', owner: 'acme', auditVersion: '13.5.0' };
const run = { ...ids, id: 'r', url: 'https://example.com/', lostLeases: 5, tries: 2 } as RunItem;
const region = { region: 'us-east4' };
const counted = [
  ['RunFailed', 1, { ...region, code: 'abandoned', blame: 'service' }],
  ['ServiceFailure', 1, region],
];
afterEach(() => vi.restoreAllMocks());

test.each([
  ['a run', true, [...counted, ['RunsAbandoned', 1, {}]]],
  ['no run that has changed', false, []],
])('abandons %s', async (_, isFailed, metrics) => {
  const emit = vi.spyOn(logging, 'emit').mockImplementation(() => {});
  const line = vi.spyOn(logging.log, 'error').mockImplementation(() => {});
  const due = { abandon: async () => isFailed };
  await abandon({ due }, run, runError('abandoned'), new Date());
  expect(emit.mock.calls).toEqual(metrics);
  const fields = { ...ids, runId: 'r', lostLeases: 5, tries: 2 };
  expect(line.mock.calls).toEqual(isFailed ? [['The run is abandoned.', fields]] : []);
});
