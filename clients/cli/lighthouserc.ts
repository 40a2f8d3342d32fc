import { z } from 'zod';
import { AggregationMethod, Assertions, levelOf } from '../../shared/assertions/assertions.ts';
import { type AssertedReport, findAsserted } from '../../shared/assertions/values.ts';
import { readBudgets } from './budget.ts';
import { UsageError } from './exit-codes.ts';
import { strictObject } from './lighthouserc-file.ts';
import { merge } from './lighthouserc-merge.ts';
import { readPart } from './lighthouserc-parts.ts';
import { presets } from './lighthouserc-presets.ts';

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
  /** The other assertions. Missing if there are none. */
  othersFor?: AssertionsFor;
};

/** Assertions on the pages whose final URL fits the pattern. */
type Entry = { pattern: RegExp; assertions: Assertions; fromPreset: ReadonlySet<string> };

const presetNames = Object.keys(presets) as (keyof typeof presets)[];
const isPattern = (text: string): boolean => {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
};
const entry = {
  preset: z.enum(presetNames, { error: `The presets are ${presetNames.join(', ')}.` }).optional(),
  assertions: Assertions.optional(),
  aggregationMethod: AggregationMethod.optional(), // without effect on one report
  matchingUrlPattern: z.string().refine(isPattern, 'Expected a regular expression.').optional(),
};
const AssertOptions = strictObject({
  ...entry,
  assertMatrix: z.array(strictObject(entry)).optional(),
  budgetsFile: z.string().optional(),
  includePassedAssertions: z.boolean().optional(), // the output format decides
});
type AssertOptions = z.infer<typeof AssertOptions>;
type EntryOptions = NonNullable<AssertOptions['assertMatrix']>[number];

/**
 * Reads a file of Lighthouse CI, as ASSERTIONS.md describes. Throws a UsageError if the file is unreadable, invalid or
 * without assertions.
 */
export const readAssertions = (name: string): AssertionRules => {
  const options = readPart(name, 'assert', AssertOptions, withColons) ?? {};
  const { assertMatrix, budgetsFile, preset, assertions } = options;
  const alone = assertMatrix ? 'assertMatrix' : 'budgetsFile';
  const others = (['budgetsFile', 'preset', 'assertions', 'aggregationMethod'] as const).filter(
    (other) => other !== alone && options[other] !== undefined,
  );
  if ((assertMatrix || budgetsFile) && others.length > 0) {
    throw new UsageError(`${name}: ${alone} can't stand beside ${others.join(', ')}. Keep one of them.`);
  }
  if (budgetsFile) return readBudgetFile(budgetsFile);
  if (!assertMatrix && !preset && !assertions) {
    throw new UsageError(`${name} has no assertions. Write them to ci.assert.assertions.`);
  }
  return rulesOf((assertMatrix ?? [options]).map(entryOf));
};

/** Reads a budget file of Lighthouse. */
export const readBudgetFile = (name: string): AssertionRules =>
  rulesOf(readBudgets(name).map((budget) => ({ ...budget, fromPreset: new Set() })));

/** Replaces dots in keys by colons, so that both forms of a key are the same assertion. */
const withColons = ({ assertions, assertMatrix, ...others }: AssertOptions): AssertOptions => ({
  ...others,
  ...(assertions && { assertions: renamed(assertions) }),
  ...(assertMatrix && {
    assertMatrix: assertMatrix.map((each) => ({
      ...each,
      ...(each.assertions && { assertions: renamed(each.assertions) }),
    })),
  }),
});
const renamed = (assertions: Assertions): Assertions =>
  Object.fromEntries(Object.entries(assertions).map(([key, assertion]) => [key.replaceAll('.', ':'), assertion]));

const entryOf = ({ preset, assertions: own = {}, matchingUrlPattern = '' }: EntryOptions): Entry => {
  const inherited: Assertions = preset ? presets[preset] : {};
  return {
    pattern: new RegExp(matchingUrlPattern),
    assertions: Assertions.parse(merge(inherited, own)),
    fromPreset: new Set(Object.keys(inherited).filter((key) => !Object.hasOwn(own, key))),
  };
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
