import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import type { Environment } from '../environments.ts';
import { alarm } from './alarm.ts';
import type { Api } from './api.ts';
import { nodeFunction } from './node-function.ts';
import { canaryKeyRight } from './rights.ts';

/**
 * Audits the sample page through the public API every `canaryMinutes` of the environment, in one region after the other. Without
 * an interval, only an operator invokes it.
 */
export class Canary extends Construct {
  readonly #environment: Environment;

  constructor(scope: Construct, id: string, environment: Environment, api: Api) {
    super(scope, id);
    this.#environment = environment;
    const canary = nodeFunction(this, 'canary', environment, {
      functionName: environment.names.homeFunction('canary'),
      rights: [canaryKeyRight(this, environment)],
      variables: { API_URL: api.url },
    });
    const noRetries = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
    canary.configureAsyncInvoke(noRetries);
    const { canaryMinutes } = environment;
    if (!canaryMinutes) return;
    new Rule(this, 'Schedule', {
      schedule: Schedule.rate(Duration.minutes(canaryMinutes)),
      targets: [new FunctionTarget(canary, noRetries)],
    });
    this.#alarms(canaryMinutes);
  }

  #alarms(minutes: number): void {
    alarm(this, 'CanaryFails', {
      what: 'Two audits of our own page in turn failed in a region or had a value outside its band.',
      impact: 'Checks of clients probably fail or have wrong scores too.',
      runbook: 'the-canary-fails',
      metric: this.metricFailures(),
      threshold: 1,
    });
    alarm(this, 'CanaryIsSilent', {
      what: `The canary has not run for ${3 * minutes} minutes.`,
      impact: 'Nobody knows whether the service audits pages.',
      runbook: 'the-canary-is-silent',
      metric: this.metricVisits().with({ period: Duration.minutes(minutes) }),
      threshold: 1,
      below: true,
      periods: 3,
      missing: 'bad',
    });
  }

  metricVisits = () => this.#ofFunction('Invocations');
  /** Visits of a region that failed, and visits that never ended. Metrics of Lambda cost nothing. */
  metricFailures = () => this.#ofFunction('Errors');

  #ofFunction(metricName: string): Metric {
    const dimensionsMap = { FunctionName: this.#environment.names.homeFunction('canary') };
    return new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap,
      statistic: 'Sum',
      period: Duration.minutes(5),
    });
  }
}
