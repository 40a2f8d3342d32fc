import type { Run } from '../../../shared/run.ts';
import { idsOf, log } from '../log.ts';
import { retry } from '../retry.ts';
import type { CheckStore } from '../store/checks.ts';
import type { Lease } from '../store/leases.ts';
import { inThread } from '../thread/in-thread.ts';
import { assertReport, type Measured } from './assert-report.ts';

type Work = {
  store: Pick<CheckStore, 'assertionsOf'>;
  lease: Lease;
  retryDelaysMs: readonly number[];
  remainingMs: () => number;
  signal: AbortSignal;
};
type Result = Measured & { state: 'succeeded' | 'failed'; report?: { gzip: Buffer }; warnings: string[] };

/**
 * Returns the results of the check's assertions on the report of a run, and the warnings of the run with those about
 * assertions. The results are null if the check has none, or if the run failed. The check has the assertions, because each
 * write of the run would cost more with them.
 */
export const assertRun = async (
  { store, lease, ...work }: Work,
  { state, report, warnings, environment, samples = [], interactions }: Result,
  keptMs: number,
): Promise<Pick<Run, 'assertions' | 'warnings'>> => {
  const none = { assertions: null, warnings };
  if (!lease.run.isAsserted || state !== 'succeeded' || !report) return none;
  const assertions = await retry(() => store.assertionsOf(lease.run.checkId), work, keptMs);
  if (!assertions) return none; // the check was erased
  try {
    const measured = { environment, samples, interactions: interactions?.map(withoutFiles) ?? null };
    const judge = () => inThread({ assertReport }, Buffer.from(report.gzip), assertions, measured); // the thread takes its bytes
    const { results, notes } = await judge().catch(judge); // another report may have ended the thread
    return { assertions: results, warnings: [...warnings, ...notes] };
  } catch (error) {
    log.error('Could not evaluate the assertions.', { ...idsOf(lease.run), error: error as Error });
    return { assertions: null, warnings: [...warnings, notJudged] };
  }
};

const notJudged =
  'The service could not read the report to judge the assertions. It may be too large. Audit the page again.';

/** Returns an interaction without its report, which the thread would copy. */
const withoutFiles = <Of extends object>({ report: _, ...interaction }: Of & { report?: unknown }) => interaction as Of;
