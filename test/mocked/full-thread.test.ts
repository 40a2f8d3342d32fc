import { syncBuiltinESMExports } from 'node:module';
import threads, { type WorkerOptions } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { largestReport } from '../bench/largest-report.ts';

const { Worker } = threads;
/** A thread with less memory than the largest report needs. */
class SmallWorker extends Worker {
  constructor(module: URL, options: WorkerOptions) {
    super(module, { ...options, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  }
}
const use = (worker: typeof Worker) => {
  threads.Worker = worker;
  syncBuiltinESMExports();
};
beforeAll(() => use(SmallWorker as typeof Worker));
afterAll(() => use(Worker));

test('reports that end the thread by their memory are never read in the process, and the run says so', async () => {
  const { withWholeReports } = await import('../../functions/lib/runs/whole-reports.ts');
  const { assertRun } = await import('../../functions/lib/runs/assert-run.ts');
  const report = { gzip: gzipSync(largestReport()) as Buffer, bytes: 0 };
  const parse = vi.spyOn(JSON, 'parse');
  const whole = await withWholeReports({ report, firstReport: report, warnings: ['earlier'] });
  expect(whole).toEqual({ report, warnings: ['earlier', expect.stringContaining('parts that its own sample')] });
  const store = { assertionsOf: async () => ({ 'categories:seo': ['error', { minScore: 0.1 }] }) };
  const lease = { run: { isAsserted: true, checkId: 'a' } };
  const work = { store, lease, retryDelaysMs: [], remainingMs: () => 60_000, signal: new AbortController().signal };
  const result = { report, state: 'succeeded', warnings: ['earlier'], environment: null };
  const { assertions, warnings } = await assertRun(work as never, result as never, 0);
  expect(assertions).toBeNull();
  expect(warnings).toEqual(['earlier', expect.stringContaining('judge the assertions')]);
  expect(Math.max(0, ...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(1_000_000);
  parse.mockRestore();
});
