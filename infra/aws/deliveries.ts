import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Environment } from '../environments.ts';
import { deliverySettings, queueSettings } from '../settings.ts';
import { alarm } from './alarm.ts';
import { nodeFunction } from './node-function.ts';
import { ourMetric } from './our-metrics.ts';
import { consumeRight } from './rights.ts';

/** The queue of deliveries to webhooks, the function that sends them, and the dead-letter queue. */
export class Deliveries extends Construct {
  readonly #environment: Environment;

  constructor(scope: Construct, id: string, environment: Environment) {
    super(scope, id);
    this.#environment = environment;
    const { names } = environment;
    // Nobody consumes it, because the sweeper sends the message of each unfinished delivery again.
    const deadLetters = new Queue(this, 'DeadLetters', {
      queueName: names.lostDeliveries,
      retentionPeriod: Duration.seconds(queueSettings.retentionSeconds),
      enforceSSL: true,
    });
    const queue = new Queue(this, 'Queue', {
      queueName: names.deliveryQueue, // fixed, so that the workers of all regions can build its URL without a lookup
      visibilityTimeout: Duration.seconds(deliverySettings.visibilitySeconds),
      retentionPeriod: Duration.seconds(queueSettings.retentionSeconds),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: queueSettings.maxReceiveCount },
      enforceSSL: true,
    });
    const deliver = nodeFunction(this, 'deliver-webhook', environment, {
      functionName: names.homeFunction('deliver-webhook'),
      rights: [consumeRight(queue)],
    });
    deliver.addEventSourceMapping('Deliveries', {
      eventSourceArn: queue.queueArn,
      batchSize: 1, // a receiver that hangs delays no other delivery
      maxConcurrency: deliverySettings.atOnce,
      reportBatchItemFailures: true,
    });
    this.#alarms();
  }

  #alarms(): void {
    alarm(this, 'DeliveriesFail', {
      what: 'For an hour, at least nine of ten tries to deliver to webhooks have failed.',
      impact: 'Receivers learn late that a check is finished, or never.',
      runbook: 'deliveries-fail',
      metric: ourMetric(
        this.#environment,
        'DeliveryFailure',
        {},
        { statistic: Stats.AVERAGE, period: Duration.minutes(15) },
      ),
      threshold: 0.9,
      periods: 4,
    });
    alarm(this, 'DeliveriesWait', {
      what: 'Messages about deliveries have waited for five minutes.',
      impact: 'Receivers learn late that a check is finished.',
      runbook: 'deliveries-wait',
      metric: this.metricAge(),
      threshold: 300,
      periods: 3,
    });
    alarm(this, 'DeliveriesLost', {
      what: 'SQS delivered a message about a delivery three times, and the function never completed it.',
      impact: 'Its webhook gets the delivery late, or not before the fault is corrected.',
      runbook: 'deliveries-are-lost',
      metric: this.metricLost(),
      threshold: 1,
    });
  }

  metricTries = () => ourMetric(this.#environment, 'DeliveryFailure', {}, { statistic: Stats.SAMPLE_COUNT });
  metricFailures = () => ourMetric(this.#environment, 'DeliveryFailure', {});
  metricAge = () => this.#ofQueue('ApproximateAgeOfOldestMessage', this.#environment.names.deliveryQueue);
  metricLost = () => this.#ofQueue('ApproximateNumberOfMessagesVisible', this.#environment.names.lostDeliveries);

  #ofQueue(metricName: string, QueueName: string): Metric {
    const period = Duration.minutes(5);
    return new Metric({ namespace: 'AWS/SQS', metricName, dimensionsMap: { QueueName }, statistic: 'Maximum', period });
  }
}
