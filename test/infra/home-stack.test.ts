import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { environments } from '../../infra/environments.ts';
import { regions } from '../../shared/regions.ts';
import { CreateEnv, DiscoverEnv, ReadEnv, ReportReadEnv, SweepEnv, WaitEnv } from '../../shared/service/env.ts';
import { type FunctionName, functionRows } from '../../shared/service/functions.ts';
import { planNames, plans } from '../../shared/service/plans.ts';
import { apiFunctions, byGatewayKey, gatewayKeyOf, routes } from '../../shared/service/routes.ts';
import { functionsOf, type Properties, resourcesOf, synthesized, synthesizedAnew, templateOf } from './support.ts';

const { app, home, regionStacks, environment } = synthesized();
app.synth(); // once, outside the time limit of a test
const only = (type: string): Properties => {
  const [resource, ...more] = resourcesOf(home, type);
  expect(more).toEqual([]);
  return resource as Properties;
};

test('each file of functions/ is deployed as one function', () => {
  const files = readdirSync('functions', { withFileTypes: true }).filter((entry) => entry.isFile());
  const deployed = [home, regionStacks[0] as typeof home].flatMap((stack) => Object.keys(functionsOf(stack)));
  expect(deployed.sort()).toEqual(files.map(({ name }) => name.replace('.ts', '')).sort());
});

test('the environment of each function satisfies its schema', () => {
  const functions = functionsOf(home);
  const parsed = {
    'create-check': CreateEnv,
    'list-checks': ReadEnv,
    'list-runs': ReadEnv,
    'get-check': ReadEnv,
    'get-comparison': ReadEnv,
    'get-explanation': ReportReadEnv,
    'get-run': ReadEnv,
    'wait-check': WaitEnv,
    'get-report': ReportReadEnv,
    'get-fixes': ReportReadEnv,
    'get-screenshot': ReportReadEnv,
    'judge-check': ReportReadEnv,
    'delete-check': ReportReadEnv,
    links: ReadEnv,
    discover: DiscoverEnv,
    sweep: SweepEnv,
  };
  for (const [file, schema] of Object.entries(parsed)) schema.parse(functions[file]?.Environment.Variables);
});

test.each(['dev', 'prod'] as const)('each function of %s that opens the table knows the number of shards', (name) => {
  const { home, region } = synthesized(name);
  const { openShards } = environments[name];
  for (const [file, { Environment }] of Object.entries({ ...functionsOf(home), ...functionsOf(region) })) {
    const { TABLE_NAME, OPEN_SHARDS } = Environment.Variables;
    expect(OPEN_SHARDS, file).toBe(TABLE_NAME && String(openShards));
  }
});

test('each function of a route receives the allowed CORS origins of the environment', () => {
  const origins = (corsOrigins: string[]) => {
    const { home } = synthesizedAnew('dev', { corsOrigins });
    const functions = functionsOf(home);
    return apiFunctions.map((file) => functions[file]?.Environment.Variables.CORS_ORIGINS);
  };
  expect(new Set(origins([]))).toEqual(new Set([undefined]));
  expect(new Set(origins(['https://a.example', 'https://b.example']))).toEqual(
    new Set(['https://a.example,https://b.example']),
  );
  expect(() => origins(['https://a.example/'])).toThrow('corsOrigins');
});

test('a page may read a signed URL of the bucket without an origin, and the web page may connect to the bucket', () => {
  const { CorsConfiguration: cors } = only('AWS::S3::Bucket');
  expect(cors).toEqual({ CorsRules: [{ AllowedMethods: ['GET', 'HEAD'], AllowedOrigins: ['*'] }] });
  const variablesOf = (file: string) => functionsOf(home)[file]?.Environment.Variables;
  const bucket = variablesOf('get-report')?.REPORT_BUCKET;
  expect(variablesOf('web-page')?.REPORT_ORIGIN).toBe(`https://${bucket}.s3.us-west-2.amazonaws.com`);
});

test('the table has the keys that its stores use, and point-in-time recovery', () => {
  const table = only('AWS::DynamoDB::GlobalTable');
  expect(table).toMatchObject({
    TableName: 'page-audit-dev-1',
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'open',
        KeySchema: [
          { AttributeName: 'open', KeyType: 'HASH' },
          { AttributeName: 'dueAt', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['lease'] },
      },
      {
        IndexName: 'list',
        KeySchema: [
          { AttributeName: 'list', KeyType: 'HASH' },
          { AttributeName: 'listKey', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['listed'] },
      },
    ],
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
  });
  expect(table.AttributeDefinitions.every((each: Properties) => each.AttributeType === 'S')).toBe(true);
});

