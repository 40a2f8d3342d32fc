import { readFileSync } from 'node:fs';
import type { Stack } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { runbookSections } from '../../infra/aws/alarm.ts';
import { type AuditRegion, regions } from '../../shared/regions.ts';
import { metricNamespace, metrics } from '../../shared/service/metrics.ts';
import { firedAlarms, metricRecorder } from '../simulation/fired-alarms.ts';
import { functionsOf, type Properties, resourcesOf, synthesized } from './support.ts';

const { home, all, regionStacks, environment } = synthesized('prod');
const runbook = readFileSync('infra/RUNBOOK.md', 'utf8');
/** Services that may publish to the topic of the home stack. */
const senders = ['budgets.amazonaws.com', 'cloudwatch.amazonaws.com'];
const alarmsOf = (stack: Stack) => resourcesOf(stack, 'AWS::CloudWatch::Alarm');

test('each alarm says what happened, its impact and its section of the runbook', () => {
  for (const { AlarmDescription } of all.flatMap(alarmsOf)) {
    expect(AlarmDescription).toMatch(/^[A-Z][^.]+\. [A-Z][^.]+\. What to do: infra\/RUNBOOK\.md#[a-z0-9-]+$/);
  }
});

test('the runbook has a section with three parts for each alarm', () => {
  const linked = all.flatMap(alarmsOf).map(({ AlarmDescription }) => AlarmDescription.split('#')[1]);
  expect([...new Set(linked)].sort()).toEqual([...runbookSections].sort());
  expect(resourcesOf(home, 'AWS::Budgets::Budget')).toHaveLength(1); // a budget can't name its section
  for (const name of [...runbookSections, 'the-budget-is-exceeded']) {
    const section = runbook.split(/^## /m).find((each) => anchorOf(each.split('\n')[0] as string) === name);
    expect(section, name).toBeDefined();
    for (const part of ['**What it means.**', '**Look here.**', '**Do this.**']) expect(section).toContain(part);
  }
});

test('each alarm notifies the topic of its stack when it fires and when it ends', () => {
  for (const stack of all) {
    const [topic] = resourcesOf(stack, 'AWS::SNS::Topic');
    for (const alarm of alarmsOf(stack)) {
      expect(alarm.AlarmActions).toEqual([`<${topic?.id}>`]);
      expect(alarm.OKActions).toEqual([`<${topic?.id}>`]);
    }
    expect(resourcesOf(stack, 'AWS::SNS::Subscription')).toMatchObject([
      { Endpoint: 'ops@example.com', Protocol: 'email', TopicArn: `<${topic?.id}>` },
    ]);
    const [policy] = resourcesOf(stack, 'AWS::SNS::TopicPolicy');
    const service = stack === home ? senders : 'cloudwatch.amazonaws.com';
    expect(policy?.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({ Effect: 'Allow', Principal: { Service: service } }),
    );
  }
});

test('the stacks have these alarms', () => {
  const namesOf = (stack: Stack) =>
    alarmsOf(stack).map(({ AlarmName }) => AlarmName.replace(`${stack.stackName}-`, ''));
  expect(namesOf(home).sort()).toEqual(
    [
      'Answers5xx',
      'AuditsDie',
      'CanaryFails',
      'CanaryIsSilent',
      'CreatesAreSlow',
      'DeliveriesFail',
      'DeliveriesLost',
      'DeliveriesWait',
      'JobsLost',
      'OpenPastDue',
      'RefusesCreates',
      'RunsAbandoned',
      'RunsWait',
      'Silent',
      'TableThrottles',
      'Throttled',
    ].sort(),
  );
  for (const stack of regionStacks) expect(namesOf(stack).sort()).toEqual(['AuditsAreContended', 'ServiceFailures']);
});

test('one alarm of the home region counts the abandoned runs of all regions, because each alarm costs money', () => {
  const alarms = alarmsOf(home).filter(({ MetricName }) => MetricName === 'RunsAbandoned');
  expect(alarms).toMatchObject([
    {
      AlarmName: 'page-audit-prod-home-RunsAbandoned',
      Dimensions: [{ Name: 'service', Value: 'page-audit-prod' }],
      Statistic: 'Sum',
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 1, // the first abandoned run
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching', // the sweeper emits nothing if it abandons no run
    },
  ]);
});

test('the canary visits a region at each interval, and its alarms fire on a failure and on silence', () => {
  const rule = resourcesOf(home, 'AWS::Events::Rule').find(({ id }) => id.startsWith('Canary'));
  expect(rule).toMatchObject({
    ScheduleExpression: 'rate(15 minutes)',
    Targets: [{ Arn: `<${functionsOf(home).canary?.id}.Arn>`, RetryPolicy: { MaximumRetryAttempts: 0 } }],
  });
  expect(functionsOf(home).canary?.Environment.Variables).toMatchObject({
    CANARY_MINUTES: '15',
    REGIONS: environment.regions.join(','),
  });
  const ofCanary = (stack: Stack) => alarmsOf(stack).filter(({ AlarmName }) => /-Canary\w+$/.test(AlarmName));
  const sums = { Statistic: 'Sum', Threshold: 1 };
  expect(ofCanary(home)).toMatchObject([
    { ...sums, MetricName: 'Errors', Period: 300, EvaluationPeriods: 1, TreatMissingData: 'notBreaching' },
    { ...sums, MetricName: 'Invocations', Period: 900, EvaluationPeriods: 3, TreatMissingData: 'breaching' },
  ]);
  const dev = synthesized('dev').home;
  expect(resourcesOf(dev, 'AWS::Events::Rule').filter(({ id }) => id.startsWith('Canary'))).toEqual([]);
  expect(ofCanary(dev)).toEqual([]);
});

test('a budget warns the topic of the home stack before the month costs more than the row allows', () => {
  const [budget] = resourcesOf(home, 'AWS::Budgets::Budget');
  const [topic] = resourcesOf(home, 'AWS::SNS::Topic');
  expect(budget?.Budget).toMatchObject({
    BudgetLimit: { Amount: environment.budgetDollars, Unit: 'USD' },
    CostFilters: { TagKeyValue: ['user:environment$prod'] }, // the tag of every resource of the environment
  });
  const notices = budget?.NotificationsWithSubscribers as Properties[];
  expect(notices.map(({ Notification }) => [Notification.NotificationType, Notification.Threshold])).toEqual([
    ['ACTUAL', 80],
    ['FORECASTED', 100],
  ]);
  for (const { Subscribers } of notices) {
    expect(Subscribers).toEqual([{ SubscriptionType: 'SNS', Address: `<${topic?.id}>` }]);
  }
  expect(resourcesOf(home, 'AWS::SNS::TopicPolicy')[0]?.PolicyDocument.Statement).toContainEqual(
    expect.objectContaining({ Effect: 'Allow', Principal: { Service: senders } }),
  );
});

/** A metric on the dashboard or in an alarm. */
type Drawn = { awsRegion: string; namespace: string; name: string; dimensions: Record<string, string> };

const watched = (stack: Stack): Drawn[] =>
  alarmsOf(stack)
    .flatMap((alarm) => alarm.Metrics?.map((each: Properties) => each.MetricStat?.Metric) ?? [alarm])
    .filter(Boolean)
    .map(({ Namespace, MetricName, Dimensions = [] }) => ({
      awsRegion: stack.region,
      namespace: Namespace,
      name: MetricName,
      dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }: Properties) => [Name, Value])),
    }));

