import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { SweepEnv } from '../../shared/env.ts';
import type { Region } from '../../shared/regions.ts';
import type { Environment } from '../environments.ts';
import { functionSettings } from '../settings.ts';
import { alarm } from './alarm.ts';
import { auditQueueUrls } from './audit-queues.ts';
import { nodeFunction } from './node-function.ts';
import { ourMetric } from './our-metrics.ts';
import { reportBucketName } from './report-bucket.ts';
import { allowErasingReports, openIndexRight, sendRights, tableRight } from './rights.ts';

/** Every minute: whatever is past its due time is dispatched again, closed or cleared away. */
export class Sweeper extends Construct {
  readonly sweep: LambdaFunction;
  readonly #environment: Environment;

  constructor(scope: Construct, id: string, environment: Environment) {
    super(scope, id);
    this.#environment = environment;
    const { names, homeRegion, regions } = environment;
    this.sweep = nodeFunction(this, 'sweep', {
      environment,
      functionName: names.homeFunction('sweep'),
      schema: SweepEnv,
      variables: {
        TABLE_NAME: names.table,
        HOME_REGION: homeRegion,
        AUDIT_QUEUES: auditQueueUrls(this, environment),
        REPORT_BUCKET: reportBucketName(this, environment),
      },
      timeoutSeconds: functionSettings.sweepTimeoutSeconds,
      memoryMb: functionSettings.apiMemoryMb,
      rights: [
        openIndexRight(this, environment),
        tableRight(this, environment, ['Query', 'UpdateItem', 'DeleteItem']),
        ...sendRights(this, environment),
      ],
    });
    allowErasingReports(this.sweep, environment);
    new Rule(this, 'EveryMinute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new FunctionTarget(this.sweep, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })], // the next comes soon
    });

    alarm(this, 'Silent', {
      what: 'The sweeper has not come to its end for five minutes.',
      impact: 'Lost audits are not taken up, and checks may stay open.',
      runbook: 'the-sweeper-is-silent',
      metric: this.metricDone(),
      threshold: 1,
      below: true,
      missing: 'bad',
    });
    for (const partition of [...regions, 'checks'] as const) {
      alarm(this, `OpenPastDue-${partition}`, {
        what: `For fifteen minutes the sweeper could not act on all that was due in ${partition}.`,
        impact: 'Runs or checks stay open longer than they should.',
        runbook: 'runs-stay-open',
        metric: this.metricPastDue(partition),
        threshold: 1,
        periods: 3,
      });
    }
    for (const region of regions) {
      alarm(this, `RunsAbandoned-${region}`, {
        what: `The sweeper gave up a run of ${region}: its audits were lost, or it had no answer in a day.`,
        impact: 'Clients see failed runs for pages that may be well.',
        runbook: 'runs-are-abandoned',
        metric: this.metricAbandoned(region),
        threshold: 1,
      });
    }
  }

  metricDone = () => ourMetric(this.#environment, 'SweepDone', {});
  metricResent = (region: Region) => ourMetric(this.#environment, 'RunsResent', { region });
  /** What the alarm on ServiceFailure of a region can't see: it reads the audit's AWS region, a sweep counts in its own. */
  metricAbandoned = (region: Region) => ourMetric(this.#environment, 'RunsAbandoned', { region });
  /** The least of five minutes: what one sweep leaves, the next may do. */
  metricPastDue = (partition: Region | 'checks') =>
    ourMetric(this.#environment, 'OpenPastDue', { region: partition }, { statistic: 'Minimum' });
}
