import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { Environment } from '../environments.ts';
import { indexNames, tableSettings } from '../settings.ts';
import { alarm } from './alarm.ts';

/** The table of checks, runs, API keys and their use. functions/lib/store/items.ts describes its keys. */
export class CheckTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, environment: Environment) {
    super(scope, id);
    const { partitionKey, sortKey, timeToLive, indexes } = tableSettings;
    const text = (name: string) => ({ name, type: AttributeType.STRING });
    const { warmWrites } = environment;
    const warm = warmWrites && { warmThroughput: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: warmWrites } };
    this.table = new TableV2(this, 'Table', {
      tableName: environment.names.table,
      partitionKey: text(partitionKey),
      sortKey: text(sortKey),
      globalSecondaryIndexes: indexes.map(({ name, partitionKey, sortKey, projects }) => ({
        indexName: name,
        partitionKey: text(partitionKey),
        sortKey: text(sortKey),
        ...(name === 'open' && warm),
        ...(projects.length > 0
          ? { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...projects] }
          : { projectionType: ProjectionType.KEYS_ONLY }),
      })),
      billing: Billing.onDemand(),
      ...warm,
      timeToLiveAttribute: timeToLive,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: environment.deletionProtection,
      removalPolicy: environment.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    alarm(this, 'TableThrottles', {
      what: 'For ten minutes DynamoDB has throttled writes of the table or its indexes.',
      impact: 'Creates and results are slow or fail.',
      runbook: 'the-table-throttles',
      metric: this.metricThrottles(['Write']), // throttled reads make answers 5xx or due items
      threshold: 10,
      periods: 2,
    });
  }

  /** Throttled requests of the table and of its indexes. A throttled index also throttles writes of the table. */
  metricThrottles = (kinds: readonly ('Read' | 'Write')[] = ['Read', 'Write']): MathExpression => {
    const { tableName } = this.table;
    const period = Duration.minutes(5);
    const places = [
      { id: 'table', dimensions: { TableName: tableName } },
      ...indexNames.map((name) => ({ id: name, dimensions: { TableName: tableName, GlobalSecondaryIndexName: name } })),
    ];
    const usingMetrics = Object.fromEntries(
      places.flatMap(({ id, dimensions }) =>
        kinds.map((kind) => [
          `${id}_${kind}`,
          new Metric({
            namespace: 'AWS/DynamoDB',
            metricName: `${kind}ThrottleEvents`,
            dimensionsMap: dimensions,
            statistic: 'Sum',
            period,
          }),
        ]),
      ),
    );
    return new MathExpression({
      expression: Object.keys(usingMetrics)
        .map((id) => `FILL(${id}, 0)`)
        .join(' + '),
      usingMetrics,
      period,
      label: 'throttled requests of the table',
    });
  };
}
