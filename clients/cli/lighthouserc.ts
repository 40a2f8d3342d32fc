import { Assertions, levelOf } from '../../shared/assertions/assertions.ts';
import { presets } from '../../shared/assertions/presets.ts';
import { type AssertedReport, budgetAudits, findAsserted } from '../../shared/assertions/values.ts';
import { merge } from '../../shared/merge.ts';
import { readBudgets, rulesOfBudgets } from './budget.ts';
import { UsageError } from './exit-codes.ts';
import type { AssertOptions, AssertSet } from './lighthouserc-assert.ts';
import type { Lighthouserc } from './lighthouserc-parts.ts';

/**
 * Returns the sets of assertions that apply to a report. A note says which assertions don't apply. An audit that only a
 * preset names, and that the report lacks, is left out.
 */
type AssertionsFor = (report: AssertedReport) => { assertions: Assertions[]; notes: string[] };

/** The assertions of a lighthouserc file or a budget file. */
export type AssertionRules = {
  assertionsFor: AssertionsFor;
  /** True if no report can fail: there are no assertions, or all are off. */
  isEmpty: boolean;
  /** The assertions that apply to every report, so that the service can evaluate them. */
  fixed: Assertions;
  /** All assertions, whichever pages they are about. */
  all: readonly Assertions[];
  /** The other assertions. Missing if there are none. */
  othersFor?: AssertionsFor;
};

/** Assertions on the pages whose final URL fits the pattern. */
type Entry = { pattern: RegExp; assertions: Assertions; fromPreset: ReadonlySet<string> };

/**
 * Returns the assertions of a file of Lighthouse CI, as ASSERTIONS.md describes. Throws a UsageError if the file has none, and
 * needs some.
 */
export const assertionsOf = async (
  { name, assert: options = {}, collect }: Lighthouserc,
  { allowEmpty = false } = {},
): Promise<AssertionRules> => {
  const { assertMatrix, budgetsFile, preset, assertions } = options;
  const alone = assertMatrix ? 'assertMatrix' : 'budgetsFile';
  const beside = ['budgetsFile', 'preset', 'assertions', ...(assertMatrix ? ['aggregationMethod'] : [])] as const;
  const others = beside.filter((other) => other !== alone && options[other as keyof AssertOptions] !== undefined);
  if ((assertMatrix || budgetsFile) && others.length > 0) {
    throw new UsageError(`${name}: ${alone} can't stand beside ${others.join(', ')}. Keep one of them.`);
  }
  if (budgetsFile) return readBudgetFile(budgetsFile);
  if (!assertMatrix && !preset && !assertions && !allowEmpty) {
    throw new UsageError(`${name} has no assertions. Write them to ci.assert.assertions.`);
  }
  const hasBudgets = (collect.settings?.budgets ?? collect.settings?.budgetPath) !== undefined;
  return rulesOf((assertMatrix ?? [options]).map((set) => entryOf(hasBudgets ? withoutBudgetAudits(set) : set)));
};

/** Removes the assertions that Lighthouse CI replaces by the budgets of the settings. */
const withoutBudgetAudits = ({ assertions = {}, ...set }: AssertSet): AssertSet => ({
  ...set,
  assertions: Object.fromEntries(Object.entries(assertions).filter(([key]) => !budgetAudits.includes(key))),
});

/** Reads a budget file of Lighthouse. */
export const readBudgetFile = async (name: string): Promise<AssertionRules> => rulesOfPages(await readBudgets(name));

/** Returns the assertion of the lowest performance score, from 0 to 100. */
export const lowestScore = (score: number): AssertionRules =>
  rulesOfPages([{ pattern: /.*/, assertions: { 'categories:performance': ['error', { minScore: score / 100 }] } }]);

const rulesOfPages = (pages: readonly Omit<Entry, 'fromPreset'>[]): AssertionRules =>
  rulesOf(pages.map((page) => ({ ...page, fromPreset: new Set() })));

/**
 * Returns the assertions of the budgets in `ci.collect.settings`. Their level is that of the assertion `performance-budget`, by
 * which Lighthouse CI judges them, or else `warn`.
 */
