import { interactionMetricNames } from '../interactions/metrics.ts';
import { metricNames } from '../metrics/page-metrics.ts';
import { pick } from '../pick.ts';
import { recordOf } from '../record.ts';
import { compareChecks } from './comparison.ts';
import type { CheckComparison, ComparedMetric, InteractionChange, RunChange } from './schemas.ts';
import { type ComparedCheck, type ComparedRun, noChange } from './sides.ts';
import { differenceCodes } from './spoils.ts';

/** Inputs of an audit that a variant may change. */
type Inputs = Omit<ComparedCheck, 'id' | 'runs' | 'categories'>;
type RunWithVariants = ComparedRun & { against?: Partial<ComparedRun> | null };
type CheckWithVariants = Omit<ComparedCheck, 'runs'> & {
  runs: readonly RunWithVariants[];
  against?: Partial<Inputs> | undefined;
};
/** A run of a check with several regions, if it says how many. */
type RunOfCheck = RunWithVariants & Pick<Inputs, 'url' | 'auditVersion'> & { regionCount?: number | undefined };

/**
 * Compares the second variant of a finished check, the base, with the first. Their differences were intended. Returns
 * undefined if no run succeeded, or if the check has one variant.
 */
export const compareVariants = (
  { against, ...check }: CheckWithVariants,
  regions = check.runs.length,
): CheckComparison | undefined => {
  const runs = check.runs.flatMap((run) => (run.against ? [{ ...run, ...run.against }] : []));
  const base: ComparedCheck = { ...check, ...against, runs };
  return compareChecks(base, check, { intended: differenceCodes, inTurns: true, regions });
};

/** Changes from the second variant of a run to the first: those of its load, and those of its interactions by name. */
type ChangesOfRun = { load: RunChange; interactions: ReadonlyMap<string, InteractionChange> };

/** Returns the changes between the variants of a run, or null if the run has one variant. */
export const changesOfRun = (run: RunOfCheck): ChangesOfRun | null => {
  const { url, auditVersion, region, regionCount } = run;
  const compared = compareVariants({ id: '', url, auditVersion, runs: [run] }, regionCount);
  if (!compared) return null;
  const changeOf = ({ regions }: ComparedMetric) =>
    pick(regions[region] ?? noChange, ['verdict', 'change', 'noise', 'suspected', 'needs']);
  return {
    load: recordOf(metricNames, (name) => changeOf(compared.metrics[name])),
    interactions: new Map(
      compared.interactions.map(({ name, metrics }) => [
        name,
        recordOf(interactionMetricNames, (metric) => changeOf(metrics[metric])),
      ]),
    ),
  };
};
