import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { Environment } from '../environments.ts';
import { tableSettings } from '../settings.ts';

/** The table of checks, runs, API keys and their use. functions/lib/store/items.ts describes its keys. */
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
