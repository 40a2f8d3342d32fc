import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AssertionResult } from '../../shared/assertions/assertions.ts';
import type { CheckView } from '../../shared/check.ts';
import type { CheckComparison } from '../../shared/comparison/schemas.ts';
import type { RunView } from '../../shared/run.ts';
import type { Confirmation } from '../cli/formats/confirmation.ts';
import { isReportName, reportNames } from '../cli/formats/report-names.ts';

/** The command line's JSON, as far as the action reads it. */
export type Results = {
  checks: (Omit<CheckView, 'runs'> & {
    runs: (RunView & { assertions: readonly AssertionResult[] | null; reportFile: string | null })[];
    base: CheckComparison | null;
    baseProblem: string | null;
    confirmation: Confirmation | null;
    pageUrl: string | null;
  })[];
};

/** Returns the outputs of the action. */
export const outputsOf = ({ checks }: Results, passed: boolean): Record<string, string> => ({
  'check-ids': JSON.stringify(checks.map(({ id }) => id)),
  scores: JSON.stringify(
    checks.flatMap(({ url, device = 'mobile', runs }) =>
      runs.map(({ region, state, performance, accessibility, bestPractices, seo }) => {
        const scores = { performance, accessibility, bestPractices, seo };
        return { url, device, region, state, ...scores };
      }),
    ),
  ),
  links: JSON.stringify(checks.flatMap(({ pageUrl }) => pageUrl ?? [])),
  passed: String(passed),
});

/**
 * Returns the paths of the files that the command line has written: those of the input `output`, and the reports that it
 * writes by itself because its service ends.
 */
export const writtenFiles = ({ checks }: Results, outputs: readonly string[]): string[] => {
  const runs = checks.flatMap((check) => check.runs.map((run) => ({ ...run, url: check.url })));
  const named = outputs.flatMap((file) => (isReportName(file) ? reportNames(file, runs) : [file]));
  const files = [...named, ...runs.flatMap(({ reportFile }) => reportFile ?? [])].map((file) => resolve(file));
  return [...new Set(files)].filter((file) => existsSync(file));
};
