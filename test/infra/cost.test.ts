import { Duration, type Stack } from 'aws-cdk-lib';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { describe, expect, test } from 'vitest';
import { environmentOf, environments } from '../../infra/environments.ts';
import { alarmMetrics, alarmMetricsOf, idleMonth, month, sum } from '../../infra/operator/cost-model.ts';
import { type Properties, resourcesOf, synthesized, templateOf } from './support.ts';

/** Returns the number of metrics that the alarms of a stack read. */
const metricsOfAlarms = (stack: Stack): number =>
  resourcesOf(stack, 'AWS::CloudWatch::Alarm')
    .map(({ Metrics }) => (Metrics ? Metrics.filter((each: Properties) => each.MetricStat).length : 1))
    .reduce((total, each) => total + each, 0);

describe.each(Object.keys(environments))('%s', (name) => {
  const { home, region, all, environment } = synthesized(name);

  test('the cost counts the metrics of the alarms in the templates', () => {
    expect({ home: metricsOfAlarms(home), region: metricsOfAlarms(region) }).toEqual(alarmMetrics(environment));
    expect(all.map(metricsOfAlarms).reduce((total, each) => total + each)).toBe(alarmMetricsOf(environment));
  });

  test('the cost counts the queues that Lambda polls, and the dashboard', () => {
    const queues = all.flatMap((stack) => resourcesOf(stack, 'AWS::Lambda::EventSourceMapping'));
    expect(queues).toHaveLength(environment.regions.length + 1);
    const idle = idleMonth(environment);
    expect(idle['Polls of the queues']).toBeCloseTo(queues.length * 15 * 60 * 24 * 30 * 0.4e-6);
    expect(idle.Dashboard).toBe(3 * resourcesOf(home, 'AWS::CloudWatch::Dashboard').length);
  });

  test('the cost counts the schedules, and each visit of the canary as a run of a user', () => {
    const { canaryMinutes } = environment;
    const rates = [1, ...(canaryMinutes ? [canaryMinutes] : [])].map(
      (minutes) => Schedule.rate(Duration.minutes(minutes)).expressionString,
    );
    const rules = resourcesOf(home, 'AWS::Events::Rule').map(({ ScheduleExpression }) => ScheduleExpression);
    expect(rules).toEqual(rates);
    const { Canary = 0 } = idleMonth(environment);
    const visits = canaryMinutes ? (30 * 24 * 60) / canaryMinutes : 0;
    expect(Canary).toBeGreaterThanOrEqual(visits * 0.0005);
    expect(Canary).toBeLessThanOrEqual(visits * 0.0011);
  });

  test('each resource of the templates has a price in the model, or costs nothing without use', () => {
    const types = all.flatMap((stack) => Object.values(templateOf(stack).toJSON().Resources as { Type: string }[]));
    expect(types.map(({ Type }) => Type).filter((type) => ![...priced, ...free].includes(type))).toEqual([]);
  });
});

/** Resources that the parts of an idle month price. */
const priced = [
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::Events::Rule',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
];
/** Resources that AWS bills by use only, or not at all. An environment without users stores nothing. */
const free = [
  ...['AWS::ApiGatewayV2::Api', 'AWS::ApiGatewayV2::Integration', 'AWS::ApiGatewayV2::Route'],
  ...['AWS::ApiGatewayV2::Stage', 'AWS::Budgets::Budget', 'AWS::CodeDeploy::Application'],
  ...['AWS::CodeDeploy::DeploymentGroup', 'AWS::DynamoDB::GlobalTable', 'AWS::IAM::Role', 'AWS::Lambda::Alias'],
  ...['AWS::Lambda::EventInvokeConfig', 'AWS::Lambda::Permission', 'AWS::Lambda::Version', 'AWS::Logs::LogGroup'],
  ...['AWS::Logs::MetricFilter', 'AWS::S3::Bucket', 'AWS::S3::BucketPolicy', 'AWS::SNS::Subscription'],
  ...['AWS::SNS::Topic', 'AWS::SNS::TopicPolicy', 'AWS::SQS::Queue', 'AWS::SQS::QueuePolicy'],
];

test.each([
  ['dev', 5],
  ['staging', 9],
  ['prod', 12],
] as const)('an idle %s costs at most %d dollars a month', (name, dollars) => {
  expect(sum(idleMonth(synthesized(name).environment))).toBeLessThanOrEqual(dollars);
});

test('a thousand runs cost less, the more runs there are', () => {
  const { environment } = synthesized('prod');
  const [few = 0, some = 0, many = 0] = [1e3, 1e5, 1e7].map((runs) => (sum(month(environment, runs)) / runs) * 1000);
  expect(few).toBeGreaterThan(10 * some);
  expect(some).toBeGreaterThan(many);
  expect(many).toBeGreaterThan(0.4);
});

test('field data add a row, of cents for a thousand checks', () => {
  const rows = { ...environments, asks: { ...environments.dev, fieldData: true } };
  const { 'Field data, at most': dollars = 0, ...others } = month(environmentOf('asks', {}, rows), 1000);
  expect(dollars).toBeGreaterThan(0.01);
  expect(dollars).toBeLessThan(0.02);
  expect(Object.keys(others)).toEqual(Object.keys(month(environmentOf('dev'), 1000)));
});
