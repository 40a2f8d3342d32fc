import { metricNames } from '../metrics/page-metrics.ts';
import { pick } from '../pick.ts';
import { recordOf } from '../record.ts';
import { compareChecks } from './comparison.ts';
import type { CheckComparison, RunChange } from './schemas.ts';
import { type ComparedCheck, type ComparedRun, noChange } from './sides.ts';
import { differenceCodes } from './spoils.ts';

/** Inputs of an audit that a variant may change. */
type Inputs = Omit<ComparedCheck, 'id' | 'runs' | 'categories'>;
type RunWithVariants = ComparedRun & { against?: Partial<ComparedRun> | null };
type CheckWithVariants = Omit<ComparedCheck, 'runs'> & {
  runs: readonly RunWithVariants[];
  against?: Partial<Inputs> | undefined;
};

/**
 * Compares the second variant of a finished check, the base, with the first. Their differences were intended. Returns
 * undefined if no run succeeded, or if the check has one variant.
 */
export const compareVariants = ({ against, ...check }: CheckWithVariants): CheckComparison | undefined => {
  const runs = check.runs.flatMap((run) => (run.against ? [{ ...run, ...run.against }] : []));
  const base: ComparedCheck = { ...check, ...against, runs };
  return compareChecks(base, check, { intended: differenceCodes, inTurns: true });
};

/** Returns the changes from the second variant of a run to the first, or null if the run has one variant. */
export const changeOfRun = (run: RunWithVariants & Pick<Inputs, 'url' | 'auditVersion'>): RunChange | null => {
  const { url, auditVersion, region } = run;
  const compared = compareVariants({ id: '', url, auditVersion, runs: [run] });
  if (!compared) return null;
  return recordOf(metricNames, (name) => {
    const change = compared.metrics[name].regions[region] ?? noChange;
    return pick(change, ['verdict', 'change', 'noise', 'suspected', 'needs']);
  });
};
