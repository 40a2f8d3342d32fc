import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { regions } from '../../shared/regions.ts';
import { prices } from '../prices.ts';
import { functionSettings, tableSettings } from '../settings.ts';
import { type Ask, graph, row } from './dashboard-rows.ts';
import { workerMetrics } from './worker-metrics.ts';

export const costing: Ask = (environment, { api, table }) => {
  const hour = { period: Duration.hours(1), statistic: 'Sum' };
  const { auditMemoryMb } = functionSettings;
  const audits = environment.regions.map((region) => {
    const worker = workerMetrics(environment, region);
    const id = region.replaceAll('-', '_');
    const there = { ...hour, region: regions[region] };
    return {
      region,
      finished: { [`finished_${id}`]: worker.finished().with(there) },
      using: { [`ms_${id}`]: worker.milliseconds().with(there), [`calls_${id}`]: worker.invocations().with(there) },
      dollars: `FILL(ms_${id}, 0) * ${plain(((auditMemoryMb / 1024) * prices.lambdaGbSecond) / 1000)} + FILL(calls_${id}, 0) * ${plain(prices.lambdaRequest)}`,
    };
  });
  const index = { TableName: table.tableName, GlobalSecondaryIndexName: tableSettings.index.name };
  const home = {
    requests: api.metricRequests().with(hour),
    reads: table.metricConsumedReadCapacityUnits(hour),
    writes: table.metricConsumedWriteCapacityUnits(hour),
    index_writes: table.metricConsumedWriteCapacityUnits({ ...hour, dimensionsMap: index }),
    index_reads: table.metricConsumedReadCapacityUnits({ ...hour, dimensionsMap: index }),
  };
  const apiDollars = `FILL(requests, 0) * ${plain(prices.httpApiRequest)}`;
  const tableDollars = `(FILL(writes, 0) + FILL(index_writes, 0)) * ${plain(prices.dynamodbWrite)} + (FILL(reads, 0) + FILL(index_reads, 0)) * ${plain(prices.dynamodbRead)}`;
  const all = [...audits.map(({ dollars }) => dollars), apiDollars, tableDollars].join(' + ');
  const ended = audits.flatMap(({ finished }) => Object.keys(finished).map((id) => `FILL(${id}, 0)`)).join(' + ');
  const dollars = (label: string, expression: string, usingMetrics: Record<string, IMetric>) =>
    new MathExpression({ label, expression, usingMetrics, period: hour.period });

  const { reads, writes, index_reads, index_writes, requests } = home;
  return row(
    'What does it cost?',
    [
      'Estimated from list prices of US West; without storage, requests to S3 and SQS, logs and transfer, which are small beside it.',
    ],
    graph(
      'Dollars an hour',
      [
        ...audits.map(({ region, dollars: sum, using }) => dollars(`audits: ${region}`, sum, using)),
        dollars('API', apiDollars, { requests }),
        dollars('table', tableDollars, { reads, writes, index_reads, index_writes }),
      ],
      { stacked: true },
    ),
    graph('Dollars for 1,000 runs', [
      dollars('all', `1000 * (${all}) / (${ended})`, {
        ...home,
        ...Object.assign({}, ...audits.flatMap(({ using, finished }) => [using, finished])),
      }),
    ]),
  );
};

/** A number as CloudWatch reads it: without an exponent. */
const plain = (value: number) => value.toFixed(12);
