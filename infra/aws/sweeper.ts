import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Region } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { alarm } from './alarm.ts';
import { nodeFunction } from './node-function.ts';
import { ourMetric } from './our-metrics.ts';

/** Every minute the function resends, closes or deletes every item that is past its due time. */
export class Sweeper extends Construct {
  readonly sweep: LambdaFunction;
  readonly #environment: Environment;

  constructor(scope: Construct, id: string, environment: Environment) {
    super(scope, id);
    this.#environment = environment;
    const functionName = environment.names.homeFunction('sweep');
    this.sweep = nodeFunction(this, 'sweep', environment, { functionName });
    // Neither Lambda nor EventBridge retries a sweep, because the next one follows within a minute.
    const noRetries = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
    this.sweep.configureAsyncInvoke(noRetries);
    new Rule(this, 'EveryMinute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new FunctionTarget(this.sweep, noRetries)],
    });
    this.#alarms();
  }

  #alarms(): void {
    alarm(this, 'Silent', {
      what: 'No sweep has completed for five minutes.',
      impact: 'Nothing resends lost audits, and checks may stay open.',
      runbook: 'the-sweeper-is-silent',
      metric: this.metricDone(),
      threshold: 1,
      below: true,
      missing: 'bad',
    });
    alarm(this, 'OpenPastDue', {
      what: 'For fifteen minutes the sweeper has left due items undone.',
      impact: 'Runs or checks stay open longer than they should.',
      runbook: 'runs-stay-open',
      metric: this.metricPastDue(),
      threshold: 1,
      periods: 3,
    });
    alarm(this, 'RunsWait', {
      what: 'Runs of a region have waited for a quarter of an hour.',
      impact: 'Checks with this region finish late.',
      runbook: 'runs-wait-too-long',
      metric: this.metricLate(),
      threshold: 1,
    });
    alarm(this, 'JobsLost', {
      what: 'SQS delivered an audit job three times, and the function never completed it.',
      impact: 'Its run is retried or fails as abandoned.',
      runbook: 'dead-letters',
      metric: this.metricJobsLost(),
      threshold: 1,
    });
    alarm(this, 'AuditsDie', {
      what: 'In fifteen minutes at least ten audits ended without an answer.',
      impact: 'Their runs stay open until a retry succeeds or the sweeper abandons them.',
      runbook: 'audits-die',
      metric: this.metricAuditsLost().with({ period: Duration.minutes(15) }),
      threshold: 10,
    });
    alarm(this, 'RunsAbandoned', {
      what: 'The sweeper abandoned a run, because its audits were lost or it had no result after a day.',
      impact: 'Clients see failed runs for pages that may be valid.',
      runbook: 'runs-are-abandoned',
      metric: this.metricAbandoned(),
      threshold: 1,
    });
  }

  metricDone = () => ourMetric(this.#environment, 'OpenPastDue', {}, { statistic: Stats.SAMPLE_COUNT });
  metricJobsLost = () => ourMetric(this.#environment, 'JobsLost', {});
  metricAuditsLost = () => ourMetric(this.#environment, 'AuditsLost', {});
  metricLate = () => ourMetric(this.#environment, 'RegionsLate', {}, { statistic: Stats.MAXIMUM });
  metricResent = (region: Region) => ourMetric(this.#environment, 'RunsResent', { region });
  /**
   * The sweeper emits this metric in the home region. The alarms on ServiceFailure of other regions don't include it.
   */
  metricAbandoned = () => ourMetric(this.#environment, 'RunsAbandoned', {});
  /** Minimum of five minutes, because the next sweep may handle the items that one sweep left. */
  metricPastDue = () => ourMetric(this.#environment, 'OpenPastDue', {}, { statistic: 'Minimum' });
}