export const settingsRules = async ({ assert, collect }: Lighthouserc): Promise<AssertionRules | undefined> => {
  const { budgets, budgetPath } = collect.settings ?? {};
  if (!budgets && budgetPath === undefined) return undefined;
  const pages = budgets ? rulesOfBudgets(budgets) : await readBudgets(budgetPath as string);
  const level = levelOf(assert?.assertions?.['performance-budget'] ?? 'warn');
  const withLevel = (assertion: Assertions[string]): Assertions[string] =>
    typeof assertion === 'string' || assertion.length === 1 ? [level] : [level, assertion[1]];
  return rulesOfPages(
    pages.map(({ pattern, assertions }) => ({
      pattern,
      assertions: Object.fromEntries(Object.entries(assertions).map(([key, each]) => [key, withLevel(each)])),
    })),
  );
};

/** Returns the rules of one file that has them in two places. */
export const joined = (one: AssertionRules, other: AssertionRules): AssertionRules => {
  const both = (report: AssertedReport) => {
    const applied = [one, other].map(({ assertionsFor }) => assertionsFor(report));
    return {
      assertions: applied.flatMap(({ assertions }) => assertions),
      notes: applied.flatMap(({ notes }) => notes),
    };
  };
  const isEmpty = one.isEmpty && other.isEmpty;
  return { assertionsFor: both, isEmpty, fixed: {}, all: [...one.all, ...other.all], othersFor: both };
};

const entryOf = ({ preset, assertions: own = {}, matchingUrlPattern = '', aggregationMethod }: AssertSet): Entry => {
  const inherited: Assertions = preset ? presets[preset] : {};
  return {
    pattern: new RegExp(matchingUrlPattern),
    assertions: withMethod(Assertions.parse(merge(inherited, own)), aggregationMethod),
    fromPreset: new Set(Object.keys(inherited).filter((key) => !Object.hasOwn(own, key))),
  };
};

/** Adds the method of a set to each assertion without one. */
const withMethod = (assertions: Assertions, aggregationMethod: AssertSet['aggregationMethod']): Assertions => {
  if (aggregationMethod === undefined) return assertions;
  return Object.fromEntries(
    Object.entries(assertions).map(([key, assertion]) => {
      const [level, options] = typeof assertion === 'string' ? [assertion] : assertion;
      return [key, [level, { aggregationMethod, ...options }]];
    }),
  );
};

const rulesOf = (entries: readonly Entry[]): AssertionRules => {
  const fixed: Assertions = {};
  const others = entries.flatMap((entry) => {
    const isFixed = (key: string) =>
      isForAll(entry.pattern) && !entry.fromPreset.has(key) && !Object.hasOwn(fixed, key);
    const [own, rest] = partition(Object.entries(entry.assertions), ([key]) => isFixed(key));
    Object.assign(fixed, Object.fromEntries(own));
    return rest.length > 0 ? [{ ...entry, assertions: Object.fromEntries(rest) }] : [];
  });
  return {
    isEmpty: entries.every((each) => Object.values(each.assertions).every((assertion) => levelOf(assertion) === 'off')),
    assertionsFor: (report) => matchingIn(entries, report),
    fixed,
    all: entries.map(({ assertions }) => assertions),
    ...(others.length > 0 && { othersFor: (report) => matchingIn(others, report) }),
  };
};

const isForAll = ({ source }: RegExp): boolean => source === '(?:)' || source === '.*';

const partition = <T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] => [
  all.filter(isFirst),
  all.filter((each) => !isFirst(each)),
];

const matchingIn = (entries: readonly Entry[], report: AssertedReport): ReturnType<AssertionsFor> => {
  const matching = entries.filter(({ pattern }) => pattern.test(report.finalUrl));
  if (matching.length === 0) return { assertions: [], notes: [`No assertion is about ${report.finalUrl}.`] };
  let skipped = 0;
  const assertions = matching.map((each) => {
    const kept = Object.entries(each.assertions).filter(([key, assertion]) => {
      if (!each.fromPreset.has(key) || findAsserted(key, report)) return true;
      if (levelOf(assertion) !== 'off') skipped += 1;
      return false;
    });
    return Object.fromEntries(kept);
  });
  return { assertions, notes: skipped > 0 ? [skippedNote(skipped, report)] : [] };
};

const skippedNote = (count: number, { lighthouseVersion, categories }: AssertedReport): string => {
  const subject = count === 1 ? '1 assertion of the preset is' : `${count} assertions of the preset are`;
  const selected = Object.keys(categories).join(', ');
  return `${subject} about audits that Lighthouse ${lighthouseVersion} doesn't have in the categories ${selected}.`;
};
