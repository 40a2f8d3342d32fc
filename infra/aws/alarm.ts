import { Annotations, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Environment } from '../environments.ts';

/** The sections of infra/RUNBOOK.md that alarms lead to. */
export const runbookSections = [
  'api-answers-5xx',
  'audits-fail-by-our-fault',
  'audits-die',
  'jobs-wait-too-long',
  'dead-letters',
  'dead-letters-stay',
  'throttled',
  'the-sweeper-is-silent',
  'runs-stay-open',
  'runs-are-abandoned',
] as const;
export type RunbookSection = (typeof runbookSections)[number];

type Props = {
  what: string; // what has happened, in one sentence
  impact: string; // what it means for those who use the service
  runbook: RunbookSection;
  metric: IMetric;
  threshold: number; // it fires at this value, and above it
  below?: true; // fires below it instead
  periods?: number; // how many in a row; 1 by default
  missing?: 'ok' | 'bad'; // what silence of the metric means
};

/** An alarm that says what is wrong, whom it hurts and where to read on, to the topic of its stack. */
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

/** Where the alarms of one stack go: an alarm reaches only a topic of its own region. */
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
        'No e-mail address is given, so that alarms reach nobody. Set ALARM_EMAIL, or -c alarmEmail=ops@example.com.',
      );
    }
  }

  static #id = 'AlarmTopic';

  /** The topic of the stack that a construct is in. */
  static of(scope: Construct): Topic {
    return (Stack.of(scope).node.findChild(AlarmTopic.#id) as AlarmTopic).topic;
  }
}
