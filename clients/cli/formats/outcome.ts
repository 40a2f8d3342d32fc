import type { CheckResult } from '../result.ts';

/** Returns false if an assertion of level error failed, and null if there are no assertions. */
export const assertionsPassed = ({ assertions }: Pick<CheckResult, 'assertions'>): boolean | null => {
  const all = Object.values(assertions).flat();
  return all.length === 0 ? null : !all.some(({ passed, level }) => !passed && level === 'error');
};

/** Returns `bad` if a run or an assertion of level error failed, or if the base found a regression or no verdict. */
export const outcomeOf = (result: CheckResult): 'good' | 'bad' | 'open' => {
  const { check, base, baseProblem } = result;
  if (check.state === 'created' || check.state === 'running') return 'open';
  const hasRegressed = Object.values(base?.metrics ?? {}).some(({ verdict }) => verdict === 'regressed');
  return check.state === 'succeeded' && assertionsPassed(result) !== false && !hasRegressed && !baseProblem
    ? 'good'
    : 'bad';
};