test('the report bucket blocks public access and requires TLS', () => {
  expect(only('AWS::S3::Bucket')).toMatchObject({
    BucketName: 'page-audit-dev-reports-123456789012', // bucket names are global in AWS
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    BucketEncryption: expect.anything(),
  });
  expect(only('AWS::S3::BucketPolicy').PolicyDocument.Statement[0]).toMatchObject({
    Effect: 'Deny',
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  });
});

test('the API has the routes of shared/service/routes.ts, where ANY stands for all methods of a function, and $default', () => {
  const keys = new Set(routes.map(gatewayKeyOf));
  expect(
    resourcesOf(home, 'AWS::ApiGatewayV2::Route')
      .map(({ RouteKey }) => RouteKey)
      .sort(),
  ).toEqual([...keys].sort());
});

test('each route calls the live version of its function', () => {
  const integrations = resourcesOf(home, 'AWS::ApiGatewayV2::Integration');
  const functions = functionsOf(home);
  const aliases = resourcesOf(home, 'AWS::Lambda::Alias');
  for (const { RouteKey, Target } of resourcesOf(home, 'AWS::ApiGatewayV2::Route')) {
    const integration = integrations.find(({ id }) => Target.includes(`<${id}>`));
    const file = byGatewayKey.get(RouteKey)?.[0]?.function ?? 'web-page';
    const alias = aliases.find(({ FunctionName }) => FunctionName === `<${functions[file]?.id}>`);
    expect(alias?.Name).toBe('live');
    expect(integration).toMatchObject({
      IntegrationUri: `<${alias?.id}>`,
      PayloadFormatVersion: '2.0',
      TimeoutInMillis: functionRows[file].timeoutSeconds * 1000,
    });
  }
});

test('the function that waits has little memory, and time for the longest wait within the limit of API Gateway', () => {
  const { 'wait-check': waits, ...others } = functionsOf(home);
  expect(waits).toMatchObject({ MemorySize: 256, Timeout: 29 });
  expect(waits?.Environment.Variables).not.toHaveProperty('CHANGES_FROM'); // other functions write: it polls the table
  for (const name of ['get-check', 'get-run', 'get-report']) {
    expect(others[name]).toMatchObject({ MemorySize: 1024, Timeout: 10 });
  }
});

test('creates, reads, waits, agents and sweeps have concurrency of their own in prod, and dev needs no quota', () => {
  const reservedIn = (name: string) =>
    Object.fromEntries(
      Object.entries(functionsOf(synthesized(name).home)).flatMap(
        ([file, { ReservedConcurrentExecutions: reserved }]) => (reserved === undefined ? [] : [[file, reserved]]),
      ),
    );
  expect(reservedIn('prod')).toEqual({
    'create-check': 100,
    'get-check': 50,
    'get-run': 50,
    'list-checks': 50,
    mcp: 50,
    'run-pagespeed': 50,
    'wait-check': 200,
    sweep: 2,
  });
  expect(reservedIn('dev')).toEqual({});
});

test('the throttle of creates is above what the largest plan allows, so that the limits of plans decide', () => {
  for (const { creates, requests } of Object.values(environments)) {
    expect(creates.perSecond).toBeGreaterThan(
      (2 * Math.max(...planNames.map((plan) => plans[plan].auditsPerMinute))) / 60,
    );
    expect(creates.perSecond).toBeGreaterThan(requests.perSecond);
  }
});

test('each function has the variables of its row that have no default, and no variable of another function', () => {
  const common = ['NODE_OPTIONS', 'POWERTOOLS_LOG_LEVEL', 'POWERTOOLS_SERVICE_NAME'];
  for (const [file, { Environment }] of Object.entries(functionsOf(home))) {
    const { env } = functionRows[file as FunctionName];
    expect(() => env.parse(Environment.Variables), file).not.toThrow();
    const others = Object.keys(Environment.Variables).filter((name) => !common.includes(name) && !(name in env.shape));
    expect([file, others]).toEqual([file, []]);
  }
});

test('each function of a route requires a key, except those that describe the service', () => {
  const open = ['discover', 'docs', 'sample-page', 'web-page'];
  const functions = functionsOf(home);
  for (const file of apiFunctions) {
    expect([file, functions[file]?.Environment.Variables.AUTH]).toEqual([
      file,
      open.includes(file) ? undefined : 'keys',
    ]);
  }
});

