import { expect, test } from 'vitest';
import { updatedLatest, updatedRegion, updatedRun, updatedUsage } from '../../infra/aws/updated-attributes.ts';
import type { FunctionRow } from '../../shared/service/function-row.ts';
import { type FunctionName, functionRows } from '../../shared/service/functions.ts';
import { CANARY_PREFIX } from '../../shared/service/keys.ts';
import { partitions } from '../../shared/service/partitions.ts';
import { apiFunctions } from '../../shared/service/routes.ts';
import { functionsOf, listOf, type Properties, resourcesOf, rightsOf, statementsOf, synthesized } from './support.ts';

const { home, region, regionStacks, all, environment } = synthesized();

const table = 'arn:aws:dynamodb:us-west-2:123456789012:table/page-audit-dev-1';
const reports = 'arn:aws:s3:::page-audit-dev-reports-123456789012/reports/*';
const bucket = 'arn:aws:s3:::page-audit-dev-reports-123456789012';
const secrets = 'arn:aws:s3:::page-audit-dev-reports-123456789012/secrets/*';
const scheduleSecrets = 'arn:aws:s3:::page-audit-dev-reports-123456789012/schedule-secrets/*';
const fingerprintKey = 'arn:aws:s3:::page-audit-dev-reports-123456789012/keys/*';
const cruxKey = 'arn:aws:s3:::page-audit-dev-reports-123456789012/crux/*';
const queues = regionStacks.map(
  (stack, i) => `arn:aws:sqs:${stack.region}:123456789012:page-audit-dev-audits-${environment.regions[i]}`,
);
const deadLetters = queues.map((arn) => arn.replace('-audits-', '-lost-audits-'));
const take = ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl', 'ReceiveMessage'];

/** Right to send messages to the queue of deliveries. */
const sendDeliveries = ['sqs:SendMessage arn:aws:sqs:us-west-2:123456789012:page-audit-dev-deliveries'];
/** Rights for checking an API key. */
const keys = on(`${table} of KEY#*`, 'dynamodb', ['GetItem', 'UpdateItem']);
/** Rights of a function beside a queue: to read checks, to update attributes of them, and to end their count as open. */
const runs = [
  ...on(`${table} of CHECK#*`, 'dynamodb', ['GetItem', 'Query', 'UpdateItem']),
  ...on(`${table} of OPENCHECK#*`, 'dynamodb', ['DeleteItem']),
  ...on(`${table} of OWNER#*`, 'dynamodb', ['GetItem', 'UpdateItem']),
  ...on(`${table} of LATEST#*`, 'dynamodb', ['GetItem', 'UpdateItem']),
  ...sendDeliveries,
];

/** Right of each function that uses the table. */
const ofFormat = on(`${table} of FORMAT*`, 'dynamodb', ['GetItem']);

