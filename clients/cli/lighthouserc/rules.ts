import { levelOf } from '../../../shared/assertions/assertions.ts';
import type { AssertionSet, CheckAssertions } from '../../../shared/assertions/sets.ts';
import { UsageError } from '../exit-codes.ts';
import type { RunOptions } from '../flags/options.ts';
import { readBudgets } from './budget.ts';
import { setsOfFile } from './lighthouserc.ts';
import { type Lighthouserc, readLighthouserc } from './parts.ts';

/** The assertions of a command, as the service takes them, and a line for each thing in the file that Lighthouse CI ignores. */
export type Rules = { assertions: CheckAssertions | undefined; notes: readonly string[] };

/**
 * Reads the files of --assert and --budget. Throws a UsageError if one is unreadable, invalid or without assertions. `read` is
 * the file of --assert, if the command has read it. A file that the command has found may lack assertions.
 */
export const readRules = async (
  { assert, budget, allowEmpty = false }: Pick<RunOptions, 'assert' | 'budget' | 'allowEmpty'>,
  read?: Lighthouserc,
  { isFound = false } = {},
): Promise<Rules> => {
  const rc = read ?? (assert === undefined ? undefined : await readLighthouserc(assert));
  if (isFound && rc && rc.assert === undefined && budget === undefined && !hasBudgets(rc))
    return {
      assertions: undefined,
      notes: [`${rc.name} has no assertions, so the pages are audited and nothing is judged.`],
    };
  const sets = [
    ...(rc ? requireAny(rc.name, await setsOfFile(rc, { allowEmpty }), allowEmpty) : []),
    ...(budget === undefined ? [] : requireAny(budget, await setsOfBudget(budget), allowEmpty)),
  ];
  return { assertions: inShort(sets), notes: rc?.notes.assert ?? [] };
};

const hasBudgets = ({ collect: { settings = {} } }: Lighthouserc): boolean =>
  (settings.budgets ?? settings.budgetPath) !== undefined;

/** A number is the lowest performance score. Everything else is a file, also `./75`. */
const setsOfBudget = async (budget: string): Promise<AssertionSet[]> => {
  if (!/^\d+(\.\d+)?$/.test(budget)) return readBudgets(budget);
  if (Number(budget) > 100) throw new UsageError(`--budget ${budget} is no score. Use 0 to 100, or a file.`);
  return [{ assertions: { 'categories:performance': ['error', { minScore: Number(budget) / 100 }] } }];
};

/** Returns the sets that assert something. */
const requireAny = (name: string, sets: readonly AssertionSet[], allowEmpty: boolean): AssertionSet[] => {
  const asserting = sets.filter(
    ({ preset, assertions = {} }) => preset || Object.values(assertions).some((each) => levelOf(each) !== 'off'),
  );
  if (asserting.length === 0 && !allowEmpty)
    throw new UsageError(`${name} asserts nothing. Write an assertion, or use --allow-empty.`);
  return asserting;
};

/** Returns one set of assertions for all pages in short, which an earlier service takes too. */
const inShort = (sets: AssertionSet[]): CheckAssertions | undefined => {
  const [first, ...others] = sets;
  if (!first) return undefined;
  const { assertions, ...rest } = first;
  return others.length === 0 && assertions && Object.keys(rest).length === 0 ? assertions : sets;
};