test('creating a check has its own throttle, and the access log has every request', () => {
  expect(only('AWS::ApiGatewayV2::Stage')).toMatchObject({
    StageName: '$default',
    AutoDeploy: true,
    DefaultRouteSettings: {
      ThrottlingRateLimit: environment.requests.perSecond,
      ThrottlingBurstLimit: environment.requests.burst,
    },
    RouteSettings: {
      'POST /v1/checks': {
        ThrottlingRateLimit: environment.creates.perSecond,
        ThrottlingBurstLimit: environment.creates.burst,
      },
    },
    AccessLogSettings: { Format: expect.stringContaining('$context.requestId') },
  });
});

test('the sweeper runs every minute', () => {
  const { sweep } = functionsOf(home);
  expect(only('AWS::Events::Rule')).toMatchObject({
    ScheduleExpression: 'rate(1 minute)',
    Targets: [{ Arn: `<${sweep?.id}.Arn>` }],
  });
  expect(sweep?.Timeout).toBe(60);
});

test('jobs go to the queues of the region stacks', () => {
  const { AUDIT_QUEUES } = functionsOf(home)['create-check']?.Environment.Variables ?? {};
  const expected = environment.regions.map((region, i) => {
    const names = resourcesOf(regionStacks[i] as typeof home, 'AWS::SQS::Queue').map(({ QueueName }) => QueueName);
    expect(regionStacks[i]?.region).toBe(regions[region]);
    const name = names.find((each) => each.includes('-audits-') && !each.includes('lost'));
    return [region, `https://sqs.${regions[region]}.amazonaws.com/123456789012/${name}`];
  });
  expect(JSON.parse(AUDIT_QUEUES)).toEqual(Object.fromEntries(expected));
  expect(functionsOf(home).sweep?.Environment.Variables.AUDIT_QUEUES).toBe(AUDIT_QUEUES);
});

test('every function has Node.js 24, the cheaper architecture unless it runs Chromium, its own log group with a retention, and the name of the service', () => {
  for (const stack of [home, ...regionStacks]) {
    const groups = resourcesOf(stack, 'AWS::Logs::LogGroup');
    for (const group of groups) expect(group.RetentionInDays).toBe(environment.logDays);
    for (const resource of Object.values(functionsOf(stack))) {
      expect(resource).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: [resource.Description === 'functions/run-audit.ts' ? 'x86_64' : 'arm64'],
        Handler: 'index.handler',
        Environment: { Variables: { POWERTOOLS_SERVICE_NAME: 'page-audit-dev' } },
      });
      const group = groups.find(({ id }) => resource.LoggingConfig.LogGroup === `<${id}>`);
      expect(group?.LogGroupName).toBe(`/aws/lambda/${resource.FunctionName}`);
    }
  }
});

test('neither Lambda nor EventBridge retries a sweep', () => {
  const sweep = functionsOf(home).sweep;
  const [invoke] = resourcesOf(home, 'AWS::Lambda::EventInvokeConfig');
  expect(invoke).toMatchObject({ FunctionName: `<${sweep?.id}>`, MaximumRetryAttempts: 0 });
  const [rule] = resourcesOf(home, 'AWS::Events::Rule');
  expect(rule?.Targets).toMatchObject([{ RetryPolicy: { MaximumRetryAttempts: 0 } }]);
});

test('the dashboard has no tags, which CloudFormation refuses in some regions', () => {
  const [dashboard] = resourcesOf(synthesized('prod').home, 'AWS::CloudWatch::Dashboard');
  expect(dashboard?.DashboardBody).toBeDefined();
  expect(dashboard?.Tags).toBeUndefined();
});

test('with field data, the functions that need it know it, and no template has a key', () => {
  const { home: asking } = synthesizedAnew('dev', { fieldData: true });
  const on = Object.entries(functionsOf(asking)).filter(([, each]) => each.Environment?.Variables.FIELD_DATA === 'on');
  expect(on.map(([file]) => file).sort()).toEqual(
    ['create-check', 'deliver-webhook', 'list-runs', 'run-pagespeed', 'sweep'].sort(),
  );
  expect(JSON.stringify(templateOf(asking).toJSON())).not.toContain('CRUX_API_KEY');
  expect(JSON.stringify(templateOf(home).toJSON())).not.toContain('FIELD_DATA');
});
