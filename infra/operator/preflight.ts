import { allRegions, regions } from '../../shared/regions.ts';
import { functionRows } from '../../shared/service/functions.ts';
import type { Environment } from '../environments.ts';
import { type Aws, ifMissing, type Shape } from './aws-cli.ts';
import { pausedSince } from './pausing/pause-writers.ts';
import { quotas } from './walls.ts';

/** Need of a deploy, and its state in the account. */
export type Need = {
  what: string;
  region: string;
  needed: string;
  /** Undefined if AWS does not return it. */
  found: string | undefined;
  isMet: boolean;
  /** How to fulfil the need. */
  remedy: string;
};

/** Version of the bootstrap stack that the CDK needs to upload assets and to deploy with its roles. */
const BOOTSTRAP = 6;
/** CloudFront and its rate rule are there. */
const EDGE_REGION = 'us-east-1';
/** Concurrency besides audits, for sweeps, deliveries and the API of an environment that reserves none. */
const BESIDE = 5;

/** Returns the concurrency that an environment needs in an AWS region. */
export const concurrencyOf = (environment: Environment, awsRegion: string): number => {
  const { homeRegion, reserved, auditsAtOnce, regions: deployed } = environment;
  const audits = deployed.filter((region) => regions[region] === awsRegion).length * auditsAtOnce;
  if (awsRegion !== homeRegion) return audits;
  const ofRows = Object.values(functionRows).map((row) => ('reserved' in row && reserved?.[row.reserved]) || 0);
  const sum = ofRows.reduce<number>((total, each) => total + each, 0);
  return audits + (reserved ? sum + quotas.unreserved : BESIDE);
};

/** Asks the account what a deploy of an environment needs, before anything is uploaded. */
export const preflight = async (environment: Environment, aws: Aws): Promise<Need[]> => {
  const { homeRegion, regions: deployed, edge } = environment;
  const places = [...new Set([homeRegion, ...deployed.map((region) => regions[region])])];
  const asked = await Promise.all([
    ...places.flatMap((region) => [
      concurrency(environment, region, aws),
      bootstrap(environment, region, aws),
      leftLogs(environment, region, aws),
    ]),
    ...(edge && !places.includes(EDGE_REGION) ? [bootstrap(environment, EDGE_REGION, aws)] : []),
  ]);
  return [
    ...asked,
    await memory(environment, aws),
    ...(await takenNames(environment, aws)),
    await pause(environment, aws),
  ].flat();
};

const concurrency = async (environment: Environment, region: string, aws: Aws): Promise<Need> => {
  const { AccountLimit } = await aws('lambda get-account-settings', region);
  const needed = concurrencyOf(environment, region);
  return {
    what: 'concurrent executions of Lambda',
    region,
    needed: String(needed),
    found: String(AccountLimit.ConcurrentExecutions),
    isMet: AccountLimit.ConcurrentExecutions >= needed,
    remedy: `Ask AWS: aws service-quotas request-service-quota-increase --region ${region} --service-code lambda --quota-code L-B99A9384 --desired-value 1000. Or deploy the environment trial.`,
  };
};

const bootstrap = async ({ name }: Environment, region: string, aws: Aws): Promise<Need> => {
  const found = await aws('ssm get-parameter', region, { Name: '/cdk-bootstrap/hnb659fds/version' }).catch(
    ifMissing('ParameterNotFound'),
  );
  return {
    what: 'bootstrap of the CDK',
    region,
    needed: `version ${BOOTSTRAP}`,
    found: found ? `version ${found.Parameter.Value}` : 'none',
    isMet: Number(found?.Parameter.Value) >= BOOTSTRAP,
    remedy: `npx cdk bootstrap -c assets=none -c environment=${name} aws://<account>/${region}`,
  };
};

