import type { AssertionResult } from '../../../shared/assertions/assertions.ts';
import type { CheckView } from '../../../shared/check.ts';
import type { CheckComparison, RegionComparison } from '../../../shared/comparison/schemas.ts';
import type { CheckExplanation } from '../../../shared/explanation/schema.ts';
import type { RunFixes } from '../../../shared/fixes/worst-run.ts';
import type { Region } from '../../../shared/regions.ts';
import type { RunView } from '../../../shared/run.ts';
import type { Client } from '../../api/client.ts';
import { isOnePlace } from '../../words/places.ts';
import type { Confirmation } from '../formats/confirmation.ts';
import { shellWord } from '../shell-word.ts';

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
  /** Options with which a later command reads the check, such as ` --data .local`. Null if its data end with the command. */
  readWith: string | null;
  /** True if the server of the page ends with the command. */
  isServed?: boolean;
  /** True if all regions of the service are one place, such as this machine. Then a single region has no name. */
  isOnePlace: boolean;
};

/** The service of a result, and how to read the result later. */
export type Origin = Pick<CheckResult, 'server' | 'readWith' | 'isOnePlace' | 'isServed'>;

/** Returns the origin of results and the regions of the service. The service keeps its data in the folder `data`, or keeps none. */
export const originOf = async (
  client: Pick<Client, 'regions'>,
  { server, data, isServed = false }: { server: string | null; data: string | undefined; isServed?: boolean },
  signal: AbortSignal,
): Promise<{ origin: Origin; regions: Region[] }> => {
  const { regions } = await client.regions({ signal });
  const readWith = server !== null ? '' : data === undefined ? null : ` --data ${shellWord(data)}`;
  return {
    origin: { server, readWith, isServed, isOnePlace: isOnePlace(regions.map(({ place }) => place)) },
    regions: regions.map(({ id }) => id),
  };
};

/** Returns true if all regions of a service are one place. */
export const hasOnePlace = async (client: Pick<Client, 'regions'>, signal: AbortSignal): Promise<boolean> =>
  isOnePlace((await client.regions({ signal })).regions.map(({ place }) => place));

/** Returns the results of assertions by the id of the run. */
export const resultsOf = ({
  runs,
}: {
  runs: readonly Pick<RunView, 'id' | 'assertions'>[];
}): CheckResult['assertions'] =>
  Object.fromEntries(runs.flatMap(({ id, assertions }) => (assertions ? [[id, assertions]] : [])));
