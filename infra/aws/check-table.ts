import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { KEYS } from '../../shared/keys.ts';
import type { Environment } from '../environments.ts';
import { tableSettings } from '../settings.ts';
import { right } from './node-function.ts';

/** The table of checks and runs. functions/lib/store describes its keys: checks.ts, keys.ts, usage.ts. */
export class CheckTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, environment: Environment) {
    super(scope, id);
    const { partitionKey, sortKey, timeToLive, index } = tableSettings;
    const text = (name: string) => ({ name, type: AttributeType.STRING });
    this.table = new TableV2(this, 'Table', {
      tableName: environment.names.table,
      partitionKey: text(partitionKey),
      sortKey: text(sortKey),
      globalSecondaryIndexes: [
        {
          indexName: index.name,
          partitionKey: text(index.partitionKey),
          sortKey: text(index.sortKey),
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      billing: Billing.onDemand(),
      timeToLiveAttribute: timeToLive,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: environment.deletionProtection,
      removalPolicy: environment.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}

type TableAction = 'GetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';

/** The right to do these things to the items of an environment's table, API keys aside, from whichever region. */
export const tableRight = (scope: Construct, environment: Environment, actions: readonly TableAction[]) =>
  right(
    actions.map((action) => `dynamodb:${action}`),
    tableArn(scope, environment),
    { 'ForAllValues:StringNotEquals': { 'dynamodb:LeadingKeys': [KEYS] } },
  );

/** The right to ask the index of what is not finished. */
export const openIndexRight = (scope: Construct, environment: Environment): PolicyStatement =>
  right(['dynamodb:Query'], `${tableArn(scope, environment)}/index/${tableSettings.index.name}`);

/** The rights that checking a key takes: to read it, and to note its use and nothing else of it. */
export const keyRights = (scope: Construct, environment: Environment): PolicyStatement[] => {
  const keys = { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [KEYS] } };
  const uses = {
    'ForAllValues:StringEquals': {
      'dynamodb:LeadingKeys': [KEYS],
      'dynamodb:Attributes': ['pk', 'sk', 'lastUsedAt'],
    },
    StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'] },
  };
  const table = tableArn(scope, environment);
  return [right(['dynamodb:GetItem'], table, keys), right(['dynamodb:UpdateItem'], table, uses)];
};

const tableArn = (scope: Construct, { homeRegion, names }: Environment): string =>
  Stack.of(scope).formatArn({ service: 'dynamodb', region: homeRegion, resource: 'table', resourceName: names.table });
