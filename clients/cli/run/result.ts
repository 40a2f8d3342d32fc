import type { AssertionResult } from '../../../shared/assertions/assertions.ts';
import type { CheckView } from '../../../shared/check.ts';
import type { CheckComparison, RegionComparison } from '../../../shared/comparison/schemas.ts';
import type { CheckExplanation } from '../../../shared/explanation/schema.ts';
import type { RunFixes } from '../../../shared/fixes/worst-run.ts';
import type { RunView } from '../../../shared/run.ts';
import type { Confirmation } from '../formats/confirmation.ts';

/** Everything that a command shows of one check. */
export type CheckResult = {
  check: CheckView;
  /** The regions compared. Null if fewer than two runs succeeded or the check is unfinished. */
  comparison: RegionComparison | null;
  /** The check compared with a base. Null without a base, or if no region can be compared. */
  base: CheckComparison | null;
  /** Why the base that was asked for gives no verdict. Null if it gives one, or if none was asked for. */
  baseProblem: string | null;
  /** Verdicts of one more check about changes that are only suspected. Null if there was none. */
  confirmation?: Confirmation | null;
  /** Why the check differs from the base. Null if nothing has clearly changed, or if a report is gone. */
  explanation: CheckExplanation | null;
  /** Results of the assertions by the id of the run. A run without assertions may be missing. */
  assertions: Readonly<Record<string, readonly AssertionResult[]>>;
  /** The worst run with its fixes. Null if no run succeeded, or its report is gone. */
  fixes: RunFixes | null;
  /** Files with the HTML reports, by the id of the run. */
  reportFiles?: Readonly<Record<string, string>>;
  /** URL of the service, for the link to the check's page. Null if the service ends with the command. */
  server: string | null;
};

/** Returns the results of assertions by the id of the run. */
export const resultsOf = ({
  runs,
}: {
  runs: readonly Pick<RunView, 'id' | 'assertions'>[];
}): CheckResult['assertions'] =>
  Object.fromEntries(runs.flatMap(({ id, assertions }) => (assertions ? [[id, assertions]] : [])));
