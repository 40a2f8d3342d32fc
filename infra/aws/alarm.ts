import { Annotations, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Environment } from '../environments.ts';

/** Sections of infra/RUNBOOK.md that alarms name. */
export const runbookSections = [
  'api-answers-5xx',
  'the-api-is-slow',
  'creates-are-refused',
  'the-table-throttles',
  'audits-fail-by-our-fault',
  'audits-are-contended',
  'audits-die',
  'runs-wait-too-long',
  'dead-letters',
  'throttled',
  'the-canary-fails',
  'the-canary-is-silent',
  'the-sweeper-is-silent',
  'runs-stay-open',
  'runs-are-abandoned',
  'deliveries-fail',
  'deliveries-wait',
  'deliveries-are-lost',
] as const;
export type RunbookSection = (typeof runbookSections)[number];

type Props = {
  what: string; // what happened, in one sentence
  impact: string; // effect on the users of the service, in one sentence
  runbook: RunbookSection;
  metric: IMetric;
  threshold: number; // the alarm fires at this value and above
  below?: true; // the alarm fires below the threshold instead
  periods?: number; // consecutive periods; 1 by default
  missing?: 'ok' | 'bad'; // meaning of a period without data; 'ok' by default
};

/**
 * Creates an alarm that reports to the topic of its stack: what happened, its impact, and the section of the runbook.
 */
export const alarm = (scope: Construct, id: string, props: Props): Alarm => {
  const { what, impact, runbook, metric, threshold, below, periods = 1, missing = 'ok' } = props;
  const topic = AlarmTopic.of(scope);
  const cloudWatchAlarm = new Alarm(scope, id, {
    alarmName: `${Stack.of(scope).stackName}-${id}`,
    alarmDescription: `${what} ${impact} What to do: infra/RUNBOOK.md#${runbook}`,
    metric,
    threshold,
    comparisonOperator: below
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: periods,
    treatMissingData: missing === 'ok' ? TreatMissingData.NOT_BREACHING : TreatMissingData.BREACHING,
  });
  cloudWatchAlarm.addAlarmAction(new SnsAction(topic));
  cloudWatchAlarm.addOkAction(new SnsAction(topic));
  return cloudWatchAlarm;
};

/** The topic for the alarms of one stack. An alarm can reach only a topic in its own region. */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Stack, { alarmEmail, names }: Environment) {
    super(scope, AlarmTopic.#id);
    this.topic = new Topic(this, 'Topic', { topicName: `${scope.stackName}-alarms`, enforceSSL: true });
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': scope.account } },
      }),
    );
    if (alarmEmail) this.topic.addSubscription(new EmailSubscription(alarmEmail));
    else if (scope.stackName === names.homeStack) {
      Annotations.of(this).addWarningV2(
        'page-audit:alarms-reach-nobody',
        'Alarms reach nobody, because there is no e-mail address. Set ALARM_EMAIL or -c alarmEmail=ops@example.com.',
      );
    }
  }

  static #id = 'AlarmTopic';

  /** Returns the topic of the stack that contains a construct. */
  static of(scope: Construct): Topic {
    return (Stack.of(scope).node.findChild(AlarmTopic.#id) as AlarmTopic).topic;
  }
}
