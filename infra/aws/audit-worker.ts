import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { AuditEnv, ReadEnv } from '../../shared/env.ts';
import type { Region } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { deadLetterSettings, functionSettings, queueSettings } from '../settings.ts';
import { alarm } from './alarm.ts';
import { nodeFunction } from './node-function.ts';
import { ourMetric } from './our-metrics.ts';
import { reportBucketName } from './report-bucket.ts';
import { allowReports, tableRight } from './rights.ts';

/** One region's worker: the queue of audit jobs, the function that runs them, and where lost jobs go. */
export class AuditWorker extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly runAudit: LambdaFunction;

  constructor(scope: Construct, id: string, environment: Environment, region: Region) {
    super(scope, id);
    const { names, homeRegion } = environment;
    this.deadLetters = new Queue(this, 'DeadLetters', {
      queueName: names.deadLetters(region),
      visibilityTimeout: Duration.seconds(deadLetterSettings.visibilitySeconds),
      retentionPeriod: Duration.seconds(queueSettings.retentionSeconds),
      enforceSSL: true,
    });
    this.queue = new Queue(this, 'Queue', {
      queueName: names.auditQueue(region), // fixed, so that the home region can write its URL without asking this stack
      visibilityTimeout: Duration.seconds(queueSettings.visibilitySeconds),
      retentionPeriod: Duration.seconds(queueSettings.retentionSeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: queueSettings.maxReceiveCount },
      enforceSSL: true,
    });

    const table = { TABLE_NAME: names.table, HOME_REGION: homeRegion };
    this.runAudit = nodeFunction(this, 'run-audit', {
      environment,
      functionName: names.regionFunction('run-audit', region),
      schema: AuditEnv,
      variables: { ...table, REPORT_BUCKET: reportBucketName(this, environment), TARGETS: 'public' },
      timeoutSeconds: queueSettings.functionTimeoutSeconds,
      memoryMb: functionSettings.auditMemoryMb,
      storageMb: functionSettings.auditStorageMb,
      threadPool: functionSettings.auditThreads,
      rights: [tableRight(this, environment, ['GetItem', 'UpdateItem', 'Query'])],
    });
    allowReports(this.runAudit, environment, ['PutObject', 'DeleteObject']);
    this.queue.grantConsumeMessages(this.runAudit);
    this.runAudit.addEventSourceMapping('Jobs', {
      eventSourceArn: this.queue.queueArn,
      batchSize: 1, // an audit has its instance to itself
      maxConcurrency: environment.auditsAtOnce, // here, not on the function: a throttled delivery would count as received
      reportBatchItemFailures: true,
    });

    const closeLostRuns = nodeFunction(this, 'close-lost-runs', {
      environment,
      functionName: names.regionFunction('close-lost-runs', region),
      schema: ReadEnv,
      variables: table,
      timeoutSeconds: deadLetterSettings.functionTimeoutSeconds,
      memoryMb: functionSettings.apiMemoryMb,
      rights: [tableRight(this, environment, ['GetItem', 'UpdateItem', 'Query'])],
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
      what: 'A tenth or more of the runs of this region failed, and the service is to blame.',
      impact: 'Clients see failed runs for pages that are well.',
      runbook: 'audits-fail-by-our-fault',
      metric: metrics.serviceFailurePercent(),
      threshold: 10,
      periods: 2,
    });
    alarm(this, 'AuditsDie', {
      what: 'Half or more of the audits of this region ended with their function: it crashed, was killed or can not start.',
      impact: 'Their runs stay open, are tried again and fail as abandoned.',
      runbook: 'audits-die',
      metric: metrics.deadPercent(),
      threshold: 50,
    });
    alarm(this, 'JobsWait', {
      what: 'Audit jobs of this region have waited for fifteen minutes.',
      impact: 'Checks with this region are answered late.',
      runbook: 'jobs-wait-too-long',
      metric: metrics.waitingSeconds(),
      threshold: 900,
      periods: 3,
    });
    alarm(this, 'JobsLost', {
      what: 'An audit job of this region was delivered three times and never ended.',
      impact: 'Its run is tried again or fails as abandoned.',
      runbook: 'dead-letters',
      metric: metrics.deadLettersTaken(),
      threshold: 1,
    });
    alarm(this, 'DeadLettersStay', {
      what: 'Dead letters of this region are not taken by close-lost-runs.',
      impact: 'Their runs stay open until the sweeper gives them up.',
      runbook: 'dead-letters-stay',
      metric: metrics.deadLettersWaiting(),
      threshold: 1,
      periods: 3,
    });
    alarm(this, 'Throttled', {
      what: 'Lambda refused to start audits in this region: the account has no concurrency left.',
      impact: 'Checks with this region are answered late, and deliveries of jobs are used up.',
      runbook: 'throttled',
      metric: metrics.throttles(),
      threshold: 1,
      periods: 2,
    });
  }
}

