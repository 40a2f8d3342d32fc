import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Region } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { deadLetterSettings, queueSettings } from '../settings.ts';
import { alarm } from './alarm.ts';
import { nodeFunction } from './node-function.ts';
import { updateRight } from './rights.ts';
import { updatedAttributes, updatedUsage } from './updated-attributes.ts';
import { type WorkerMetrics, workerMetrics } from './worker-metrics.ts';

/** One region's worker: the queue of audit jobs, the function that runs them, and the dead-letter queue. */
export class AuditWorker extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly runAudit: LambdaFunction;

  constructor(scope: Construct, id: string, environment: Environment, region: Region) {
    super(scope, id);
    const { names } = environment;
    this.deadLetters = new Queue(this, 'DeadLetters', {
      queueName: names.deadLetters(region),
      visibilityTimeout: Duration.seconds(deadLetterSettings.visibilitySeconds),
      retentionPeriod: Duration.seconds(queueSettings.retentionSeconds),
      enforceSSL: true,
    });
    this.queue = new Queue(this, 'Queue', {
      queueName: names.auditQueue(region), // fixed, so that the home region can build its URL without a lookup
      visibilityTimeout: Duration.seconds(queueSettings.visibilitySeconds),
      retentionPeriod: Duration.seconds(queueSettings.retentionSeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: queueSettings.maxReceiveCount },
      enforceSSL: true,
    });

    /** Rights to update some attributes of checks and runs, and to close a check. */
    const updateRights = (file: keyof typeof updatedAttributes) => [
      updateRight(this, environment, 'check', updatedAttributes[file]),
      updateRight(this, environment, 'owner', updatedUsage),
    ];
    this.runAudit = nodeFunction(this, 'run-audit', environment, {
      functionName: names.regionFunction('run-audit', region),
      rights: updateRights('run-audit'),
    });
    this.queue.grantConsumeMessages(this.runAudit);
    this.runAudit.addEventSourceMapping('Jobs', {
      eventSourceArn: this.queue.queueArn,
      batchSize: 1, // one audit at a time on an instance
      maxConcurrency: environment.auditsAtOnce, // not on the function, because a throttled delivery counts as received
      reportBatchItemFailures: true,
    });

    const closeLostRuns = nodeFunction(this, 'close-lost-runs', environment, {
      functionName: names.regionFunction('close-lost-runs', region),
      rights: updateRights('close-lost-runs'),
    });
    this.deadLetters.grantConsumeMessages(closeLostRuns);
    closeLostRuns.addEventSourceMapping('Lost', {
      eventSourceArn: this.deadLetters.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
    });

    this.#alarms(workerMetrics(environment, region));
  }

  #alarms(metrics: WorkerMetrics) {
    alarm(this, 'ServiceFailures', {
      what: 'At least a tenth of the runs of this region failed through a fault of the service.',
      impact: 'Clients see failed runs for valid pages.',
      runbook: 'audits-fail-by-our-fault',
      metric: metrics.serviceFailurePercent(),
      threshold: 10,
      periods: 2,
    });
    alarm(this, 'BrowsersCrash', {
      what: 'In fifteen minutes, three runs of this region failed because Chromium crashed or did not start.',
      impact: 'Clients see failed runs for valid pages.',
      runbook: 'browsers-crash',
      metric: metrics.browserCrashes(),
      threshold: 3,
    });
    alarm(this, 'AuditsAreSlow', {
      what: 'For fifteen minutes, a twentieth of the runs of this region took more than five minutes, including waiting.',
      impact: 'Checks with this region finish late.',
      runbook: 'audits-are-slow',
      metric: metrics.runSeconds(95),
      threshold: 300,
      periods: 3,
    });
    alarm(this, 'AuditsDie', {
      what: 'At least half of the audits of this region ended without an answer: the function crashed, was killed or did not start.',
      impact: 'Their runs stay open until a retry succeeds or the sweeper abandons them.',
      runbook: 'audits-die',
      metric: metrics.crashedPercent(),
      threshold: 50,
    });
    alarm(this, 'JobsWait', {
      what: 'Audit jobs of this region have waited for fifteen minutes.',
      impact: 'Checks with this region finish late.',
      runbook: 'jobs-wait-too-long',
      metric: metrics.waitingSeconds(),
      threshold: 900,
      periods: 3,
    });
    alarm(this, 'JobsLost', {
      what: 'SQS delivered an audit job of this region three times, and the function never completed it.',
      impact: 'Its run is retried or fails as abandoned.',
      runbook: 'dead-letters',
      metric: metrics.deadLettersReceived(),
      threshold: 1,
    });
    alarm(this, 'DeadLettersStay', {
      what: 'The function close-lost-runs of this region has left dead letters in their queue for fifteen minutes.',
      impact: 'Their runs stay open until the sweeper resends or abandons them.',
      runbook: 'dead-letters-stay',
      metric: metrics.deadLettersWaiting(),
      threshold: 1,
      periods: 3,
    });
    alarm(this, 'Throttled', {
      what: 'Lambda refused to start audits in this region, because the account has no concurrency left.',
      impact: 'Checks with this region finish late, and their jobs may become dead letters.',
      runbook: 'throttled',
      metric: metrics.throttles(),
      threshold: 1,
      periods: 2,
    });
  }
}
