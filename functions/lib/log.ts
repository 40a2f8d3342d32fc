import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { metricNames } from '../../shared/metrics.ts';

/** Structured log: one JSON line an event, ids as fields. No secret, header or body of a page goes in here. */
export const log = new Logger({ serviceName: 'page-audit' });

const metrics = new Metrics({ namespace: 'PageAudit', serviceName: 'page-audit' });

/** Counts one event, with the dimensions that the dashboard groups it by. */
export const count = (
  name: (typeof metricNames)[keyof typeof metricNames],
  dimensions: Record<string, string> = {},
) => {
  const single = metrics.singleMetric();
  single.addDimensions(dimensions);
  single.addMetric(name, MetricUnit.Count, 1);
};
