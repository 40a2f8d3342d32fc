import type { Construct } from 'constructs';
import type { Region } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { alarm } from './alarm.ts';
import { type WorkerMetrics, workerMetrics } from './worker-metrics.ts';

/** Creates the alarms of one region's worker: on the results of its runs, its hosts, its functions and its queues. */
export const workerAlarms = (scope: Construct, environment: Environment, region: Region): void => {
  const metrics = workerMetrics(environment, region);
  runAlarms(scope, metrics, environment);
  hostAlarms(scope, metrics);
  functionAlarms(scope, metrics);
  queueAlarms(scope, metrics);
};

const runAlarms = (scope: Construct, metrics: WorkerMetrics, { canaryMinutes }: Environment): void => {
  alarm(scope, 'ServiceFailures', {
    what: 'At least a tenth of the runs of this region failed through a fault of the service.',
    impact: 'Clients see failed runs for valid pages.',
    runbook: 'audits-fail-by-our-fault',
    metric: metrics.serviceFailureShare(),
    threshold: 0.1,
    periods: 2,
  });
  alarm(scope, 'BrowsersCrash', {
    what: 'In fifteen minutes, three runs of this region failed because Chromium crashed or did not start.',
    impact: 'Clients see failed runs for valid pages.',
    runbook: 'browsers-crash',
    metric: metrics.browserCrashes(),
    threshold: 3,
  });
  alarm(scope, 'AuditsAreSlow', {
    what: 'For fifteen minutes, a twentieth of the runs of this region took more than five minutes, including waiting.',
    impact: 'Checks with this region finish late.',
    runbook: 'audits-are-slow',
    metric: metrics.runSeconds(95),
    threshold: 300,
    periods: 3,
  });
  if (!canaryMinutes) return; // without the canary, a region may have no runs
  alarm(scope, 'NoSuccess', {
    what: `No run of this region has succeeded for ${3 * canaryMinutes} minutes.`,
    impact: 'Probably each check with this region fails or stays open.',
    runbook: 'no-run-succeeds',
    metric: metrics.successes(canaryMinutes),
    threshold: 1,
    below: true,
    periods: 3,
    missing: 'bad',
  });
};

const hostAlarms = (scope: Construct, metrics: WorkerMetrics): void => {
  alarm(scope, 'AuditsAreContended', {
    what: 'For 45 minutes, the load of the machine may have changed the times of at least a fifth of the runs of this region.',
    impact: 'Performance scores of this region are lower than they should be, and comparisons refuse these runs.',
    runbook: 'audits-are-contended',
    metric: metrics.contendedPercent(),
    threshold: 20,
    periods: 3,
  });
  alarm(scope, 'CpuIsStolen', {
    what: 'For 45 minutes, the hypervisor has taken at least 15 % of the CPU time of the audits of this region.',
    impact: 'Performance scores of this region are lower than they should be.',
    runbook: 'cpu-is-stolen',
    metric: metrics.stolenCpuMean(),
    threshold: 15,
    periods: 3,
  });
};

const functionAlarms = (scope: Construct, metrics: WorkerMetrics): void => {
  alarm(scope, 'AuditsDie', {
    what: 'At least half of the audits of this region ended without an answer: the function crashed, was killed or did not start.',
    impact: 'Their runs stay open until a retry succeeds or the sweeper abandons them.',
    runbook: 'audits-die',
    metric: metrics.crashedPercent(),
    threshold: 50,
  });
  alarm(scope, 'CloseLostRunsFails', {
    what: 'The function close-lost-runs of this region crashed, was killed or did not start.',
    impact: 'Dead letters wait, and their runs stay open longer.',
    runbook: 'close-lost-runs-fails',
    metric: metrics.closeLostRunsErrors(),
    threshold: 1,
  });
  alarm(scope, 'Throttled', {
    what: 'Lambda refused to start audits in this region, because the account has no concurrency left.',
    impact: 'Checks with this region finish late, and their jobs may become dead letters.',
    runbook: 'throttled',
    metric: metrics.throttles(),
    threshold: 1,
    periods: 2,
  });
};

const queueAlarms = (scope: Construct, metrics: WorkerMetrics): void => {
  alarm(scope, 'JobsWait', {
    what: 'Audit jobs of this region have waited for fifteen minutes.',
    impact: 'Checks with this region finish late.',
    runbook: 'jobs-wait-too-long',
    metric: metrics.waitingSeconds(),
    threshold: 900,
    periods: 3,
  });
  alarm(scope, 'JobsUnreadable', {
    what: 'A function of this region has dropped a message that is no valid job.',
    impact: 'If a release sends such messages, its runs wait until the sweeper abandons them.',
    runbook: 'jobs-are-unreadable',
    metric: metrics.jobsUnreadable(),
    threshold: 1,
  });
  alarm(scope, 'JobsLost', {
    what: 'SQS delivered an audit job of this region three times, and the function never completed it.',
    impact: 'Its run is retried or fails as abandoned.',
    runbook: 'dead-letters',
    metric: metrics.deadLettersReceived(),
    threshold: 1,
  });
  alarm(scope, 'DeadLettersStay', {
    what: 'The function close-lost-runs of this region has left dead letters in their queue for fifteen minutes.',
    impact: 'Their runs stay open until the sweeper resends or abandons them.',
    runbook: 'dead-letters-stay',
    metric: metrics.deadLettersWaiting(),
    threshold: 1,
    periods: 3,
  });
};
