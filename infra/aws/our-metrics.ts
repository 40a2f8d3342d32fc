import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { type DimensionsOf, type MetricName, metricNamespace, metrics } from '../../shared/metrics.ts';
import type { Environment } from '../environments.ts';

/** A metric that our functions emit, with exactly the dimensions that they emit it with. */
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

/** Every line of one of our metrics in an AWS region, whatever its dimensions' values. For graphs: an alarm can't search. */
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
