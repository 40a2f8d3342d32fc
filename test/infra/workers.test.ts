import { readFileSync } from 'node:fs';
import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { environmentOf, environments } from '../../infra/environments.ts';
import { workerSettingsFrom } from '../../infra/local/worker-settings.ts';
import { workerSettings } from '../../infra/settings.ts';
import { type Properties, resourcesOf, rightsOf, statementsOf, synthesized, synthesizedAnew } from './support.ts';
import { workerVariablesOf } from './worker-variables.ts';

const withWorkers = (spot = true) => synthesizedAnew('dev', { workers: { instances: 7, spot } });
const { app, region, regionStacks } = withWorkers();
const only = (type: string, stack = region): Properties => {
  const [resource, ...more] = resourcesOf(stack, type);
  expect(more).toEqual([]);
  return resource as Properties;
};

test('a row without workers makes no instance, and one with workers makes a group in each region', () => {
  expect(resourcesOf(synthesized().region, 'AWS::AutoScaling::AutoScalingGroup')).toEqual([]);
  for (const stack of regionStacks)
    expect(only('AWS::AutoScaling::AutoScalingGroup', stack)).toMatchObject({ MinSize: '1', MaxSize: '7' });
});

test.each([
  [true, 0],
  [false, 100],
])('the instances are of Spot or on demand, as the row says: %s', (spot, onDemand) => {
  const { MixedInstancesPolicy: policy } = only('AWS::AutoScaling::AutoScalingGroup', withWorkers(spot).region);
  expect(policy.InstancesDistribution).toMatchObject({
    OnDemandBaseCapacity: 0,
    OnDemandPercentageAboveBaseCapacity: onDemand,
  });
  const types = policy.LaunchTemplate.Overrides.map(({ InstanceType }: Properties) => InstanceType);
  expect(types).toEqual(workerSettings.instanceTypes);
});

test('the number of instances follows the age of the oldest job: none, one or four more, or one less', () => {
  const policies = resourcesOf(region, 'AWS::AutoScaling::ScalingPolicy');
  const alarms = resourcesOf(region, 'AWS::CloudWatch::Alarm').filter(
    ({ MetricName }) => MetricName === 'ApproximateAgeOfOldestMessage',
  );
  expect(alarms).toHaveLength(2);
  const changeAt = (age: number): number => {
    const fired = alarms.filter(({ ComparisonOperator, Threshold }) =>
      ComparisonOperator === 'LessThanOrEqualToThreshold' ? age <= Threshold : age >= Threshold,
    );
    const changes = fired.map(({ AlarmActions: [action], Threshold }) => {
      const { StepAdjustments } = policies.find(({ id }) => action === `<${id}>`) as Properties;
      const step = StepAdjustments.find(
        ({ MetricIntervalLowerBound: from = -Infinity, MetricIntervalUpperBound: until = Infinity }) =>
          age - Threshold >= from && age - Threshold < until,
      );
      return step?.ScalingAdjustment ?? StepAdjustments.at(-1).ScalingAdjustment;
    });
    return changes.reduce((total: number, each: number) => total + each, 0);
  };
  expect([0, 30, 90, 600].map(changeAt)).toEqual([-1, 0, 1, 4]);
});

test('a worker has the rights of run-audit, and may pull its image and write its log', () => {
  const worker = resourcesOf(region, 'AWS::IAM::Role').find(({ id }) => id.includes('WorkersRole')) as Properties;
  const granted = (statements: Properties[]) =>
    statements.map(({ Action, Resource, Condition }) => JSON.stringify([Action, Resource, Condition])).sort();
  const others = statementsOf(worker).filter(({ Action }) => !/^(ecr|logs):/.test([Action].flat()[0]));
  const ofFunction = rightsOf(region, 'run-audit').filter(({ Action }) => !/^logs:/.test([Action].flat()[0]));
  expect(granted(others)).toEqual(granted(ofFunction));
  expect(worker.AssumeRolePolicyDocument.Statement[0].Principal).toEqual({ Service: 'ec2.amazonaws.com' });
});

test('nobody reaches an instance, and only its root user asks for its credentials', () => {
  const group = only('AWS::EC2::SecurityGroup');
  expect(group.SecurityGroupIngress).toBeUndefined();
  expect(resourcesOf(region, 'AWS::EC2::SecurityGroupIngress')).toEqual([]);
  const { LaunchTemplateData: data } = only('AWS::EC2::LaunchTemplate');
  expect(data.MetadataOptions).toMatchObject({ HttpTokens: 'required', HttpPutResponseHopLimit: 1 });
  expect(data.BlockDeviceMappings[0].Ebs).toMatchObject({ Encrypted: true });
  const script = data.UserData['Fn::Base64'] as string;
  expect(script.indexOf('--uid-owner 0 -j REJECT')).toBeGreaterThan(0);
  expect(script.indexOf('--uid-owner 0 -j REJECT')).toBeLessThan(script.indexOf('docker run'));
  expect(script).toContain('--cap-drop ALL');
});

test('instances, compose.yaml and build.sh start the container with the same options', () => {
  const [options, compose, build] = ['run-options', 'compose.yaml', 'build.sh'].map((name) =>
    readFileSync(new URL(`../../infra/container/${name}`, import.meta.url), 'utf8'),
  ) as [string, string, string];
  const script = only('AWS::EC2::LaunchTemplate').LaunchTemplateData.UserData['Fn::Base64'] as string;
  expect(script).toContain(options.trim().replaceAll('\n', ' '));
  const flow = (key: string) => compose.match(new RegExp(`${key}: \\[(.+)\\]`))?.[1]?.split(', ') ?? [];
  const [, block = ''] = compose.match(/security_opt:\n((?: +- .+\n)+)/) ?? [];
  expect(options.trim().split('\n')).toEqual([
    ...flow('cap_drop').map((each) => `--cap-drop ${each}`),
    ...flow('cap_add').map((each) => `--cap-add ${each}`),
    ...[...block.matchAll(/- (\S+)/g)].map(([, each]) => `--security-opt ${each}`),
    `--pids-limit ${compose.match(/pids_limit: (\d+)/)?.[1]}`,
  ]);
  expect(build).toContain('"$here/run-options"');
  expect(build).toContain(`--memory ${compose.match(/mem_limit: (\w+)/)?.[1]}`);
});

test('the variables of an instance are settings with which the worker starts', () => {
  const variables = workerVariablesOf(region);
  expect(workerSettingsFrom(variables)).toMatchObject({
    awsRegion: 'us-west-2',
    stopMs: 60_000,
    env: { SANDBOX: 'required', POWERTOOLS_SERVICE_NAME: 'page-audit-dev' },
  });
  expect(variables).toMatchObject({ TABLE_NAME: 'page-audit-dev-1', TARGETS: 'public', OPEN_SHARDS: '1' });
});

test('the templates break no rule of AwsSolutions without a reason', () => {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
});

test('a row with no instance is refused', () => {
  const rows = { dev: { ...environments.dev, workers: { instances: 0, spot: true } } };
  expect(() => environmentOf('dev', {}, rows)).toThrow('workers');
});
