import { expect, test } from 'vitest';
import { apiFunctions } from '../../shared/routes.ts';
import { functionsOf, listOf, resourcesOf, rightsOf, synthesized } from './support.ts';

const { home, region, regionStacks, all, environment } = synthesized();

const table = 'arn:aws:dynamodb:us-west-2:123456789012:table/page-audit-dev';
const reports = 'arn:aws:s3:::page-audit-dev-reports-123456789012/reports/*';
const bucket = 'arn:aws:s3:::page-audit-dev-reports-123456789012';
const queues = regionStacks.map(
  (stack, i) => `arn:aws:sqs:${stack.region}:123456789012:page-audit-dev-audits-${environment.regions[i]}`,
);
const take = ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl', 'ReceiveMessage'];

/** Rights for checking an API key. */
const keys = on(`${table} of keys`, 'dynamodb', ['GetItem', 'UpdateItem']);

/** All rights of each function except logging and tracing. */
const rights = {
  'create-check': [...on(table, 'dynamodb', ['GetItem', 'PutItem', 'Query', 'UpdateItem']), ...keys, ...send(queues)],
  'list-checks': [...on(table, 'dynamodb', ['Query']), ...on(`${table}/index/list`, 'dynamodb', ['Query']), ...keys],
  'list-runs': [...on(`${table}/index/list`, 'dynamodb', ['Query']), ...keys],
  'get-check': [...on(table, 'dynamodb', ['Query']), ...keys],
  'get-comparison': [...on(table, 'dynamodb', ['Query']), ...keys],
  'get-run': [...on(table, 'dynamodb', ['GetItem', 'Query']), ...keys],
  'get-report': readReport(),
  'get-screenshot': readReport(),
  'delete-check': [
    ...on(table, 'dynamodb', ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem']),
    ...keys,
    ...on(reports, 's3', ['DeleteObject']),
    ...on(bucket, 's3', ['ListBucket']),
  ],
  'create-link': [...on(table, 'dynamodb', ['Query', 'UpdateItem']), ...keys],
  'delete-links': [...on(table, 'dynamodb', ['Query', 'UpdateItem']), ...keys],
  discover: [],
  ready: on(table, 'dynamodb', ['GetItem']),
  docs: [],
  'no-route': [],
  sweep: [
    ...on(`${table}/index/open`, 'dynamodb', ['Query']),
    ...on(table, 'dynamodb', ['DeleteItem', 'GetItem', 'Query', 'UpdateItem']),
    ...on(reports, 's3', ['DeleteObject']),
    ...on(bucket, 's3', ['ListBucket']),
    ...send(queues),
  ],
  'run-audit': [
    ...on(table, 'dynamodb', ['GetItem', 'Query', 'UpdateItem']),
    ...on(reports, 's3', ['PutObject']),
    ...on(queueCalled('page-audit-dev-audits-us-west1'), 'sqs', take),
  ],
  'close-lost-runs': [
    ...on(table, 'dynamodb', ['GetItem', 'Query', 'UpdateItem']),
    ...on(queueCalled('page-audit-dev-lost-audits-us-west1'), 'sqs', take),
  ],
};

test.each(Object.entries(rights))('%s has exactly these rights', (file, expected) => {
  const stack = ['run-audit', 'close-lost-runs'].includes(file) ? region : home;
  expect(
    granted(rightsOf(stack, file))
      .filter((each) => !/^(logs|xray):/.test(each))
      .sort(),
  ).toEqual(expected.sort());
});

test('a function may list only the reports of the bucket', () => {
  for (const file of ['delete-check', 'get-report', 'get-screenshot', 'sweep']) {
    const [listing] = rightsOf(home, file).filter(({ Action }) => listOf(Action).includes('s3:ListBucket'));
    expect(listing?.Condition).toEqual({ StringLike: { 's3:prefix': 'reports/*' } });
  }
});

test('a function for share links may update only their secret', () => {
  for (const file of ['create-link', 'delete-links']) {
    const [right] = rightsOf(home, file).filter(
      ({ Action, Condition }) => Action === 'dynamodb:UpdateItem' && !isOfKeys(Condition),
    );
    expect(right?.Condition).toEqual({
      'ForAllValues:StringNotEquals': { 'dynamodb:LeadingKeys': ['KEYS'] },
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'createId', 'shareSecret'] },
      StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'] },
    });
  }
});

