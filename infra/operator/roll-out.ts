import type { Db } from '../../functions/lib/store/dynamodb.ts';
import { formatKey, knownFormat, UnknownFormatError } from '../../functions/lib/store/format.ts';
import type { Region } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import type { Names } from '../names.ts';
import type { Aws } from './aws-cli.ts';

type Steps = {
  /** Deploys one stack. Returns false if that failed. */
  deploy: (stack: string) => Promise<boolean>;
  /** Audits the sample page in these regions. Returns false if a region failed. */
  smoke: (regions: readonly Region[]) => Promise<boolean>;
  /** Lets all functions write the newest format of the release. */
  raiseFormat: () => Promise<unknown>;
  /** False before the first deploy, when no API can be asked for an audit. */
  isLive: boolean;
};

export type Outcome = 'deployed' | 'deploy failed' | 'smoke test failed' | 'not deployed';

/**
 * Deploys a release region by region, then the home stack and its edge. After each region, an audit in it proves the release. If the
 * audit fails, the release goes no further. A region whose deploy fails keeps its old release and stops nothing. The
 * command raises the data's format last, because a function of the old release would refuse the new format.
 */
export const rollOut = async (
  {
    regions,
    names,
    edge,
  }: Pick<Environment, 'regions' | 'edge'> & {
    names: Pick<Names, 'edgeStack' | 'homeStack' | 'regionStack'>;
  },
  { deploy, smoke, raiseFormat, isLive }: Steps,
): Promise<Map<string, Outcome>> => {
  const last = [names.homeStack, ...(edge ? [names.edgeStack] : [])]; // CloudFront sends requests to the home stack
  const stacks = [...regions.map(names.regionStack), ...last];
  const outcomes = new Map<string, Outcome>(stacks.map((stack) => [stack, 'not deployed']));
  const deployed: Region[] = [];
  for (const region of regions) {
    const stack = names.regionStack(region);
    if (!(await deploy(stack))) {
      outcomes.set(stack, 'deploy failed');
      continue;
    }
    if (isLive && !(await smoke([region]))) return outcomes.set(stack, 'smoke test failed');
    outcomes.set(stack, 'deployed');
    deployed.push(region);
  }
  if (deployed.length === 0) return outcomes; // no region can prove the home stack
  for (const stack of last) {
    if (!(await deploy(stack))) return outcomes.set(stack, 'deploy failed');
    outcomes.set(stack, 'deployed');
  }
  if (!(await smoke(deployed))) for (const stack of last) outcomes.set(stack, 'smoke test failed');
  if ([...outcomes.values()].every((outcome) => outcome === 'deployed')) await raiseFormat();
  return outcomes;
};

/**
 * Does the same for `cdk deploy`, before the CDK reads the app. Returns why it could not look, or undefined. The CDK gives its
 * `account`. It gives none without credentials. After `cdk --profile` the AWS CLI has another account.
 */
export const refuseRollBackOf = async (
  { homeRegion, names }: Pick<Environment, 'homeRegion'> & { names: Pick<Names, 'table'> },
  account: string | undefined,
  aws: Aws,
): Promise<string | undefined> => {
  if (!account) return 'the CDK has no credentials';
  const read = async () => {
    const { Account } = await aws('sts get-caller-identity', homeRegion);
    if (Account !== account) throw new Error(`the AWS CLI has credentials of ${Account}. Set AWS_PROFILE`);
    const key = { pk: { S: formatKey.pk }, sk: { S: formatKey.sk } };
    return aws('dynamodb get-item', homeRegion, { TableName: names.table, Key: key, ConsistentRead: true });
  };
  const item = await read().catch((error: Error) => ({ error }));
  if (!('error' in item)) await refuseRollBack({ format: async () => knownFormat(item.Item) });
  else if (item.error.name !== 'ResourceNotFoundException') return item.error.message;
  return undefined;
};

/** Throws if the table has a format that this release does not know. A table that does not exist has none. */
export const refuseRollBack = async ({ format }: Pick<Db, 'format'>): Promise<void> => {
  try {
    await format();
  } catch (error) {
    if (error instanceof UnknownFormatError)
      throw new Error(`${error.message} Nothing was uploaded. Deploy a release that knows the format of the data.`);
    if ((error as Error).name !== 'ResourceNotFoundException') throw error;
  }
};