const widgets: Properties[] = JSON.parse(resourcesOf(home, 'AWS::CloudWatch::Dashboard')[0]?.DashboardBody).widgets;
const lines = widgets
  .filter(({ type }) => type === 'metric')
  .flatMap(({ properties }) => properties.metrics as unknown[][]);
const drawn: Drawn[] = lines
  .filter(([first]) => typeof first === 'string')
  .map((line) => {
    const options = (typeof line.at(-1) === 'object' ? line.at(-1) : {}) as { region?: string };
    const [namespace = '', name = '', ...pairs] = line.filter((each) => typeof each === 'string');
    const dimensions: Record<string, string> = Object.fromEntries(
      pairs.flatMap((each, i) => (i % 2 === 0 ? [[each, pairs[i + 1] ?? '']] : [])),
    );
    return {
      awsRegion: options.region ?? home.region,
      namespace,
      name,
      dimensions,
    };
  });

test('a function emits each of our metrics with the dimensions and in the region that a graph or an alarm uses', () => {
  const ours = [...all.flatMap(watched), ...drawn].filter(({ namespace }) => namespace === metricNamespace);
  expect(ours.length).toBeGreaterThan(50);
  for (const { name, dimensions, awsRegion } of ours) {
    const emitted = metrics[name as keyof typeof metrics];
    expect(emitted, name).toBeDefined();
    expect(Object.keys(dimensions).sort()).toEqual(['service', ...emitted.dimensions].sort());
    expect(dimensions.service).toBe(functionsOf(home).sweep?.Environment.Variables.POWERTOOLS_SERVICE_NAME);
    const there = dimensions.region ? regions[dimensions.region as AuditRegion] : undefined;
    if (!there) continue;
    const places = emitted.by.map((file) => (['canary', 'sweep', 'create-check'].includes(file) ? home.region : there));
    expect(places, `${name} of ${dimensions.region}`).toContain(awsRegion);
  }
});

