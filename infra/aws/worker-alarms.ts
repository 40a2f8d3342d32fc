import type { Construct } from 'constructs';
import type { Region } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { alarm } from './alarm.ts';
import { workerMetrics } from './worker-metrics.ts';

/**
 * Creates the alarms of one region's worker, on the results of its runs. Alarms are billed by region and metric, so the alarms
 * on late, lost and dead jobs are those of the sweeper, which sees all regions.
 */
export const workerAlarms = (scope: Construct, environment: Environment, region: Region): void => {
  const metrics = workerMetrics(environment, region);
  alarm(scope, 'ServiceFailures', {
    what: 'At least a tenth of the runs of this region failed through a fault of the service.',
    impact: 'Clients see failed runs for valid pages.',
    runbook: 'audits-fail-by-our-fault',
    metric: metrics.serviceFailureShare(),
    threshold: 0.1,
    periods: 2,
  });
  alarm(scope, 'AuditsAreContended', {
    what: 'For 45 minutes, the load of the machine may have changed the times of at least a fifth of the runs of this region.',
    impact: 'Performance scores of this region are lower than they should be, and comparisons refuse these runs.',
    runbook: 'audits-are-contended',
    metric: metrics.contendedPercent(),
    threshold: 20,
    periods: 3,
  });
};
