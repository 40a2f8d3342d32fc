import type { AssertionResult } from '../../../shared/assertions/assertions.ts';
import type { CheckView } from '../../../shared/check.ts';
import type { CheckComparison } from '../../../shared/comparison/schemas.ts';
import type { RunView } from '../../../shared/run.ts';
import type { CheckResult } from '../run/result.ts';
import type { Confirmation } from './confirmation.ts';
import { assertionsPassed } from './outcome.ts';
import { linkOf } from './titles.ts';

/** The checks as JSON, as far as other outputs are made from them. */
export type Results = {
  checks: (Omit<CheckView, 'runs'> & {
    runs: (RunView & { assertions: readonly AssertionResult[] | null; reportFile: string | null })[];
    base: CheckComparison | null;
    baseProblem: string | null;
    confirmation: Confirmation | null;
    pageUrl: string | null;
  })[];
};

/**
 * Returns the checks as JSON: `{ "checks": [...] }`. Each is the check as the API shows it, with `assertions` and `reportFile`
 * on its runs. It also has `assertionsPassed`, `comparison` (its regions), `base` (the comparison with a base), `baseProblem`,
 * `confirmation`, `explanation`, `fixes` and `pageUrl`. A missing value is null.
 */
export const jsonOf = (results: readonly CheckResult[]): string =>
  `${JSON.stringify({ checks: results.map(asJson) }, null, 2)}\n`;

const asJson = (result: CheckResult) => {
  const { check, comparison, base, baseProblem, confirmation = null, explanation, assertions, fixes } = result;
  const { reportFiles = {} } = result;
  const runs = check.runs.map((run) => ({
    ...run,
    assertions: assertions[run.id] ?? null,
    reportFile: reportFiles[run.id] ?? null,
  }));
  return {
    ...check,
    runs,
    assertionsPassed: assertionsPassed(result),
    comparison,
    base,
    baseProblem,
    confirmation,
    explanation,
    fixes: fixes && { runId: fixes.run.id, fixes: fixes.fixes },
    pageUrl: linkOf(result) ?? null,
  };
};

/** Returns JSON or a script of the same meaning in which no character steers a terminal or reorders its text. */
export const withEscapes = (text: string): string =>
  text.replace(/(?![\n\r\t])[\p{C}\u2028\u2029]/gu, (char) =>
    Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  );
