import { type AssertionResult, evaluate } from '../../shared/assertions/assertions.ts';
import { AssertedReport } from '../../shared/assertions/values.ts';
import type { CheckView } from '../../shared/check.ts';
import { printableValue } from '../../shared/text.ts';
import type { Client } from '../api/client.ts';
import { ServiceFaultError } from './exit-codes.ts';
import { type AssertionRules, readAssertions, readBudgetFile } from './lighthouserc.ts';

/** Reads the files of --assert and --budget. Throws a UsageError if one is unreadable or invalid. */
export const readRules = ({ assert, budget }: { assert?: string; budget?: string }): AssertionRules[] => [
  ...(assert === undefined ? [] : [readAssertions(assert)]),
  ...(budget === undefined ? [] : [readBudgetFile(budget)]),
];

/** Returns the results of the rules on each succeeded run, by the id of the run, and notes for the user. */
export const applyRules = async (
  client: Client,
  check: CheckView,
  rules: readonly AssertionRules[],
  signal: AbortSignal,
) => {
  const assertions: Record<string, AssertionResult[]> = {};
  const notes = new Set<string>();
  for (const { id, state } of rules.length === 0 ? [] : check.runs) {
    if (state !== 'succeeded') continue;
    const { data: report } = AssertedReport.safeParse(await client.report(id, { signal }));
    if (!report) throw new ServiceFaultError(`The service has no Lighthouse report of the run ${id}.`);
    const applied = rules.map((each) => each.assertionsFor(report));
    for (const note of applied.flatMap((each) => each.notes)) notes.add(note);
    assertions[id] = printableValue(
      applied.flatMap((each) => each.assertions).flatMap((each) => evaluate(each, report)),
    );
  }
  return { assertions, notes: [...notes] };
};
