import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { type DimensionsOf, type MetricName, metricNamespace, metrics } from '../../shared/service/metrics.ts';
import type { Environment } from '../environments.ts';

/** Returns a metric that our functions emit. CloudWatch finds it only by exactly its dimensions. */
export const ourMetric = <Name extends MetricName>(
  { names }: Environment,
  metricName: Name,
  dimensions: DimensionsOf<Name>,
  options: MetricOptions = {},
): Metric =>
  new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { service: names.service, ...dimensions },
    statistic: 'Sum',
    period: Duration.minutes(5),
    ...options,
  });

/**
 * Searches all values of the dimensions of a metric in an AWS region. For graphs only, because an alarm can't search.
 */
export const ourMetrics = <Name extends MetricName>(
  { names }: Environment,
  metricName: Name,
  { awsRegion, label, where = '' }: { awsRegion: string; label: string; where?: string },
): MathExpression => {
  const schema = [metricNamespace, 'service', ...metrics[metricName].dimensions].join(',');
  return new MathExpression({
    expression: `SEARCH('{${schema}} MetricName="${metricName}" service="${names.service}"${where && ` ${where}`}', 'Sum', 300)`,
    searchRegion: awsRegion,
    label,
    period: Duration.minutes(5),
  });
};
