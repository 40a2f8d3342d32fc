import { type Stack, Token } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { deadLetterSettings, queueSettings } from '../../infra/settings.ts';
import type { regions } from '../../shared/regions.ts';
import { functionRows } from '../../shared/service/functions.ts';
import { functionsOf, type Properties, resourcesOf, synthesized, templateOf } from './support.ts';

const { home, region: stack, regionStacks, environment } = synthesized();
const queue = (name: string): Properties =>
  resourcesOf(stack, 'AWS::SQS::Queue').find(({ QueueName }) => QueueName === name) as Properties;
const sourceOf = (file: string): Properties =>
  resourcesOf(stack, 'AWS::Lambda::EventSourceMapping').find(
    ({ FunctionName }) => FunctionName === `<${functionsOf(stack)[file]?.id}>`,
  ) as Properties;

const jobs = queue('page-audit-dev-audits-us-west1');
const deadLetters = queue('page-audit-dev-lost-audits-us-west1');

test('the audit function has two vCPUs, 600 s, enough storage and 64 threads', () => {
  expect(functionsOf(stack)['run-audit']).toMatchObject({
    MemorySize: 3538,
    Timeout: 600,
    EphemeralStorage: { Size: 1024 },
    Environment: { Variables: { UV_THREADPOOL_SIZE: '64' } },
  });
});

test('a runtime changes with a deploy only', () => {
  const functions = [home, ...regionStacks].flatMap((each) => Object.values(functionsOf(each)));
  for (const { RuntimeManagementConfig } of functions)
    expect(RuntimeManagementConfig).toEqual({ UpdateRuntimeOn: 'FunctionUpdate' });
});

test('its functions use the region, the table and the bucket of the home stack', () => {
  const audit = functionRows['run-audit'].env.parse(functionsOf(stack)['run-audit']?.Environment.Variables);
  const [table] = resourcesOf(home, 'AWS::DynamoDB::GlobalTable');
  const [bucket] = resourcesOf(home, 'AWS::S3::Bucket');
  expect(audit).toMatchObject({
    HOME_REGION: home.region,
    TABLE_NAME: table?.TableName,
    REPORT_BUCKET: bucket?.BucketName,
    TARGETS: 'public',
  });
});

test('an instance runs one audit at a time, and the environment limits concurrent audits', () => {
  expect(sourceOf('run-audit')).toMatchObject({
    EventSourceArn: `<${jobs.id}.Arn>`,
    BatchSize: 1,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: environment.auditsAtOnce },
  });
  expect(functionsOf(stack)['run-audit']).not.toHaveProperty('ReservedConcurrentExecutions');
});

test('a job is invisible for six times the timeout, as in the local service', () => {
  expect(jobs.VisibilityTimeout).toBe(queueSettings.visibilitySeconds);
  expect(jobs.VisibilityTimeout).toBe(6 * functionsOf(stack)['run-audit']?.Timeout);
});

test('after three deliveries a job becomes a dead letter, which the sweeper receives within fourteen days', () => {
  expect(jobs.RedrivePolicy).toEqual({
    deadLetterTargetArn: `<${deadLetters.id}.Arn>`,
    maxReceiveCount: queueSettings.maxReceiveCount,
  });
  expect(deadLetters.MessageRetentionPeriod).toBe(14 * 24 * 3600);
  expect(deadLetters.VisibilityTimeout).toBe(deadLetterSettings.visibilitySeconds);
  const { Timeout, Environment } = functionsOf(home).sweep as Properties;
  expect(deadLetters.VisibilityTimeout).toBeGreaterThan(Timeout); // no other sweep receives it meanwhile
  const { 'us-west1': url } = JSON.parse(Environment.Variables.DEAD_LETTER_QUEUES);
  expect(url).toBe('https://sqs.us-west-2.amazonaws.com/123456789012/page-audit-dev-lost-audits-us-west1');
});

test('queues and topics require TLS', () => {
  const policies = [...resourcesOf(stack, 'AWS::SQS::QueuePolicy'), ...resourcesOf(stack, 'AWS::SNS::TopicPolicy')];
  expect(policies).toHaveLength(3);
  for (const { PolicyDocument } of policies) {
    expect(PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
    );
  }
});

test('the regions differ only by their names', () => {
  const [first, ...others] = regionStacks.map((each, i) => {
    const region = environment.regions[i] as keyof typeof regions;
    return plain(each).replaceAll(region, '<region>');
  });
  for (const other of others) expect(other).toBe(first);
});

test('a region stack imports nothing from other stacks', () => {
  for (const each of regionStacks) {
    expect(Token.isUnresolved(each.region)).toBe(false);
    expect(plain(each)).not.toMatch(/ImportValue|Fn::GetStackOutput|ExportsReader/);
  }
});

const plain = (each: Stack): string => JSON.stringify(templateOf(each).toJSON());