/** All rights of each function except logging. */
const rights = {
  'create-check': [
    ...onTable('create-check'),
    ...keys,
    ...send(queues),
    ...sendDeliveries,
    ...on(secrets, 's3', ['DeleteObject', 'PutObject']),
    ...on(bucket, 's3', ['ListBucket']),
    ...on(fingerprintKey, 's3', ['GetObject', 'PutObject']),
  ],
  'list-checks': [...onTable('list-checks'), ...on(`${table}/index/list`, 'dynamodb', ['Query']), ...keys],
  'list-runs': [...onTable('list-runs'), ...on(`${table}/index/list`, 'dynamodb', ['Query']), ...keys],
  'list-pages': [...onTable('list-pages'), ...on(`${table}/index/list`, 'dynamodb', ['Query']), ...keys],
  'get-metrics': [...on(`${table}/index/list`, 'dynamodb', ['Query']), ...keys],
  'get-check': [...onTable('get-check'), ...keys],
  'get-comparison': [...onTable('get-comparison'), ...on(`${table}/index/list`, 'dynamodb', ['Query']), ...keys],
  'get-explanation': [...readReport('get-explanation'), ...on(`${table}/index/list`, 'dynamodb', ['Query'])],
  'get-run': [...onTable('get-run'), ...keys],
  'wait-check': [...onTable('wait-check'), ...keys],
  mcp: keys,
  'run-pagespeed': [
    ...readReport('run-pagespeed'),
    ...send(queues),
    ...sendDeliveries,
    ...on(secrets, 's3', ['DeleteObject']),
    ...on(bucket, 's3', ['ListBucket']),
  ],
  'get-report': readReport('get-report'),
  'get-fixes': readReport('get-fixes'),
  'get-screenshot': readReport('get-screenshot'),
  'judge-check': readReport('judge-check'),
  'delete-check': [
    ...onTable('delete-check'),
    ...on(`${table}/index/list`, 'dynamodb', ['Query']),
    ...keys,
    ...on(reports, 's3', ['DeleteObject']),
    ...on(bucket, 's3', ['ListBucket']),
    ...on(bucket, 's3', ['ListBucket']),
    ...on(secrets, 's3', ['DeleteObject']),
  ],
  links: [...onTable('links'), ...on(`${table}/index/list`, 'dynamodb', ['Query']), ...keys],
  webhooks: [...onTable('webhooks'), ...keys, ...sendDeliveries],
  'deliver-webhook': [
    ...on(`${table}/index/list`, 'dynamodb', ['Query']),
    ...onTable('deliver-webhook'),
    ...on(cruxKey, 's3', ['GetObject']),
    ...on(queueCalled('page-audit-dev-deliveries', home), 'sqs', [...take]),
    ...sendDeliveries,
  ],
  schedules: [...onTable('schedules'), ...keys, ...on(scheduleSecrets, 's3', ['DeleteObject', 'PutObject'])],
  discover: onTable('discover'),
  docs: [],
  sweep: [
    ...on(`${table}/index/open`, 'dynamodb', ['Query']),
    ...on(`${table}/index/list`, 'dynamodb', ['Query']),
    ...onTable('sweep'),
    ...on(reports, 's3', ['DeleteObject']),
    ...on(bucket, 's3', ['ListBucket']),
    ...on(bucket, 's3', ['ListBucket']),
    ...on(secrets, 's3', ['DeleteObject', 'PutObject']),
    ...on(scheduleSecrets, 's3', ['DeleteObject', 'GetObject']),
    ...on(fingerprintKey, 's3', ['GetObject', 'PutObject']),
    ...count(queues),
    ...deadLetters.flatMap((queue) => on(queue, 'sqs', ['DeleteMessage', 'ReceiveMessage'])),
    ...sendDeliveries,
  ],
  canary: on(`${table} of KEY#00000000ca11`, 'dynamodb', ['PutItem']), // one key, which only the canary uses
  'sample-page': [],
  'run-audit': [
    ...runs,
    ...on(`${table} of REGION#*`, 'dynamodb', ['UpdateItem']),
    ...on(reports, 's3', ['PutObject']),
    ...on(secrets, 's3', ['DeleteObject', 'GetObject']),
    ...on(bucket, 's3', ['ListBucket']),
    ...on(queueCalled('page-audit-dev-audits-us-west1'), 'sqs', take),
  ],
};

test.each(Object.entries(rights))('%s has exactly these rights', (file, expected) => {
  const stack = file === 'run-audit' ? region : home;
  expect(
    granted(rightsOf(stack, file))
      .filter((each) => !each.startsWith('logs:'))
      .sort(),
  ).toEqual([...expected, ...('TABLE_NAME' in functionRows[file as FunctionName].env.shape ? ofFormat : [])].sort());
});

test('only creates write secrets, only an audit reads them, and only the sweeper reads those of schedules', () => {
  const allowed = (action: string, resource: string) =>
    Object.keys(rights).filter((file) => {
      const stack = file === 'run-audit' ? region : home;
      return granted(rightsOf(stack, file)).includes(`s3:${action} ${resource}`);
    });
  expect(allowed('PutObject', secrets)).toEqual(['create-check', 'sweep']);
  expect(allowed('GetObject', secrets)).toEqual(['run-audit']);
  expect(allowed('GetObject', fingerprintKey)).toEqual(['create-check', 'sweep']);
  expect([allowed('GetObject', cruxKey), allowed('PutObject', cruxKey)]).toEqual([['deliver-webhook'], []]);
  expect(allowed('PutObject', scheduleSecrets)).toEqual(['schedules']);
  expect(allowed('GetObject', scheduleSecrets)).toEqual(['sweep']);
});

