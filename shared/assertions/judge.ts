import { merge } from '../merge.ts';
import { type AssertionResult, type Assertions, levelOf } from './assertions.ts';
import { evaluate, type Measured } from './evaluate.ts';
import { presets } from './presets.ts';
import { type AssertionSet, type CheckAssertions, setsOf, withMethod } from './sets.ts';
import { type AssertedReport, findAsserted } from './values.ts';

/** Returns true if a pattern matches a URL. */
export type Matcher = (pattern: string, url: string) => boolean;

/** Results of assertions on a report, and sentences about those that are left out. */
export type Judged = { results: AssertionResult[]; notes: string[] };

/** A set with the assertions of its preset. */
type Expanded = { pattern: string; assertions: Assertions; fromPreset: ReadonlySet<string> };

/** Compares a report with the sets of assertions whose pattern matches its final URL. */
export const judge = (given: CheckAssertions, report: AssertedReport, measured: Measured, matches: Matcher): Judged => {
  const matching = setsOf(given)
    .map(expand)
    .filter(({ pattern }) => matches(pattern, report.finalUrl));
  if (matching.length === 0) return { results: [], notes: [`No assertion is about ${report.finalUrl}.`] };
  const judged = matching.map((set) => present(set, report));
  const skipped = judged.reduce((sum, each) => sum + each.skipped, 0);
  const results = judged.flatMap(({ assertions }) => evaluate(assertions, report, measured));
  return bounded(results, skipped > 0 ? [skippedNote(skipped, report)] : []);
};

const expand = ({ pattern = '', preset, aggregation, assertions: own = {} }: AssertionSet): Expanded => {
  const inherited: Assertions = preset ? (presets[preset] ?? {}) : {};
  return {
    pattern,
    assertions: withMethod(merge(inherited, own) as Assertions, aggregation),
    fromPreset: new Set(Object.keys(inherited).filter((key) => !Object.hasOwn(own, key))),
  };
};

/** Leaves out the audits that only the preset names and that the report lacks. */
const present = ({ assertions, fromPreset }: Expanded, report: AssertedReport) => {
  const isLacking = (key: string) => fromPreset.has(key) && !findAsserted(key, report);
  const [lacking, kept] = [true, false].map((is) =>
    Object.entries(assertions).filter(([key]) => isLacking(key) === is),
  ) as [[string, Assertions[string]][], [string, Assertions[string]][]];
  const skipped = lacking.filter(([, assertion]) => levelOf(assertion) !== 'off').length;
  return { assertions: Object.fromEntries(kept), skipped };
};

const skippedNote = (count: number, { lighthouseVersion, categories }: AssertedReport): string => {
  const subject = count === 1 ? '1 assertion of the preset is' : `${count} assertions of the preset are`;
  const selected = Object.keys(categories).join(', ');
  return `${subject} about audits that Lighthouse ${lighthouseVersion} doesn't have in the categories ${selected}.`;
};

/** Most bytes of the results of a run. The database holds at most 400 kB in one item. */
const MAX_RESULT_BYTES = 150 * 1024;

/** Leaves out results that passed, then others, if all together are too large to be stored. */
const bounded = (results: AssertionResult[], notes: string[]): Judged => {
  let room = MAX_RESULT_BYTES;
  const kept = new Set(
    results
      .toSorted((a, b) => Number(a.passed === true) - Number(b.passed === true))
      .filter((each) => {
        room -= new TextEncoder().encode(JSON.stringify(each)).length;
        return room >= 0;
      }),
  );
  const left = results.length - kept.size;
  const more = left > 0 ? [`${left} results of assertions are not shown, because they are too many.`] : [];
  return { results: results.filter((each) => kept.has(each)), notes: [...notes, ...more] };
};
