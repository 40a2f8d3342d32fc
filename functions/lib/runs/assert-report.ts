import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { AssertedInteraction } from '../../../shared/assertions/interactions.ts';
import { type Judged, judge } from '../../../shared/assertions/judge.ts';
import type { CheckAssertions } from '../../../shared/assertions/sets.ts';
import { AssertedReport } from '../../../shared/assertions/values.ts';
import type { Environment } from '../../../shared/environment.ts';
import type { Sample } from '../../../shared/metrics/page-metrics-schemas.ts';
import type { Run } from '../../../shared/run.ts';
import { idsOf, log } from '../log.ts';
import { matchesPattern } from '../patterns.ts';
import { redactText } from '../redact.ts';
import { retry } from '../retry.ts';
import type { CheckStore } from '../store/checks.ts';
import type { Lease } from '../store/leases.ts';

type Work = {
  store: Pick<CheckStore, 'assertionsOf'>;
  lease: Lease;
  retryDelaysMs: readonly number[];
  remainingMs: () => number;
  signal: AbortSignal;
};
type Measured = {
  samples?: readonly Sample[];
  environment: Pick<Environment, 'contended'> | null;
  interactions?: readonly AssertedInteraction[] | null;
};
type Result = Measured & { state: 'succeeded' | 'failed'; report?: { gzip: Buffer }; warnings: string[] };

/**
 * Returns the results of the check's assertions on the report of a run, and the warnings of the run with those about
 * assertions. The results are null if the check has none, or if the run failed. The check has the assertions, because each
 * write of the run would cost more with them.
 */
export const assertRun = async (
  { store, lease, ...work }: Work,
  { state, report, warnings, ...measured }: Result,
  keptMs: number,
): Promise<Pick<Run, 'assertions' | 'warnings'>> => {
  const none = { assertions: null, warnings };
  if (!lease.run.isAsserted || state !== 'succeeded' || !report) return none;
  const assertions = await retry(() => store.assertionsOf(lease.run.checkId), work, keptMs);
  if (!assertions) return none; // the check was erased
  try {
    const { results, notes } = await assertReport(assertions, report.gzip, measured);
    return { assertions: results, warnings: [...warnings, ...notes] };
  } catch (error) {
    log.error('Could not evaluate the assertions.', { ...idsOf(lease.run), error: error as Error });
    return none;
  }
};

const unzip = promisify(gunzip);

/** Returns the results of assertions on a gzipped report. Messages may quote the page, so they are redacted. */
export const assertReport = async (
  assertions: CheckAssertions,
  gzip: Buffer,
  { environment, samples = [], interactions = null }: Measured,
): Promise<Judged> => {
  const report = { ...AssertedReport.parse(JSON.parse((await unzip(gzip)).toString())), interactions };
  const measured = { contended: environment?.contended === true, samples };
  const { results, notes } = judge(assertions, report, measured, matchesPattern);
  return {
    results: results.map((each) => ({ ...each, message: redactText(each.message) })),
    notes: notes.map(redactText),
  };
};