test('each searched metric has the dimensions that a function emits', () => {
  const searches = lines
    .flatMap(([first]) => (typeof first === 'object' ? [(first as { expression: string }).expression] : []))
    .flatMap((expression) => [...expression.matchAll(/SEARCH\('\{(.+?)\} MetricName="(\w+)" service="(.+?)"/g)]);
  expect(searches.length).toBeGreaterThan(10);
  for (const [, schema, name, service] of searches) {
    const emitted = metrics[name as keyof typeof metrics];
    expect(schema).toBe([metricNamespace, 'service', ...emitted.dimensions].join(','));
    expect(service).toBe('page-audit-prod');
  }
});

test('a graph or an alarm uses each of our metrics', () => {
  const used = [...all.flatMap(watched), ...drawn].map(({ name }) => name);
  const searched = lines.map(([first]) => JSON.stringify(first)).join();
  const unused = Object.keys(metrics).filter((name) => !used.includes(name) && !searched.includes(`\\"${name}\\"`));
  expect(unused).toEqual([]);
});

test.each([
  ['waits and agents for which there is no room', 60, { mcp: 40, 'wait-check': 15, 'run-pagespeed': 5 }, []],
  ['agents whose function fails', 60, {}, ['Answers5xx']],
  ['agents without room, and a function that fails', 46, { mcp: 41 }, ['Answers5xx']],
  ['a function that lacks concurrency', 3, { 'create-check': 3 }, ['Throttled']],
] as const)('%s: the right one of the alarms on answers and on concurrency fires', (_, failures, throttled, fired) => {
  const metrics = metricRecorder();
  const [api] = resourcesOf(home, 'AWS::ApiGatewayV2::Api');
  for (const second of [0, 300]) {
    metrics.setTime(second);
    metrics.add('5xx', { ApiId: `<${api?.id}>` }, failures);
    for (const [file, count] of Object.entries(throttled)) {
      metrics.add('Throttles', {}, count); // of the account
      metrics.add('Throttles', { FunctionName: environment.names.homeFunction(file) }, count);
    }
  }
  const names = firedAlarms([home], metrics, 600).map((name) => name.replace('home-', ''));
  expect(names.filter((name) => ['Answers5xx', 'Throttled'].includes(name))).toEqual(fired);
});

/** Values that the sweeper and the canary leave in five minutes. */
type Left = { sweeps?: number[]; failedVisits?: number } & Partial<
  Record<'RegionsLate' | 'JobsLost' | 'AuditsLost', number>
>;

test.each<[string, Left, string[]]>([
  ['nothing', {}, []],
  [
    'a region whose jobs nobody receives: paused, throttled, or its function does not start',
    { RegionsLate: 1 },
    ['RunsWait'],
  ],
  ['a job that its function never completes', { JobsLost: 1 }, ['JobsLost']],
  ['dead letters that the sweeper can not receive or handle', { sweeps: [1, 1, 1, 1, 1] }, ['OpenPastDue']],
  ['one item that a sweep leaves to the next', { sweeps: [0, 1, 0, 0, 0] }, []],
  ['a sweeper that ends with an error', { sweeps: [] }, ['Silent']],
  ['a region whose audits die with their instances', { AuditsLost: 4 }, ['AuditsDie']],
  ['one page that kills its host', { AuditsLost: 1 }, []],
  ['a region in which the audits of the canary fail', { failedVisits: 1 }, ['CanaryFails']],
])('a planted failure fires its alarm in the home region: %s', (_, left, fired) => {
  const { sweeps = [0, 0, 0, 0, 0], failedVisits = 0, ...counts } = left;
  const ofCanary = { FunctionName: environment.names.homeFunction('canary') };
  const metrics = metricRecorder();
  for (let second = 0; second < 3600; second += 300) {
    metrics.setTime(second);
    for (const pastDue of sweeps) metrics.add('OpenPastDue', {}, pastDue);
    for (const [name, count] of Object.entries(counts)) metrics.add(name, {}, count);
    metrics.add('Invocations', ofCanary, second % 900 === 0 ? 1 : 0);
    metrics.add('Errors', ofCanary, second % 900 === 0 ? failedVisits : 0);
  }
  const names = firedAlarms([home], metrics, 3600, { withCanary: true });
  expect(names.map((name) => name.replace('home-', ''))).toEqual(fired);
});

test('without reserved concurrency, every throttle means that the account has none left', () => {
  const alarms = alarmsOf(synthesized('dev').home).filter(({ AlarmName }) => /Throttled$/.test(AlarmName));
  expect(alarms.map(({ MetricName, Dimensions = [] }) => [MetricName, Dimensions.length])).toEqual([['Throttles', 0]]);
});

test('the alarm on refused creates counts the log lines of creates that API Gateway answered itself', () => {
  const [filter] = resourcesOf(home, 'AWS::Logs::MetricFilter');
  const [stage] = resourcesOf(home, 'AWS::ApiGatewayV2::Stage');
  expect(filter?.FilterPattern).toBe('{ ($.method = "POST") && ($.status = "429") && ($.functionMilliseconds = "-") }');
  expect(stage?.AccessLogSettings.DestinationArn).toBe(`<${filter?.LogGroupName.slice(1, -1)}.Arn>`);
  const [alarm] = alarmsOf(home).filter(({ AlarmName }) => AlarmName.endsWith('RefusesCreates'));
  expect(filter?.MetricTransformations).toMatchObject([
    { MetricNamespace: alarm?.Namespace, MetricName: alarm?.MetricName, MetricValue: '1' },
  ]);
  expect(Object.keys(JSON.parse(stage?.AccessLogSettings.Format))).toEqual(
    expect.arrayContaining(['method', 'status', 'functionMilliseconds']),
  );
});

test.each([
  [20, 20, []],
  [20, 15, ['Answers5xx']],
])('%i failures, of which %i tell a client of PageSpeed to come again, fire %j', (failures, unfinished, fired) => {
  const [, filter] = resourcesOf(home, 'AWS::Logs::MetricFilter');
  expect(filter?.FilterPattern).toBe(
    '{ ($.route = "ANY /pagespeedonline/v5/runPagespeed") && ($.status = "503") && ($.functionError = "-") }',
  );
  const metrics = metricRecorder();
  const [api] = resourcesOf(home, 'AWS::ApiGatewayV2::Api');
  metrics.add('5xx', { ApiId: `<${api?.id}>` }, failures);
  metrics.add(filter?.MetricTransformations[0].MetricName, {}, unfinished);
  const names = firedAlarms([home], metrics, 600).map((name) => name.replace('home-', ''));
  expect(names.filter((name) => name === 'Answers5xx')).toEqual(fired);
});

test('the access log has no query, which may have a share token or an API key, and no header', () => {
  const [stage] = resourcesOf(home, 'AWS::ApiGatewayV2::Stage');
  const logged = Object.values(JSON.parse(stage?.AccessLogSettings.Format));
  expect(logged).toContain('$context.path'); // the path without the query
  expect(logged.filter((each) => /query|header|authorizer|protocol/i.test(String(each)))).toEqual([]);
});

test('each queue, function, table and API of a graph or an alarm exists in that region', () => {
  const existing = all.flatMap((stack) =>
    [
      ...resourcesOf(stack, 'AWS::SQS::Queue').map(({ QueueName }) => QueueName),
      ...Object.values(functionsOf(stack)).map(({ FunctionName }) => FunctionName),
      ...resourcesOf(stack, 'AWS::DynamoDB::GlobalTable').map(({ id }) => `<${id}>`),
      ...resourcesOf(stack, 'AWS::ApiGatewayV2::Api').map(({ id }) => `<${id}>`),
    ].map((name) => `${stack.region} ${name}`),
  );
  for (const { namespace, dimensions, awsRegion } of [...all.flatMap(watched), ...drawn]) {
    if ([metricNamespace, environment.names.service].includes(namespace)) continue;
    const { QueueName, FunctionName, TableName, ApiId } = dimensions;
    const name = QueueName ?? FunctionName ?? TableName ?? ApiId;
    if (name) expect(existing).toContain(`${awsRegion} ${name}`);
    else expect(namespace).toBe('AWS/Lambda'); // throttles of the whole account
  }
});

test('an alarm watches its own region only', () => {
  for (const alarm of all.flatMap(alarmsOf)) expect(JSON.stringify(alarm)).not.toContain('"Region"');
});

test('the dashboard has eight questions and every region', () => {
  const texts = widgets.filter(({ type }) => type === 'text').map(({ properties }) => properties.markdown as string);
  expect(texts.map((text) => text.split('\n')[0])).toEqual([
    '## Are we answering?',
    '## Are audits finishing?',
    '## How long does a check take, by region?',
    '## How deep and how old are the queues?',
    '## Why do runs fail?',
    '## Do webhooks get their deliveries?',
    '## What does it cost?',
    '## Are the hosts steady?',
  ]);
  for (const region of environment.regions) {
    expect(
      new Set(drawn.filter(({ dimensions }) => dimensions.region === region).map((each) => each.awsRegion)),
    ).toContain(regions[region]);
  }
});

/** Returns the anchor that a Markdown viewer gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}
