import type { CheckComparison } from '../../../shared/comparison/schemas.ts';
import { isSpoiledBy } from '../../../shared/comparison/spoils.ts';
import type { MetricName } from '../../../shared/metrics/page-metrics.ts';
import type { RunView } from '../../../shared/run.ts';
import { isFinished } from '../../../shared/states.ts';
import { isNotJudged } from '../../words/assertions.ts';
import type { CheckResult } from '../run/result.ts';

type Asserted = Pick<CheckResult, 'check' | 'assertions'>;

/**
 * Returns false if an assertion of level error failed. Returns null without assertions, if a run has no results, or if one of
 * level error was not judged.
 */
export const assertionsPassed = ({ check, assertions }: Asserted): boolean | null => {
  const all = Object.values(assertions).flat();
  if (all.some(({ passed, level }) => passed === false && level === 'error')) return false;
  const isJudged = all.length > 0 && check.runs.every(({ id }) => assertions[id]);
  return isJudged && !hasUnjudged({ assertions }) ? true : null;
};

/** Returns true if an assertion of level error was not judged, so that nothing is proved. */
export const hasUnjudged = ({ assertions }: Pick<Asserted, 'assertions'>): boolean =>
  Object.values(assertions)
    .flat()
    .some((each) => isNotJudged(each) && each.level === 'error');

/** Returns true if a metric of a comparison with a base got worse. */
export const hasRegressed = ({ verdict }: CheckComparison): boolean => verdict === 'regressed';

/** Returns true if a metric got worse than that of the base, also by a change that only one more check proved. */
export const isWorse = ({ base, confirmation }: Pick<CheckResult, 'base' | 'confirmation'>): boolean =>
  (base !== null && hasRegressed(base)) || confirmation?.state === 'confirmed';

/**
 * How a check ended. `unjudged`: a main metric may have changed by more than counts, and nothing proves it. `unclear`: a main
 * metric is open, and may have changed by less. `open`: the check is unfinished.
 */
export type Outcome = 'good' | 'unclear' | 'unjudged' | 'bad' | 'open';

/** Returns `bad` if a run or an assertion of level error failed or was not judged, or if the base is missing or was better. */
export const outcomeOf = (result: CheckResult): Outcome => {
  const { check, base, baseProblem, confirmation } = result;
  if (!isFinished(check.state)) return 'open';
  const isKept = assertionsPassed(result) !== false && !hasUnjudged(result);
  if (check.state !== 'succeeded' || !isKept || isWorse(result)) return 'bad';
  if (baseProblem) return base ? 'unjudged' : 'bad';
  return base?.verdict === 'unknown' && confirmation?.state !== 'refuted' ? 'unclear' : 'good';
};

/** Orders checks by what needs work: failed runs, then failed rules, then the lowest scores. */
export const worstFirst = (results: readonly CheckResult[]): CheckResult[] => {
  const keyOf = (result: CheckResult): number[] => {
    const lowestOf = (name: 'performance' | 'accessibility' | 'bestPractices' | 'seo') =>
      Math.min(...result.check.runs.map((run) => (isNoise(run, name) ? 101 : (run[name] ?? 101))));
    const hasFailed = result.check.runs.some(({ state }) => state === 'failed');
    return [
      hasFailed ? 0 : 1,
      { bad: 0, unjudged: 1, open: 2, unclear: 2, good: 2 }[outcomeOf(result)],
      ...(['performance', 'accessibility', 'bestPractices', 'seo'] as const).map(lowestOf),
    ];
  };
  return results
    .map((result) => ({ result, key: keyOf(result) }))
    .toSorted((a, b) => a.key.map((each, i) => each - (b.key[i] ?? 0)).find((difference) => difference !== 0) ?? 0)
    .map(({ result }) => result);
};

/** Returns true if the machine may have changed a score, so that nobody should look at the check first because of it. */
const isNoise = ({ environment }: RunView, name: MetricName): boolean =>
  environment?.contended === true && isSpoiledBy(name, 'contended');
