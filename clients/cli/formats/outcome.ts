import type { CheckResult } from '../result.ts';

/** Returns false if an assertion of level error failed. Returns null without assertions, or if a run has no results. */
export const assertionsPassed = ({ check, assertions }: Pick<CheckResult, 'check' | 'assertions'>): boolean | null => {
  const all = Object.values(assertions).flat();
  if (all.some(({ passed, level }) => !passed && level === 'error')) return false;
  return all.length > 0 && check.runs.every(({ id }) => assertions[id]) ? true : null;
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

/** Orders checks by what needs work: failed runs, then failed rules, then the lowest scores. */
export const worstFirst = (results: readonly CheckResult[]): CheckResult[] => {
  const keyOf = (result: CheckResult): number[] => {
    const lowestOf = (name: 'performance' | 'accessibility' | 'bestPractices' | 'seo') =>
      Math.min(...result.check.runs.map((run) => run[name] ?? 101));
    const hasFailed = result.check.runs.some(({ state }) => state === 'failed');
    return [
      hasFailed ? 0 : 1,
      outcomeOf(result) === 'bad' ? 0 : 1,
      ...(['performance', 'accessibility', 'bestPractices', 'seo'] as const).map(lowestOf),
    ];
  };
  return results
    .map((result) => ({ result, key: keyOf(result) }))
    .toSorted((a, b) => a.key.map((each, i) => each - (b.key[i] ?? 0)).find((difference) => difference !== 0) ?? 0)
    .map(({ result }) => result);
};
