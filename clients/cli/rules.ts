import { type AssertionResult, Assertions, levelOf } from '../../shared/assertions/assertions.ts';
import { CheckAssertions } from '../../shared/assertions/sets.ts';
import { AssertedReport } from '../../shared/assertions/values.ts';
import type { Samples } from '../../shared/audit-options.ts';
import type { CheckView } from '../../shared/check.ts';
import type { RunView } from '../../shared/run.ts';
import { printableValue } from '../../shared/text.ts';
import type { Client } from '../api/client.ts';
import { evaluateSamples, isAboutSamples, keysLacking, keysWithoutSamples } from './aggregation.ts';
import { ServiceFaultError, UsageError } from './exit-codes.ts';
import {
  type AssertionRules,
  assertionsOf,
  joined,
  lowestScore,
  readBudgetFile,
  settingsRules,
} from './lighthouserc.ts';
import { type Lighthouserc, readLighthouserc } from './lighthouserc-parts.ts';
import type { RunOptions } from './options.ts';
import type { CheckResult } from './result.ts';

/** The assertions of a command. */
export type Rules = {
  /** The assertions that the service evaluates. */
  sent: Assertions | undefined;
  files: readonly AssertionRules[];
  /** A line for each thing in the file that Lighthouse CI ignores. */
  notes: readonly string[];
};

type RuleOptions = Pick<RunOptions, 'assert' | 'budget' | 'allowEmpty'> & { samples?: Samples };

/**
 * Reads the files of --assert and --budget. Throws a UsageError if one is unreadable, invalid or without assertions. `read` is
 * the file of --assert, if the command has read it.
 */
export const readRules = async (
  { assert, budget, allowEmpty = false, samples = 1 }: RuleOptions,
  read?: Lighthouserc,
): Promise<Rules> => {
  const rc = read ?? (assert === undefined ? undefined : await readLighthouserc(assert));
  const files = [
    ...(rc ? [requireAny(rc.name, await rulesOfFile(rc, allowEmpty), allowEmpty)] : []),
    ...(budget === undefined ? [] : [requireAny(budget, await rulesOfBudget(budget), allowEmpty)]),
  ];
  if (samples !== 1) requireSamples(files);
  const sent = samples !== 1 && files.some(({ all }) => all.some(isAboutSamples)) ? undefined : sendable(files);
  const notes = rc?.notes.assert ?? [];
  return sent ? { sent, files, notes } : { sent, files: files.map(alone), notes };
};

/** Refuses assertions about several samples whose values the service keeps for the median sample only. */
export const requireSamples = (files: readonly AssertionRules[]): void => {
  const keys = [...new Set(files.flatMap(({ all }) => all.flatMap(keysWithoutSamples)))];
  if (keys.length === 0) return;
  const shown = keys.length > 5 ? `${keys.slice(0, 5).join(', ')} and ${keys.length - 5} more` : keys.join(', ');
  throw new UsageError(
    `aggregationMethod needs the report of each sample for ${shown}, and the service keeps the report of the median sample. Use the method median-run for them, or --samples 1. Scores of categories and values of metrics have every method.`,
  );
};

const rulesOfFile = async (rc: Lighthouserc, allowEmpty: boolean): Promise<AssertionRules> => {
  const budgets = await settingsRules(rc);
  const own = await assertionsOf(rc, { allowEmpty: allowEmpty || budgets !== undefined });
  return budgets ? joined(own, budgets) : own;
};

/** A number is the lowest performance score. Everything else is a file, also `./75`. */
const rulesOfBudget = async (budget: string): Promise<AssertionRules> => {
  if (!/^\d+(\.\d+)?$/.test(budget)) return readBudgetFile(budget);
  if (Number(budget) > 100) throw new UsageError(`--budget ${budget} is no score. Use 0 to 100, or a file.`);
  return lowestScore(Number(budget));
};

