import { Stack, Token, Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { regions } from '../../shared/regions.ts';
import type { FunctionRow, StoredAction, TableActions } from '../../shared/service/function-row.ts';
import { CANARY_PREFIX } from '../../shared/service/keys.ts';
import { type Partition, partitions } from '../../shared/service/partitions.ts';
import { REPORTS } from '../../shared/service/report-folders.ts';
import { secretFolders, secretsOf } from '../../shared/service/secret-folders.ts';
import type { Environment } from '../environments.ts';
import type { indexNames } from '../settings.ts';
import { accountOf } from './account.ts';
import { updatedLatest, updatedRegion, updatedRun, updatedUsage } from './updated-attributes.ts';

/** Returns the rights of a function's row. Its variables show whether it needs keys and queues. */
export const rightsOf = (scope: Construct, environment: Environment, row: FunctionRow): PolicyStatement[] => [
  ...tableRights(scope, environment, row.table ?? {}),
  ...('TABLE_NAME' in row.env.shape ? tableRights(scope, environment, { format: ['GetItem'] }) : []),
  ...[row.index ?? []].flat().map((index) => indexRight(scope, environment, index)),
  ...('AUTH' in row.env.shape ? keyRights(scope, environment) : []),
  ...('AUDIT_QUEUES' in row.env.shape ? queueRights(scope, environment, row) : []),
  ...('DEAD_LETTER_QUEUES' in row.env.shape ? [deadLetterRight(scope, environment)] : []),
  ...('DELIVERY_QUEUE' in row.env.shape ? [deliveryRight(scope, environment)] : []),
  ...objectRights(scope, environment, row),
];

/** Allows actions on the items of some partitions of the table, which is in the home region. */
const tableRights = (scope: Construct, environment: Environment, actions: TableActions): PolicyStatement[] =>
  Object.entries(actions).map(([partition, allowed]) =>
    right(
      allowed.map((action) => `dynamodb:${action}`),
      tableArn(scope, environment),
      inPartition(partition as Partition),
    ),
  );

/** Allows an audit to update its check and run, the newest results of its page, the use of a plan and its region. */
export const auditRights = (scope: Construct, environment: Environment): PolicyStatement[] => [
  updateRight(scope, environment, 'check', updatedRun),
  updateRight(scope, environment, 'latest', updatedLatest),
  updateRight(scope, environment, 'owner', updatedUsage),
  updateRight(scope, environment, 'region', updatedRegion),
];

/** Allows updates of some attributes, and of no others, of the items of a partition. */
const updateRight = (
  scope: Construct,
  environment: Environment,
  partition: Partition,
  attributes: readonly string[],
): PolicyStatement =>
  right(['dynamodb:UpdateItem'], tableArn(scope, environment), {
    ...inPartition(partition),
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes },
  });

