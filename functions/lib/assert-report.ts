import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type AssertionResult, type Assertions, evaluate, type Measured } from '../../shared/assertions/assertions.ts';
import { AssertedReport } from '../../shared/assertions/values.ts';
import { idsOf, log } from './log.ts';
import { redactText } from './redact.ts';
import { retry } from './retry.ts';
import type { CheckStore } from './store/checks.ts';
import type { Lease } from './store/leases.ts';

type Work = {
  store: Pick<CheckStore, 'assertionsOf'>;
  lease: Lease;
  retryDelaysMs: readonly number[];
  remainingMs: () => number;
  signal: AbortSignal;
};
type Result = {
  state: 'succeeded' | 'failed';
  report?: { gzip: Buffer };
  environment: { contended: boolean | null } | null;
};

/**
 * Returns the results of the check's assertions on the report of a run. Returns null if the check has none, or if the run
 * failed. The check has the assertions, because each write of the run would cost more with them.
 */
export const assertRun = async (
  { store, lease, ...work }: Work,
  { state, report, environment }: Result,
  keptMs: number,
): Promise<AssertionResult[] | null> => {
  if (!lease.run.isAsserted || state !== 'succeeded' || !report) return null;
  const assertions = await retry(() => store.assertionsOf(lease.run.checkId), work, keptMs);
  if (!assertions) return null; // the check was erased
  const measured = { contended: environment?.contended === true };
  return assertReport(assertions, report.gzip, measured).catch((error: Error) => {
    log.error('Could not evaluate the assertions.', { ...idsOf(lease.run), error });
    return null;
  });
};

const unzip = promisify(gunzip);

/** Returns the results of assertions on a gzipped report. Messages may quote the page, so they are redacted. */
export const assertReport = async (
  assertions: Assertions,
  gzip: Buffer,
  measured: Measured,
): Promise<AssertionResult[]> => {
  const report = AssertedReport.parse(JSON.parse((await unzip(gzip)).toString()));
  return evaluate(assertions, report, measured).map((result) => ({ ...result, message: redactText(result.message) }));
};
