import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type AuditRegion, regions } from '../../shared/regions.ts';
import { functionRows } from '../../shared/service/functions.ts';
import type { Environment } from '../environments.ts';
import { prices } from '../prices.ts';
import { indexNames } from '../settings.ts';
import type { Api } from './api.ts';
import { graph, questionRow, type Row } from './dashboard-rows.ts';
import { workerMetrics } from './worker-metrics.ts';

const hour = { period: Duration.hours(1), statistic: 'Sum' };

/** Cost of one part in an hour: an expression, and its metrics by their ids in the expression. */
type Cost = { label: string; dollars: string; metrics: Record<string, IMetric> };

export const costRow: Row = (environment, { api, checks }) => {
  const costs = [
    ...environment.regions.map((region) => auditCost(environment, region)),
    apiCost(api),
    tableCost(checks.table),
  ];
  const finished = Object.fromEntries(
    environment.regions.map((region) => [
      `finished_${idOf(region)}`,
      workerMetrics(environment, region).finished().with({ period: hour.period, region: regions[region] }),
    ]),
  );
  const all = costs.map(({ dollars }) => dollars).join(' + ');
  const runs = Object.keys(finished)
    .map((id) => `FILL(${id}, 0)`)
    .join(' + ');
  const perThousand: Cost = {
    label: 'all',
    dollars: `1000 * (${all}) / (${runs})`,
    metrics: Object.assign({}, finished, ...costs.map(({ metrics }) => metrics)),
  };
  return questionRow(
    'What does it cost?',
    [
      'Estimate from list prices of US West. It excludes storage, requests to S3 and SQS, logs and transfer, which cost little in comparison.',
    ],
    graph('Dollars per hour', costs.map(lineOf), { stacked: true }),
    graph('Dollars per 1,000 runs', [lineOf(perThousand)]),
  );
};

const auditCost = (environment: Environment, region: AuditRegion): Cost => {
  const worker = workerMetrics(environment, region);
  const id = idOf(region);
  const hourly = { ...hour, region: regions[region] };
  const { memoryMb, architecture } = functionRows['run-audit'];
  const perMs = ((memoryMb / 1024) * prices.lambdaGbSecond[architecture]) / 1000;
  return {
    label: `audits: ${region}`,
    dollars: `FILL(ms_${id}, 0) * ${decimal(perMs)} + FILL(calls_${id}, 0) * ${decimal(prices.lambdaRequest)}`,
    metrics: { [`ms_${id}`]: worker.milliseconds().with(hourly), [`calls_${id}`]: worker.invocations().with(hourly) },
  };
};

const apiCost = (api: Api): Cost => ({
  label: 'API',
  dollars: `FILL(requests, 0) * ${decimal(prices.httpApiRequest)}`,
  metrics: { requests: api.metricRequests().with(hour) },
});

const tableCost = (table: TableV2): Cost => {
  const places = [
    { id: 'table', use: hour },
    ...indexNames.map((name) => ({
      id: name,
      use: { ...hour, dimensionsMap: { TableName: table.tableName, GlobalSecondaryIndexName: name } },
    })),
  ];
  const sum = (kind: string) => `(${places.map(({ id }) => `FILL(${id}_${kind}, 0)`).join(' + ')})`;
  return {
    label: 'table',
    dollars: `${sum('writes')} * ${decimal(prices.dynamodbWrite)} + ${sum('reads')} * ${decimal(prices.dynamodbRead)}`,
    metrics: Object.fromEntries(
      places.flatMap(({ id, use }) => [
        [`${id}_reads`, table.metricConsumedReadCapacityUnits(use)],
        [`${id}_writes`, table.metricConsumedWriteCapacityUnits(use)],
      ]),
    ),
  };
};

const lineOf = ({ label, dollars, metrics }: Cost): MathExpression =>
  new MathExpression({ label, expression: dollars, usingMetrics: metrics, period: hour.period });

/** Returns a region for the id of a metric, which may not contain hyphens. */
const idOf = (region: AuditRegion): string => region.replaceAll('-', '_');

/** Formats a number without an exponent, which CloudWatch does not accept. */
const decimal = (value: number): string => value.toFixed(12);
