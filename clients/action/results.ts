import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Results } from '../cli/formats/json.ts';
import { reportNames, runFileOf } from '../cli/formats/report-names.ts';

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
  const named = outputs.flatMap((file) => (runFileOf(file) ? reportNames(file, runs) : [file]));
  const files = [...named, ...runs.flatMap(({ reportFile }) => reportFile ?? [])].map((file) => resolve(file));
  return [...new Set(files)].filter((file) => existsSync(file));
};