test('a function that checks keys may update only their last use', () => {
  const publicFiles = ['discover', 'docs', 'no-route', 'ready', 'web-page'];
  for (const file of apiFunctions.filter((each) => !publicFiles.includes(each))) {
    const [right] = rightsOf(home, file).filter(
      ({ Action, Condition }) => Action === 'dynamodb:UpdateItem' && isOfKeys(Condition),
    );
    expect(right?.Condition).toEqual({
      'ForAllValues:StringEquals': {
        'dynamodb:LeadingKeys': ['KEYS'],
        'dynamodb:Attributes': ['pk', 'sk', 'lastUsedAt'],
      },
      StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'] },
    });
  }
});

test('a right to the table excludes API keys unless it is for them', () => {
  const statements = all.flatMap((stack) => Object.keys(functionsOf(stack)).flatMap((file) => rightsOf(stack, file)));
  const ofTable = statements.filter(({ Resource }) => listOf(Resource).includes(table));
  expect(ofTable.length).toBeGreaterThan(10);
  for (const { Condition } of ofTable) {
    if (isOfKeys(Condition)) continue;
    expect(Condition).toMatchObject({ 'ForAllValues:StringNotEquals': { 'dynamodb:LeadingKeys': ['KEYS'] } });
  }
});

test('each function writes to its own log only', () => {
  for (const file of Object.keys(rights)) {
    const stack = ['run-audit', 'close-lost-runs'].includes(file) ? region : home;
    const [group] = resourcesOf(stack, 'AWS::Logs::LogGroup').filter(({ LogGroupName }) =>
      new RegExp(`-${file}(-us-west1)?$`).test(LogGroupName),
    );
    const logs = granted(rightsOf(stack, file)).filter((each) => each.startsWith('logs:'));
    expect(logs).toEqual(on(`<${group?.id}.Arn>`, 'logs', ['CreateLogStream', 'PutLogEvents']));
  }
});

test('no right has a wildcard, except the resource of X-Ray actions, which AWS can not scope', () => {
  const statements = all
    .flatMap((stack) => resourcesOf(stack, 'AWS::IAM::Policy'))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  expect(statements.length).toBeGreaterThan(50);
  expect(granted(statements).filter((each) => each.split(' ')[0]?.includes('*'))).toEqual([]);
  const everywhere = granted(statements).filter((each) => each.endsWith(' *'));
  expect([...new Set(everywhere)].sort()).toEqual(['xray:PutTelemetryRecords *', 'xray:PutTraceSegments *']);
});

test('no role has a managed policy, and only Lambda can assume one', () => {
  for (const role of all.flatMap((stack) => resourcesOf(stack, 'AWS::IAM::Role'))) {
    expect(role).not.toHaveProperty('ManagedPolicyArns');
    expect(role.AssumeRolePolicyDocument.Statement).toEqual([
      { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
    ]);
  }
});

test('only its route, rule or queue can call a function', () => {
  for (const permission of resourcesOf(home, 'AWS::Lambda::Permission')) {
    expect(permission.Principal).toMatch(/^(apigateway|events)\.amazonaws\.com$/);
    expect(permission.SourceArn).toMatch(/^(arn:aws:execute-api:us-west-2:123456789012:<\w+>\/|<\w+\.Arn>$)/);
  }
  expect(resourcesOf(region, 'AWS::Lambda::Permission')).toEqual([]); // the function's own role reads SQS
});

function granted(statements: ReturnType<typeof rightsOf>): string[] {
  return statements.flatMap(({ Action, Resource, Condition }) =>
    listOf(Action).flatMap((action) =>
      listOf(Resource).map((resource) => `${action} ${resource}${isOfKeys(Condition) ? ' of keys' : ''}`),
    ),
  );
}
function isOfKeys(condition: Record<string, Record<string, unknown>> | undefined): boolean {
  return Boolean(condition?.['ForAllValues:StringEquals']?.['dynamodb:LeadingKeys']);
}
function on(resource: string, service: string, actions: string[]): string[] {
  return actions.map((action) => `${service}:${action} ${resource}`);
}
/** Rights to read a report. Without ListBucket, S3 answers 403 for a missing report. */
function readReport(): string[] {
  return [
    ...on(table, 'dynamodb', ['GetItem', 'Query']),
    ...keys,
    ...on(reports, 's3', ['GetObject']),
    ...on(bucket, 's3', ['ListBucket']),
  ];
}
function send(to: string[]): string[] {
  return to.flatMap((queue) => on(queue, 'sqs', ['SendMessage']));
}
function queueCalled(name: string): string {
  return `<${resourcesOf(region, 'AWS::SQS::Queue').find(({ QueueName }) => QueueName === name)?.id}.Arn>`;
}
