import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { Environment } from '../environments.ts';
import { tableSettings } from '../settings.ts';
import { alarm } from './alarm.ts';

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
    alarm(this, 'TableThrottles', {
      what: 'For ten minutes DynamoDB has throttled requests to the table or its index.',
      impact: 'Creates and results are slow or fail.',
      runbook: 'the-table-throttles',
      metric: this.metricThrottles(),
      threshold: 10,
      periods: 2,
    });
  }

  /** Throttled reads and writes of the table and of its index. A throttled index also throttles writes of the table. */
  metricThrottles = (): MathExpression => {
    const { tableName } = this.table;
    const period = Duration.minutes(5);
    const index = { TableName: tableName, GlobalSecondaryIndexName: tableSettings.index.name };
    const throttles = (metricName: string, dimensionsMap: Record<string, string>) =>
      new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap, statistic: 'Sum', period });
    return new MathExpression({
      expression: 'FILL(reads, 0) + FILL(writes, 0) + FILL(index_reads, 0) + FILL(index_writes, 0)',
      usingMetrics: {
        reads: throttles('ReadThrottleEvents', { TableName: tableName }),
        writes: throttles('WriteThrottleEvents', { TableName: tableName }),
        index_reads: throttles('ReadThrottleEvents', index),
        index_writes: throttles('WriteThrottleEvents', index),
      },
      period,
      label: 'throttled requests of the table',
    });
  };
}