/** Reads the files for checks that exist. The command evaluates all of their assertions, because the service has evaluated others. */
export const readRulesForExisting = async (options: RuleOptions): Promise<Rules> => {
  const { files, notes } = await readRules(options);
  return { sent: undefined, files: files.map(alone), notes };
};

const requireAny = (name: string, rules: AssertionRules, allowEmpty: boolean): AssertionRules => {
  if (rules.isEmpty && !allowEmpty)
    throw new UsageError(`${name} asserts nothing. Write an assertion, or use --allow-empty.`);
  return rules;
};

/** Returns the assertions that the service can evaluate, or undefined if it has none or would refuse them. */
const sendable = (files: readonly AssertionRules[]): Assertions | undefined => {
  const all = files.flatMap(({ fixed }) => Object.entries(fixed));
  const isAmbiguous = new Set(all.map(([key]) => key)).size < all.length; // the service has one assertion for each key
  const own = Object.fromEntries(all);
  const data = CheckAssertions.safeParse(own).success ? Assertions.parse(own) : undefined;
  return data && !isAmbiguous && Object.values(data).some((each) => levelOf(each) !== 'off') ? data : undefined;
};

/** Returns rules that the command evaluates without the service. */
const alone = ({ assertionsFor, isEmpty, all }: AssertionRules): AssertionRules => ({
  all,
  assertionsFor,
  isEmpty,
  fixed: {},
  othersFor: assertionsFor,
});

/**
 * Returns the results that the service has for the assertions of a check, by the id of the run. Returns none if the command
 * has rules that it didn't send.
 */
export const storedResults = (
  { runs }: Pick<CheckView, 'runs'>,
  { files, sent }: Rules = noRules,
): CheckResult['assertions'] =>
  files.length > 0 && !sent
    ? {}
    : Object.fromEntries(runs.flatMap(({ id, assertions }) => (assertions ? [[id, assertions]] : [])));

const noRules: Rules = { sent: undefined, files: [], notes: [] };

/**
 * Returns the results of the rules on each succeeded run, by the id of the run, and notes for the user. The command evaluates
 * the assertions that only a report decides on, and all assertions if the service has no results.
 */
export const applyRules = async (
  client: Client,
  check: CheckView,
  rules: Rules,
  signal: AbortSignal,
): Promise<{ assertions: CheckResult['assertions']; notes: string[] }> => {
  const notes = new Set<string>();
  const assertions: Record<string, readonly AssertionResult[]> = { ...storedResults(check, rules) };
  for (const run of check.runs) {
    const stored = assertions[run.id];
    const { files } = rules;
    const own = stored ? files.flatMap(({ othersFor }) => othersFor ?? []) : files.map((each) => each.assertionsFor);
    if (run.state !== 'succeeded' || own.length === 0) continue;
    const report = await reportOf(client, run, signal);
    const applied = own.map((assertionsFor) => assertionsFor(report));
    for (const note of applied.flatMap((each) => each.notes)) notes.add(note);
    const all = applied.flatMap((each) => each.assertions);
    const lacking = all.flatMap((each) => keysLacking(each, run.samples, check.samples));
    if (lacking.length > 0) notes.add(lackingNote(run, lacking));
    const measured = { contended: run.environment?.contended === true };
    const results = all.flatMap((each) => evaluateSamples(each, report, run.samples, measured));
    assertions[run.id] = [...(stored ?? []), ...printableValue(results)];
  }
  return { assertions, notes: [...notes] };
};

const lackingNote = ({ id }: RunView, keys: readonly string[]): string =>
  `The run ${id} does not have the values of all samples for ${[...new Set(keys)].join(', ')}, which aggregationMethod needs. The median sample is judged instead. Audit the page again for all values.`;

const reportOf = async (client: Client, { id }: RunView, signal: AbortSignal): Promise<AssertedReport> => {
  const { data: report } = AssertedReport.safeParse(await client.report(id, { signal }));
  if (!report) throw new ServiceFaultError(`The service has no Lighthouse report of the run ${id}.`);
  return report;
};
