import type { AssertionResult } from '../../shared/assertions/assertions.ts';
import type { CheckView } from '../../shared/check.ts';
import type { CheckComparison } from '../../shared/comparison/schemas.ts';
import type { RunView } from '../../shared/run.ts';

/** The command line's JSON, as far as the action reads it. */
export type Results = {
  checks: (Omit<CheckView, 'runs'> & {
    runs: (RunView & { assertions: readonly AssertionResult[] | null })[];
    base: CheckComparison | null;
    baseProblem: string | null;
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
