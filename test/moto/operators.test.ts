import { beforeAll, expect, inject, test } from 'vitest';
import { type Environment, environmentOf } from '../../infra/environments.ts';
import { awsCli } from '../../infra/operator/aws-cli.ts';
import { pauseWriters, resumeWriters } from '../../infra/operator/pausing/pause-writers.ts';
import { writersOf } from '../../infra/operator/pausing/writers.ts';
import { preflight } from '../../infra/operator/preflight.ts';
import { replaceTable, restoreBeside } from '../../infra/operator/restore-table.ts';
import { tableDefinition } from '../support/table-definition.ts';

/* The commands of an operator with the real AWS CLI, which checks each input against AWS's models, on moto's server. */

const environment: Environment = environmentOf('trial');
const { names, homeRegion } = environment;
const { called, fed, queues } = writersOf(environment);
const notes: string[] = [];
const deps = { aws: awsCli, note: (line: string) => void notes.push(line), wait: async () => {} };

const createFunction = async (name: string, region: string, role: string) =>
  awsCli('lambda create-function', region, {
    FunctionName: name,
    Runtime: 'nodejs22.x',
    Role: role,
    Handler: 'index.handler',
    Code: { ZipFile: emptyZip },
  });
const emptyZip = Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`, 'latin1').toString('base64');

beforeAll(async () => {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: inject('motoUrl'),
    AWS_ACCESS_KEY_ID: 'moto',
    AWS_SECRET_ACCESS_KEY: 'moto',
    AWS_PAGER: '',
  });
  const trust = JSON.stringify({ Version: '2012-10-17', Statement: [] });
  const { Role } = await awsCli('iam create-role', homeRegion, {
    RoleName: 'functions',
    AssumeRolePolicyDocument: trust,
  });
  for (const { name, region } of queues) await awsCli('sqs create-queue', region, { QueueName: name });
  for (const { name, region } of [...called, ...fed]) await createFunction(name, region, Role.Arn);
  for (const [i, { name, region }] of fed.entries()) {
    const EventSourceArn = `arn:aws:sqs:${queues[i]?.region}:123456789012:${queues[i]?.name}`;
    await awsCli('lambda create-event-source-mapping', region, { FunctionName: name, EventSourceArn, Enabled: true });
  }
  const [create] = called;
  await awsCli('lambda put-function-concurrency', homeRegion, {
    FunctionName: create?.name,
    ReservedConcurrentExecutions: 3,
  });
  await awsCli('dynamodb create-table', homeRegion, tableDefinition(names.table));
  await awsCli('dynamodb put-item', homeRegion, { TableName: names.table, Item: { pk: { S: 'a' }, sk: { S: 'b' } } });
  await awsCli('dynamodb update-continuous-backups', homeRegion, {
    TableName: names.table,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
});

/** Concurrency, mappings and policies as AWS has them. */
const stateNow = async () => ({
  concurrency: await Promise.all(
    called.map(({ name, region }) => awsCli('lambda get-function-concurrency', region, { FunctionName: name })),
  ),
  mappings: await Promise.all(
    fed.map(async ({ name, region }) => {
      const { EventSourceMappings } = await awsCli('lambda list-event-source-mappings', region, { FunctionName: name });
      return EventSourceMappings.map(({ State }: { State: string }) => State);
    }),
  ),
  policies: await Promise.all(
    queues.map(async ({ name, region }) => {
      const { QueueUrl } = await awsCli('sqs get-queue-url', region, { QueueName: name });
      const answer = await awsCli('sqs get-queue-attributes', region, { QueueUrl, AttributeNames: ['Policy'] });
      return answer.Attributes?.Policy ?? '';
    }),
  ),
});

test('a pause stops the writers, the table is restored, and resume puts back what was before', async () => {
  const before = await stateNow();
  await pauseWriters(environment, deps);
  const paused = await stateNow();
  expect(new Set(paused.concurrency.map((each) => each.ReservedConcurrentExecutions))).toEqual(new Set([0]));
  expect(new Set(paused.mappings.flat())).toEqual(new Set(['Disabled']));
  for (const policy of paused.policies) expect(policy).toContain('sqs:ReceiveMessage');

  const at = new Date(Date.now() - 1000).toISOString();
  expect(await restoreBeside(environment, at, deps)).toMatchObject({ items: 1, now: 1 });
  await replaceTable(environment, deps);
  await replaceTable(environment, deps);
  const { Table } = await awsCli('dynamodb describe-table', homeRegion, { TableName: names.table });
  expect(Table.RestoreSummary.SourceBackupArn).toEqual(expect.any(String));
  const { TimeToLiveDescription } = await awsCli('dynamodb describe-time-to-live', homeRegion, {
    TableName: names.table,
  });
  expect(TimeToLiveDescription).toMatchObject({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expiresAt' });

  expect(await resumeWriters(environment, deps)).toBe(true);
  expect(await stateNow()).toEqual(before);
});

test('an account without a bootstrap and with a taken name is refused before anything is uploaded', async () => {
  const needs = await preflight(environment, async (operation, region, input) =>
    // moto knows no quotas of Lambda.
    operation === 'lambda get-account-settings'
      ? { AccountLimit: { ConcurrentExecutions: 10 } }
      : awsCli(operation, region, input),
  );
  const unmet = needs.filter(({ isMet }) => !isMet).map(({ what, found }) => [what, found]);
  expect(unmet).toEqual([
    ['bootstrap of the CDK', 'none'],
    [`table ${names.table}`, 'taken'],
  ]);
});
