import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { type DimensionsOf, type MetricName, metricNamespace, metrics } from '../../shared/service/metrics.ts';
import { countValue } from './counts.ts';
import { logReplacer } from './redact.ts';

/** Structured log: one JSON line per event, with ids as fields. Redacts all secrets (redact.ts). */
export const log = new Logger({ jsonReplacerFn: logReplacer });

const emitter = new Metrics({ namespace: metricNamespace });
const units = {
  Count: MetricUnit.Count,
  Seconds: MetricUnit.Seconds,
  Percent: MetricUnit.Percent,
};

/** Returns the ids that every log line about a run has. */
export const idsOf = ({ correlationId, checkId, id: runId, region, owner, auditVersion }: RunIds) => ({
  correlationId,
  checkId,
  runId,
  region,
  owner,
  auditVersion,
});

type RunIds = Record<'correlationId' | 'checkId' | 'id' | 'region' | 'owner' | 'auditVersion', string>;

/** Emits one value of a metric, with exactly the dimensions that it is declared with. */
export const emit = <Name extends MetricName>(name: Name, value: number, dimensions: DimensionsOf<Name>): void => {
  countValue(name, value, dimensions);
  const single = emitter.singleMetric();
  single.addDimensions(dimensions);
  single.addMetric(name, units[metrics[name].unit], value);
};
