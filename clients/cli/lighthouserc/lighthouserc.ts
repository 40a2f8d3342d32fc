import { type Assertions, levelOf } from '../../../shared/assertions/assertions.ts';
import type { AssertionSet } from '../../../shared/assertions/sets.ts';
import { budgetAudits } from '../../../shared/assertions/values.ts';
import { UsageError } from '../exit-codes.ts';
import type { AssertOptions, AssertSet } from './assert.ts';
import { readBudgets, setsOfBudgets } from './budget.ts';
import type { Lighthouserc } from './parts.ts';

/**
 * Returns the assertions of a file of Lighthouse CI as the service takes them, as ASSERTIONS.md describes. Throws a UsageError
 * if the file has none, and needs some.
 */
export const setsOfFile = async (rc: Lighthouserc, { allowEmpty = false } = {}): Promise<AssertionSet[]> => {
  const budgets = await setsOfSettings(rc);
  const own = await setsOfAssert(rc, budgets.length > 0, allowEmpty);
  return [...own, ...budgets];
};

const setsOfAssert = async (
  { name, assert: options = {} }: Lighthouserc,
  hasBudgets: boolean,
  allowEmpty: boolean,
): Promise<AssertionSet[]> => {
  const { assertMatrix, budgetsFile, preset, assertions } = options;
  const alone = assertMatrix ? 'assertMatrix' : 'budgetsFile';
  const beside = ['budgetsFile', 'preset', 'assertions', ...(assertMatrix ? ['aggregationMethod'] : [])] as const;
  const others = beside.filter((other) => other !== alone && options[other as keyof AssertOptions] !== undefined);
  if ((assertMatrix || budgetsFile) && others.length > 0) {
    throw new UsageError(`${name}: ${alone} can't stand beside ${others.join(', ')}. Keep one of them.`);
  }
  if (budgetsFile) return readBudgets(budgetsFile);
  if (!assertMatrix && !preset && !assertions && !allowEmpty && !hasBudgets) {
    throw new UsageError(`${name} has no assertions. Write them to ci.assert.assertions.`);
  }
  return (assertMatrix ?? [options]).map((set) => setOf(hasBudgets ? withoutBudgetAudits(set) : set));
};

const setOf = ({ preset, assertions, matchingUrlPattern, aggregationMethod }: AssertSet): AssertionSet => ({
  ...(matchingUrlPattern !== undefined && { pattern: matchingUrlPattern }),
  ...(preset !== undefined && { preset }),
  ...(aggregationMethod !== undefined && { aggregation: aggregationMethod }),
  ...(assertions !== undefined && { assertions }),
});

/** Removes the assertions that Lighthouse CI replaces by the budgets of the settings. */
const withoutBudgetAudits = ({ assertions = {}, ...set }: AssertSet): AssertSet => ({
  ...set,
  assertions: Object.fromEntries(Object.entries(assertions).filter(([key]) => !budgetAudits.includes(key))),
});

/**
 * Returns the assertions of the budgets in `ci.collect.settings`. Their level is that of the assertion `performance-budget`, by
 * which Lighthouse CI judges them, or else `warn`.
 */
const setsOfSettings = async ({ assert, collect }: Lighthouserc): Promise<AssertionSet[]> => {
  const { budgets, budgetPath } = collect.settings ?? {};
  if (!budgets && budgetPath === undefined) return [];
  const sets = budgets ? setsOfBudgets(budgets) : await readBudgets(budgetPath as string);
  const level = levelOf(assert?.assertions?.['performance-budget'] ?? 'warn');
  const withLevel = (assertion: Assertions[string]): Assertions[string] =>
    typeof assertion === 'string' || assertion.length === 1 ? [level] : [level, assertion[1]];
  return sets.map(({ assertions = {}, ...set }) => ({
    ...set,
    assertions: Object.fromEntries(Object.entries(assertions).map(([key, each]) => [key, withLevel(each)])),
  }));
};