type WorkerMetrics = ReturnType<typeof workerMetrics>;

/** What is known of one region's worker. By names alone: the dashboard of the home region asks for it too. */
export const workerMetrics = (environment: Environment, region: Region) => {
  const { names } = environment;
  const period = Duration.minutes(5);
  const ofQueue = (metricName: string, QueueName: string, statistic: string) =>
    new Metric({ namespace: 'AWS/SQS', metricName, dimensionsMap: { QueueName }, statistic, period });
  const ofFunction = (metricName: string, statistic: string) =>
    new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap: { FunctionName: names.regionFunction('run-audit', region) },
      statistic,
      period,
    });

  return {
    finished: () => ourMetric(environment, 'RunFinished', { region }),
    serviceFailures: () => ourMetric(environment, 'ServiceFailure', { region }),
    /** Of the runs that ended in a quarter of an hour, from five on: one failed run of two says nothing. */
    serviceFailurePercent: () =>
      new MathExpression({
        expression: 'IF(finished >= 5, 100 * FILL(failures, 0) / finished, 0)',
        usingMetrics: {
          finished: ourMetric(environment, 'RunFinished', { region }),
          failures: ourMetric(environment, 'ServiceFailure', { region }),
        },
        period: Duration.minutes(15),
        label: 'failed by our fault, %',
      }),
    runSeconds: (percentile: number) =>
      ourMetric(environment, 'RunSeconds', { region }, { statistic: Stats.percentile(percentile) }),
    benchmarkIndex: (percentile: number) =>
      ourMetric(environment, 'BenchmarkIndex', { region }, { statistic: Stats.percentile(percentile) }),
    samplesRetaken: () => ourMetric(environment, 'SampleRetaken', { region }),
    jobsUnreadable: () => ourMetric(environment, 'JobUnreadable', {}),

    waiting: () => ofQueue('ApproximateNumberOfMessagesVisible', names.auditQueue(region), 'Maximum'),
    atWork: () => ofQueue('ApproximateNumberOfMessagesNotVisible', names.auditQueue(region), 'Maximum'),
    sent: () => ofQueue('NumberOfMessagesSent', names.auditQueue(region), 'Sum'),
    oldestSeconds: () => ofQueue('ApproximateAgeOfOldestMessage', names.auditQueue(region), 'Maximum'),
    /** The age of the oldest job while any waits. One whose audit was lost is as old, but invisible: nobody waits for it. */
    waitingSeconds: () =>
      new MathExpression({
        expression: 'IF(waiting > 0, oldest, 0)',
        usingMetrics: {
          waiting: ofQueue('ApproximateNumberOfMessagesVisible', names.auditQueue(region), 'Minimum'),
          oldest: ofQueue('ApproximateAgeOfOldestMessage', names.auditQueue(region), 'Maximum'),
        },
        period,
        label: 'oldest waiting job, s',
      }),
    /** As close-lost-runs takes them: SQS does not count what it moves to a dead-letter queue itself. */
    deadLettersTaken: () => ofQueue('NumberOfMessagesReceived', names.deadLetters(region), 'Sum'),
    deadLettersWaiting: () => ofQueue('ApproximateNumberOfMessagesVisible', names.deadLetters(region), 'Minimum'),

    /** Of the invocations in a quarter of an hour. An audit that fails is none of these: its function answers. */
    deadPercent: () =>
      new MathExpression({
        expression: 'IF(invocations > 0, 100 * FILL(errors, 0) / invocations, 0)',
        usingMetrics: { errors: ofFunction('Errors', 'Sum'), invocations: ofFunction('Invocations', 'Sum') },
        period: Duration.minutes(15),
        label: 'audits that ended with their function, %',
      }),

    throttles: () => ofFunction('Throttles', 'Sum'),
    errors: () => ofFunction('Errors', 'Sum'),
    invocations: () => ofFunction('Invocations', 'Sum'),
    milliseconds: () => ofFunction('Duration', 'Sum'),
    concurrency: () => ofFunction('ConcurrentExecutions', 'Maximum'),
  };
};
