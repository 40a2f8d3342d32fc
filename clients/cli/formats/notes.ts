import type { AssertionResult } from '../../../shared/assertions/assertions.ts';
import type { RunView } from '../../../shared/run.ts';
import { nextStep } from '../../words/advice.ts';
import { failedVariantText, reasonTexts } from '../../words/words.ts';
import type { CheckResult } from '../run/result.ts';
import { grouped } from './metrics.ts';

/** Returns the regions that a sentence is about. A check of one region needs no name. */
const regionsIn = (of: readonly { region: string }[], { check }: CheckResult): string =>
  check.runs.length > 1 ? `${of.map(({ region }) => region).join(', ')}: ` : '';

/** Returns the sentences that a reader of the numbers should know: warnings of the runs, and why verdicts are unknown. */
export const warningsOf = (result: CheckResult): string[] => {
  const { check, comparison, base } = result;
  const warnings = check.runs.flatMap(({ region, warnings }) => warnings.map((warning) => ({ region, text: warning })));
  const reasons = [...(comparison?.reasons ?? []), ...(base?.reasons ?? [])]
    .filter(({ code }) => code !== 'failed' || base !== null) // a failed run has its own lines
    .filter(({ code }) => code !== 'fewer-samples') // the note on samples stands once for all checks
    .map(({ code, region }) => ({ region, text: reasonText(code) }));
  return grouped([...warnings, ...reasons], ({ text }) => text).map((group) => {
    const regions = [...new Set(group.map(({ region }) => region))].map((region) => ({ region }));
    return `${regionsIn(regions, result)}${group[0]?.text}`;
  });
};

/** Returns why verdicts are unknown, by the code of the reason. */
export const reasonText = (code: string): string =>
  `${reasonTexts[code] ?? code}${code === 'fewer-samples' ? ' Use --samples 5 for both sides.' : ''}`;

/** Returns how to get the verdicts that need more samples, or nothing if no comparison lacks them. */
export const sampleNotes = (results: readonly CheckResult[]): string[] => {
  const reasons = results.flatMap(({ comparison, base }) => [...(comparison?.reasons ?? []), ...(base?.reasons ?? [])]);
  return reasons.some(({ code }) => code === 'fewer-samples') ? [reasonText('fewer-samples')] : [];
};

/** A reason why runs failed, and the next step. */
export type Failure = { regions: string; code: string; message: string; advice: string };

/** Returns why runs failed. Runs that failed in the same way are together. */
export const failuresOf = ({ check }: CheckResult): Failure[] => {
  const failed = check.runs.flatMap((run) => (run.error ? [{ run, error: run.error }] : []));
  return grouped(failed, ({ error }) => `${error.variant} ${error.code} ${error.message}`).flatMap((group) => {
    const error = group[0]?.error;
    if (!error) return [];
    return [
      {
        regions: group.map(({ run }) => run.region).join(', '),
        code: error.code,
        message: error.message,
        advice: adviceOf(error),
      },
    ];
  });
};

/** Returns whose fault an error is, and the next step. */
export const adviceOf = (error: NonNullable<RunView['error']>): string => {
  const { blame } = error;
  const cause = blame === 'page' ? 'The cause is the page.' : 'The cause is the service, not the page.';
  return [failedVariantText(error), cause, nextStep(error)].filter(Boolean).join(' ');
};

/** A result of an assertion, with the region of its run. */
export type RegionalAssertion = AssertionResult & { region: string };

/** Returns the results of the assertions on all runs. */
export const assertionsIn = ({ check, assertions }: CheckResult): RegionalAssertion[] =>
  check.runs.flatMap(({ id, region }) => (assertions[id] ?? []).map((each) => ({ ...each, region })));