const inPartition = (partition: Partition) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${partitions[partition]}*`] },
});

/** Allows queries of an index of the table. */
const indexRight = (scope: Construct, environment: Environment, index: (typeof indexNames)[number]): PolicyStatement =>
  right(['dynamodb:Query'], `${tableArn(scope, environment)}/index/${index}`);

/** Allows a function to check API keys: to read a key and to update its last use, but nothing else of it. */
const keyRights = (scope: Construct, environment: Environment): PolicyStatement[] => {
  const keys = inPartition('key');
  const uses = {
    ...keys,
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'lastUsedAt'] },
    StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'] },
  };
  const table = tableArn(scope, environment);
  return [right(['dynamodb:GetItem'], table, keys), right(['dynamodb:UpdateItem'], table, uses)];
};

/** Allows the canary to make its own key, and no other key. */
export const canaryKeyRight = (scope: Construct, environment: Environment): PolicyStatement =>
  right(['dynamodb:PutItem'], tableArn(scope, environment), {
    'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [`${partitions.key}${CANARY_PREFIX}`] },
  });

/** Allows sending jobs to the queue of each region, and counting them if the function's row says so. */
const queueRights = (
  scope: Construct,
  { regions: deployed, names }: Environment,
  row: FunctionRow,
): PolicyStatement[] =>
  deployed.map((region) =>
    right(
      row.countsJobs ? ['sqs:GetQueueAttributes', 'sqs:SendMessage'] : ['sqs:SendMessage'],
      Stack.of(scope).formatArn({ service: 'sqs', region: regions[region], resource: names.auditQueue(region) }),
    ),
  );

/** Allows receiving and deleting the dead letters of all regions. */
const deadLetterRight = (scope: Construct, { regions: deployed, names }: Environment): PolicyStatement =>
  right(
    ['sqs:ReceiveMessage', 'sqs:DeleteMessage'],
    deployed.map((region) =>
      Stack.of(scope).formatArn({ service: 'sqs', region: regions[region], resource: names.deadLetters(region) }),
    ),
  );

/** Allows sending messages to the queue of deliveries. */
const deliveryRight = (scope: Construct, { homeRegion, names }: Environment): PolicyStatement =>
  right(
    ['sqs:SendMessage'],
    Stack.of(scope).formatArn({ service: 'sqs', region: homeRegion, resource: names.deliveryQueue }),
  );

/** Allows the actions of a row on objects of the bucket: reports, secrets, and the key of their fingerprints. */
const objectRights = (scope: Construct, environment: Environment, row: FunctionRow): PolicyStatement[] => [
  ...foldersOf(row).map(({ prefix, actions }) =>
    right(
      actions.map((action) => `s3:${action}`),
      `arn:${Stack.of(scope).partition}${objectsUnder(prefix, environment, accountOf(scope))}`,
    ),
  ),
  ...(row.reports?.includes('ListBucket') ? [listingRight(scope, environment, `${REPORTS}*`)] : []),
  ...(row.secrets?.includes('ListBucket') ? [listingRight(scope, environment, secretsOf(ANY_UUID))] : []),
];

/** Returns the folders of the bucket in which a row allows actions on objects. */
const foldersOf = (row: FunctionRow): { prefix: string; actions: StoredAction[] }[] =>
  [
    { prefix: REPORTS, all: row.reports },
    ...Object.entries(secretFolders).map(([name, { prefix }]) => ({
      prefix,
      all: row[name as keyof typeof secretFolders],
    })),
  ]
    .map(({ prefix, all = [] }) => ({ prefix, actions: all.filter((action) => action !== 'ListBucket') }))
    .filter(({ actions }) => actions.length > 0);

const objectsUnder = (prefix: string, { names }: Environment, account: string): string =>
  `:s3:::${names.reportBucketIn(account)}/${prefix}*`;

/** Pattern of an id. Whoever does not know the id of a check can't list its secrets. */
const ANY_UUID = '?'.repeat(36);

/** Acknowledges the wildcards in the resources of a row's rights, each with its reason. */
export const acknowledgeWildcards = (role: Role, environment: Environment, row: FunctionRow): void => {
  const account = accountOf(role);
  for (const { prefix } of foldersOf(row))
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:aws${objectsUnder(prefix, environment, Token.isUnresolved(account) ? '<AWS::AccountId>' : account)}]`,
      reason: 'The key of an object is unknown before the object exists. The right covers one folder of the bucket.',
    });
};

/** Allows a function to receive the messages of its queue. */
export const consumeRight = ({ queueArn }: IQueue): PolicyStatement =>
  right(
    [
      'sqs:ReceiveMessage',
      'sqs:ChangeMessageVisibility',
      'sqs:GetQueueUrl',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
    ],
    queueArn,
  );

/** Allows listing keys by their beginning. S3 then answers 404 for a missing report, instead of 403. */
const listingRight = (scope: Construct, { names }: Environment, prefix: string): PolicyStatement => {
  const bucket = `arn:${Stack.of(scope).partition}:s3:::${names.reportBucketIn(accountOf(scope))}`;
  return right(['s3:ListBucket'], bucket, { StringLike: { 's3:prefix': prefix } });
};

/** Returns a policy statement for exactly these actions, resource and conditions. */
export const right = (actions: readonly string[], resources: string | string[], conditions = {}): PolicyStatement =>
  new PolicyStatement({ actions: [...actions], resources: [resources].flat(), conditions });

const tableArn = (scope: Construct, { homeRegion, names }: Environment): string =>
  Stack.of(scope).formatArn({ service: 'dynamodb', region: homeRegion, resource: 'table', resourceName: names.table });