/** The quota is no answer of any API. A function that has the memory shows that the account allows it. */
const memory = async ({ names, regions: deployed, auditMemoryMb }: Environment, aws: Aws): Promise<Need> => {
  const [first = allRegions[0]] = deployed;
  const needed = auditMemoryMb ?? functionRows['run-audit'].memoryMb;
  const found = await aws('lambda get-function-configuration', regions[first], {
    FunctionName: names.regionFunction('run-audit', first),
  }).catch(ifMissing('ResourceNotFoundException'));
  return {
    what: 'memory of a function',
    region: regions[first],
    needed: `${needed} MB`,
    found: found ? `${found.MemorySize} MB in use` : needed <= 3008 ? 'at least 3008 MB' : undefined,
    isMet: true, // an unknown quota must not stop a deploy that AWS would allow
    remedy: 'A new account may have 3008 MB. Ask support, or deploy the environment trial.',
  };
};

/** Names of what outlives its stack. They block only the first deploy. */
const takenNames = async ({ names, homeRegion, account }: Environment, aws: Aws): Promise<Need[]> => {
  if (await stackExists(names.homeStack, homeRegion, aws)) return [];
  const owner = account ?? (await aws('sts get-caller-identity', homeRegion)).Account;
  const bucket = names.reportBucketIn(owner);
  const [table, objects] = await Promise.all([
    aws('dynamodb describe-table', homeRegion, { TableName: names.table }).catch(
      ifMissing('ResourceNotFoundException'),
    ),
    aws('s3api head-bucket', homeRegion, { Bucket: bucket }).catch(ifMissing('404', 'NoSuchBucket', 'NotFound')),
  ]);
  const free = (what: string, found: unknown): Need => ({
    what,
    region: homeRegion,
    needed: 'a free name',
    found: found ? 'taken' : 'free',
    isMet: !found,
    remedy: 'An earlier environment kept it. Import or delete it: infra/DEPLOY.md#remove',
  });
  return [free(`table ${names.table}`, table), free(`bucket ${bucket}`, objects)];
};

/** Log groups that a function wrote after its stack was deleted. */
const leftLogs = async ({ names, homeRegion, regions: deployed }: Environment, region: string, aws: Aws) => {
  const placed = deployed.filter((each) => regions[each] === region).map(names.regionStack);
  const stacks = [...placed, ...(region === homeRegion ? [names.homeStack] : [])];
  const exist = await Promise.all(stacks.map((stack) => stackExists(stack, region, aws)));
  if (exist.some(Boolean)) return [];
  const { logGroups } = await aws('logs describe-log-groups', region, {
    logGroupNamePrefix: `/aws/lambda/${names.service}-`,
  });
  const left: string[] = logGroups.map(({ logGroupName }: Shape) => logGroupName);
  return {
    what: 'log groups of functions',
    region,
    needed: 'free names',
    found: left.length > 0 ? `${left.length} taken` : 'free',
    isMet: left.length === 0,
    remedy: `aws logs delete-log-group --region ${region} --log-group-name ${left[0]}, and so on for all of ${names.service}`,
  };
};

const pause = async (environment: Environment, aws: Aws): Promise<Need> => {
  const since = await pausedSince(environment, aws);
  return {
    what: 'writers',
    region: environment.homeRegion,
    needed: 'not paused',
    found: since === undefined ? 'not paused' : `paused at ${since.slice(0, 16).replace('T', ' ')}`,
    isMet: since === undefined,
    remedy: `npm run resume -- --environment ${environment.name}. A deploy does not end a pause, and its smoke test would fail.`,
  };
};

/** Returns true if a stack exists. A stack whose first creation failed counts as none. */
export const stackExists = async (StackName: string, region: string, aws: Aws): Promise<boolean> => {
  const found = await aws('cloudformation describe-stacks', region, { StackName }).catch((error: Error) => {
    if (!error.message.includes('does not exist')) throw error;
  });
  return found !== undefined && found.Stacks[0].StackStatus !== 'ROLLBACK_COMPLETE';
};