test('a function may list reports, or the secrets of a check whose id it knows, and nothing else of the bucket', () => {
  const all = { StringLike: { 's3:prefix': 'reports/*' } };
  const ofOneCheck = { StringLike: { 's3:prefix': `secrets/${'?'.repeat(36)}/` } };
  const listing = (file: string) =>
    rightsOf(file === 'run-audit' ? region : home, file)
      .filter(({ Action }) => listOf(Action).includes('s3:ListBucket'))
      .map(({ Condition }) => Condition);
  for (const file of ['get-explanation', 'get-fixes', 'get-report', 'get-screenshot', 'judge-check'])
    expect(listing(file), file).toEqual([all]);
  for (const file of ['create-check', 'run-audit']) expect(listing(file), file).toEqual([ofOneCheck]);
  for (const file of ['delete-check', 'sweep']) expect(listing(file), file).toEqual([all, ofOneCheck]);
});

test('run-audit updates some attributes only', () => {
  const updates = rightsOf(region, 'run-audit').filter(({ Action }) => Action === 'dynamodb:UpdateItem');
  expect(updates.map(({ Condition }) => Condition)).toEqual([
    {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['CHECK#*'] },
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': updatedRun },
    },
    {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['LATEST#*'] },
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': updatedLatest },
    },
    {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['OWNER#*'] },
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': updatedUsage },
    },
    {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['REGION#*'] },
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': updatedRegion },
    },
  ]);
  for (const decided of ['url', 'owner', 'options', 'runIds', 'fingerprint', 'expiresAt', 'trendExpiresAt']) {
    expect(updatedRun).not.toContain(decided);
  }
});

test('a function that checks keys may update only their last use', () => {
  const publicFiles = ['discover', 'docs', 'sample-page', 'web-page'];
  for (const file of apiFunctions.filter((each) => !publicFiles.includes(each))) {
    const [right] = rightsOf(home, file).filter(
      ({ Action, Condition }) => Action === 'dynamodb:UpdateItem' && partitionOf(Condition) === 'KEY#*',
    );
    expect(right?.Condition).toEqual({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['KEY#*'] },
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'lastUsedAt'] },
      StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'] },
    });
  }
});

test('no partition of the table is the same for all items of a kind: in full are the key of the canary and the format', () => {
  const statements = all.flatMap((stack) => resourcesOf(stack, 'AWS::IAM::Role').flatMap(statementsOf));
  const named = statements
    .map(({ Condition }) => partitionOf(Condition))
    .filter((partition) => partition !== undefined);
  expect(new Set(named.filter((partition) => !partition.endsWith('#*')))).toEqual(
    new Set([`KEY#${CANARY_PREFIX}`, 'FORMAT*']),
  );
});

test('each right to the table names one partition, and only functions for share links read their secrets', () => {
  const readers: string[] = [];
  for (const stack of all) {
    for (const file of Object.keys(functionsOf(stack))) {
      const ofTable = rightsOf(stack, file).filter(({ Resource }) => listOf(Resource).includes(table));
      const named = ofTable.map(({ Condition }) => partitionOf(Condition));
      expect(named).not.toContain(undefined);
      if (named.includes('SHARE#*')) readers.push(file);
    }
  }
  const reading = ['get-check', 'get-comparison', 'get-fixes', 'get-report', 'get-run', 'get-screenshot'];
  expect(readers.sort()).toEqual(['delete-check', ...reading, 'links', 'sweep', 'wait-check']);
});

test('only the functions of webhooks read their secrets', () => {
  const readers = all.flatMap((stack) =>
    Object.keys(functionsOf(stack)).filter((file) =>
      rightsOf(stack, file).some(({ Condition }) => partitionOf(Condition) === 'WEBHOOK#*'),
    ),
  );
  expect(readers.sort()).toEqual(['deliver-webhook', 'webhooks']);
});

test('each function writes to its own log only', () => {
  for (const file of Object.keys(rights)) {
    const stack = file === 'run-audit' ? region : home;
    const [group] = resourcesOf(stack, 'AWS::Logs::LogGroup').filter(({ LogGroupName }) =>
      new RegExp(`-${file}(-us-west1)?$`).test(LogGroupName),
    );
    const logs = granted(rightsOf(stack, file)).filter((each) => each.startsWith('logs:'));
    expect(logs).toEqual(on(`<${group?.id}.Arn>`, 'logs', ['CreateLogStream', 'PutLogEvents']));
  }
});

test('no right has a wildcard', () => {
  const statements = all.flatMap((stack) => resourcesOf(stack, 'AWS::IAM::Role').flatMap(statementsOf));
  for (const stack of all) expect(resourcesOf(stack, 'AWS::IAM::Policy')).toEqual([]);
  expect(statements.length).toBeGreaterThan(50);
  expect(granted(statements).filter((each) => each.split(' ')[0]?.includes('*'))).toEqual([]);
  expect(granted(statements).filter((each) => each.endsWith(' *'))).toEqual([]);
});

