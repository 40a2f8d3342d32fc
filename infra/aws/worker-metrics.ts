import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Region } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { ourMetric } from './our-metrics.ts';

export type WorkerMetrics = ReturnType<typeof workerMetrics>;

/** Returns the metrics of a region's worker. It needs names only, so the home region's dashboard can use it. */
export const workerMetrics = (environment: Environment, region: Region) => ({
  ...runMetrics(environment, region),
  ...queueMetrics(environment, region),
  ...functionMetrics(environment, region),
});

const period = Duration.minutes(5);
const quarter = Duration.minutes(15);

const runMetrics = (environment: Environment, region: Region) => ({
  finished: () => ourMetric(environment, 'ServiceFailure', { region }, { statistic: Stats.SAMPLE_COUNT }),
  serviceFailures: () => ourMetric(environment, 'ServiceFailure', { region }),
  /** Share (0 to 1) of the runs that ended in fifteen minutes. One metric, because alarms are billed by metric. */
  serviceFailureShare: () =>
    ourMetric(environment, 'ServiceFailure', { region }, { statistic: Stats.AVERAGE, period: quarter }),
  runSeconds: (percentile: number) =>
    ourMetric(environment, 'RunSeconds', { region }, { statistic: Stats.percentile(percentile) }),
  runAuditSeconds: (percentile: number) =>
    ourMetric(environment, 'AuditSeconds', { region }, { statistic: Stats.percentile(percentile) }),
  stolenCpuPercent: (percentile: number) =>
    ourMetric(environment, 'StolenCpuPercent', { region }, { statistic: Stats.percentile(percentile) }),
  contendedPercent: () =>
    ourMetric(environment, 'ContendedPercent', { region }, { statistic: Stats.AVERAGE, period: quarter }),
});

const queueMetrics = ({ names }: Environment, region: Region) => {
  const ofQueue = (metricName: string, QueueName: string, statistic: string) =>
    new Metric({ namespace: 'AWS/SQS', metricName, dimensionsMap: { QueueName }, statistic, period });
  return {
    waiting: () => ofQueue('ApproximateNumberOfMessagesVisible', names.auditQueue(region), 'Maximum'),
    inFlight: () => ofQueue('ApproximateNumberOfMessagesNotVisible', names.auditQueue(region), 'Maximum'),
    oldestSeconds: () => ofQueue('ApproximateAgeOfOldestMessage', names.auditQueue(region), 'Maximum'),
  };
};

const functionMetrics = ({ names }: Environment, region: Region) => {
  const ofFunction = (metricName: string, statistic: string) =>
    new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap: { FunctionName: names.regionFunction('run-audit', region) },
      statistic,
      period,
    });
  return {
    throttles: () => ofFunction('Throttles', 'Sum'),
    errors: () => ofFunction('Errors', 'Sum'),
    invocations: () => ofFunction('Invocations', 'Sum'),
    milliseconds: () => ofFunction('Duration', 'Sum'),
  };
};
