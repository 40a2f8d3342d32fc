import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Region } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { deadLetterSettings, queueSettings } from '../settings.ts';
import { nodeFunction } from './node-function.ts';
import { auditRights, consumeRight } from './rights.ts';
import { workerAlarms } from './worker-alarms.ts';
import { Workers } from './workers.ts';

/** One region's worker: the queue of audit jobs, the function that runs them, and the dead-letter queue. */
export class AuditWorker extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly runAudit: LambdaFunction;

  constructor(scope: Construct, id: string, environment: Environment, region: Region) {
    super(scope, id);
    const { names } = environment;
    // The sweeper receives from it, because a poller of each region would cost more than all its dead letters.
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

    this.runAudit = nodeFunction(this, 'run-audit', environment, {
      functionName: names.regionFunction('run-audit', region),
      rights: [consumeRight(this.queue), ...auditRights(this, environment)],
    });
    this.runAudit.addEventSourceMapping('Jobs', {
      eventSourceArn: this.queue.queueArn,
      batchSize: 1, // one audit at a time on an instance
      maxConcurrency: environment.auditsAtOnce, // not on the function, because a throttled delivery counts as received
      reportBatchItemFailures: true,
    });

    const { workers } = environment;
    if (workers) new Workers(this, 'Workers', { environment, region, queue: this.queue, workers });
    workerAlarms(this, environment, region);
  }
}
