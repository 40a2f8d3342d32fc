import { expect, test } from 'vitest';
import { apiFunctions } from '../../shared/service/routes.ts';
import { type Properties, resourcesOf, statementsOf, synthesized, templateOf } from './support.ts';

const { home, regionStacks } = synthesized('prod');
const groups = resourcesOf(home, 'AWS::CodeDeploy::DeploymentGroup');

test('a new version of each API function begins with a tenth of the requests', () => {
  expect(groups.map(({ DeploymentGroupName }) => DeploymentGroupName).sort()).toEqual([...apiFunctions].sort());
  for (const group of groups)
    expect(group.DeploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent10Minutes');
  const aliases = Object.values(templateOf(home).findResources('AWS::Lambda::Alias'));
  const shifted = aliases.map(({ UpdatePolicy }) => UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref);
  expect(shifted.sort()).toEqual(groups.map(({ id }) => id).sort());
});

test('CodeDeploy returns to the old version if the API answers 5xx, or if someone stops the deployment', () => {
  const [alarm] = resourcesOf(home, 'AWS::CloudWatch::Alarm').filter(({ AlarmName }) =>
    AlarmName.endsWith('Answers5xx'),
  );
  for (const group of groups) {
    expect(group.AlarmConfiguration).toMatchObject({ Alarms: [{ Name: `<${alarm?.id}>` }], Enabled: true });
    expect(group.AutoRollbackConfiguration).toEqual({
      Enabled: true,
      Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
    });
  }
});

test('the role of CodeDeploy may move the aliases of the API functions, and has no managed policy', () => {
  const [role, ...more] = resourcesOf(home, 'AWS::IAM::Role').filter(({ AssumeRolePolicyDocument }) =>
    JSON.stringify(AssumeRolePolicyDocument).includes('codedeploy.amazonaws.com'),
  );
  expect(more).toEqual([]);
  expect(role).not.toHaveProperty('ManagedPolicyArns');
  for (const group of groups) expect(group.ServiceRoleArn).toBe(`<${role?.id}.Arn>`);
  const arns = apiFunctions.map((file) => `arn:aws:lambda:us-west-2:123456789012:function:page-audit-prod-${file}`);
  expect(statementsOf(role as Properties)).toEqual([
    {
      Effect: 'Allow',
      Action: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
      Resource: arns.flatMap((arn) => [arn, `${arn}:live`]).sort(),
    },
    { Effect: 'Allow', Action: 'cloudwatch:DescribeAlarms', Resource: '*' },
  ]);
});

test('only routes use the alias: dev shifts nothing, and the audit functions have no alias', () => {
  const dev = synthesized('dev').home;
  expect(resourcesOf(dev, 'AWS::Lambda::Alias')).toHaveLength(apiFunctions.length);
  expect(resourcesOf(dev, 'AWS::CodeDeploy::DeploymentGroup')).toEqual([]);
  for (const stack of regionStacks) expect(resourcesOf(stack, 'AWS::Lambda::Alias')).toEqual([]);
});
