import { regions } from '../../../shared/regions.ts';
import type { FunctionRow, TableAction } from '../../../shared/service/function-row.ts';
import { functionRows } from '../../../shared/service/functions.ts';
import type { Environment } from '../../environments.ts';

/** A function or a queue in an AWS region. */
export type Placed = { name: string; region: string };
export type Writers = {
  /** Functions that write when something calls them. A concurrency of 0 stops them. */
  called: Placed[];
  /** Functions that write for each message of a queue. A concurrency of 0 would make dead letters. */
  fed: Placed[];
  /** Their queues, from which workers on instances receive too. */
  queues: Placed[];
};

const writes: readonly TableAction[] = ['PutItem', 'UpdateItem', 'DeleteItem'];
const feds = ['run-audit', 'deliver-webhook'];

/** Returns the parts of an environment that write to its table. The last use of an API key is not counted. */
export const writersOf = ({ names, homeRegion, regions: deployed }: Environment): Writers => {
  const calls = Object.entries(functionRows as Record<string, FunctionRow>).filter(
    ([file, { table = {} }]) =>
      !feds.includes(file) &&
      // The canary makes its key by a right of its own.
      (file === 'canary' || Object.values(table).some((actions) => actions.some((each) => writes.includes(each)))),
  );
  const inRegions = (nameOf: (region: keyof typeof regions) => string): Placed[] =>
    deployed.map((region) => ({ name: nameOf(region), region: regions[region] }));
  return {
    called: calls.map(([file]) => ({ name: names.homeFunction(file), region: homeRegion })),
    fed: [
      ...inRegions((region) => names.regionFunction('run-audit', region)),
      { name: names.homeFunction('deliver-webhook'), region: homeRegion },
    ],
    queues: [...inRegions((region) => names.auditQueue(region)), { name: names.deliveryQueue, region: homeRegion }],
  };
};