test('no role has a managed policy, and only Lambda can assume one, except the role with which API Gateway calls functions', () => {
  const roles = all.flatMap((stack) => resourcesOf(stack, 'AWS::IAM::Role'));
  const trusted = roles.map(({ AssumeRolePolicyDocument: { Statement } }) => Statement[0].Principal.Service);
  expect(trusted.filter((service) => service !== 'lambda.amazonaws.com')).toEqual(['apigateway.amazonaws.com']);
  for (const role of roles) {
    expect(role).not.toHaveProperty('ManagedPolicyArns');
    expect(role.AssumeRolePolicyDocument.Statement).toEqual([
      { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: expect.any(String) } },
    ]);
  }
});

test('API Gateway may call the live version of each function of a route, and nothing else', () => {
  const [role] = resourcesOf(home, 'AWS::IAM::Role').filter(({ AssumeRolePolicyDocument: { Statement } }) =>
    Statement[0].Principal.Service.startsWith('apigateway'),
  );
  const aliases = resourcesOf(home, 'AWS::Lambda::Alias').map(({ id }) => `<${id}>`);
  expect(aliases).toHaveLength(apiFunctions.length);
  expect(statementsOf(role as Properties)).toEqual([
    { Action: 'lambda:InvokeFunction', Effect: 'Allow', Resource: expect.toSatisfy(sameAs(aliases)) },
  ]);
  for (const integration of resourcesOf(home, 'AWS::ApiGatewayV2::Integration'))
    expect(integration.CredentialsArn).toBe(`<${role?.id}.Arn>`);
});

test('besides API Gateway, only its rule or queue can call a function', () => {
  for (const permission of resourcesOf(home, 'AWS::Lambda::Permission')) {
    expect(permission.Principal).toBe('events.amazonaws.com');
    expect(permission.SourceArn).toMatch(/^<\w+\.Arn>$/);
  }
  expect(resourcesOf(region, 'AWS::Lambda::Permission')).toEqual([]); // the function's own role reads SQS
});

function sameAs(expected: string[]): (actual: string[]) => boolean {
  return (actual) => JSON.stringify([...actual].sort()) === JSON.stringify([...expected].sort());
}
function granted(statements: ReturnType<typeof rightsOf>): string[] {
  return statements.flatMap(({ Action, Resource, Condition }) =>
    listOf(Action).flatMap((action) =>
      listOf(Resource).map((resource) => [action, resource, ...of(partitionOf(Condition))].join(' ')),
    ),
  );
}
function of(partition: string | undefined): string[] {
  return partition === undefined ? [] : ['of', partition];
}
/** Returns the partition of the table that a condition names. */
function partitionOf(condition: Record<string, Record<string, string[]>> | undefined): string | undefined {
  const [keys, ...more] = ['ForAllValues:StringEquals', 'ForAllValues:StringLike'].flatMap(
    (operator) => condition?.[operator]?.['dynamodb:LeadingKeys'] ?? [],
  );
  return more.length === 0 ? keys : undefined;
}
/** Rights of a function to the table, as its row has them. */
function onTable(file: FunctionName): string[] {
  const row: FunctionRow = functionRows[file];
  return Object.entries(row.table ?? {}).flatMap(([partition, actions]) =>
    on(`${table} of ${partitions[partition as keyof typeof partitions]}*`, 'dynamodb', [...actions]),
  );
}
function on(resource: string, service: string, actions: string[]): string[] {
  return actions.map((action) => `${service}:${action} ${resource}`);
}
/** Rights to read a report. Without ListBucket, S3 answers 403 for a missing report. */
function readReport(file: FunctionName): string[] {
  return [...onTable(file), ...keys, ...on(reports, 's3', ['GetObject']), ...on(bucket, 's3', ['ListBucket'])];
}
function count(to: string[]): string[] {
  return to.flatMap((queue) => on(queue, 'sqs', ['GetQueueAttributes', 'SendMessage']));
}
function send(to: string[]): string[] {
  return to.flatMap((queue) => on(queue, 'sqs', ['SendMessage']));
}
function queueCalled(name: string, stack = region): string {
  return `<${resourcesOf(stack, 'AWS::SQS::Queue').find(({ QueueName }) => QueueName === name)?.id}.Arn>`;
}
