import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { newApp, stacksOf } from '../../infra/aws/stacks.ts';
import { environmentOf, environments } from '../../infra/environments.ts';
import { reportLives } from '../../infra/settings.ts';
import { allRegions } from '../../shared/regions.ts';
import { reportsOf } from '../../shared/service/report-folders.ts';
import { functionsOf, resourcesOf, synthesized, synthesizedAnew } from './support.ts';

type Rule = { Prefix?: string; ExpirationInDays?: number };

describe('an environment', () => {
  test.each(Object.keys(environments))('%s has its region stacks and a home stack, which is deployed last', (name) => {
    const { all, home, regionStacks, environment } = synthesized(name);
    const fewer: Record<string, string[]> = { trial: ['us-west1'], dev: ['us-west1', 'europe-north1'] };
    expect(environment.regions).toEqual(fewer[name] ?? allRegions);
    expect(all.map((stack) => stack.stackName).sort()).toEqual(
      ['home', ...environment.regions].map((each) => `page-audit-${name}-${each}`).sort(),
    );
    expect(home.dependencies.map((stack) => stack.stackName)).toEqual(regionStacks.map((stack) => stack.stackName));
    for (const stack of regionStacks) expect(stack.dependencies).toEqual([]); // one region can be deployed alone
  });

  test('with fewer regions accepts checks only for them', () => {
    const { home, all } = synthesizedAnew('dev', { regions: ['europe-west3'] });
    expect(all).toHaveLength(2);
    const { discover, 'create-check': create } = functionsOf(home);
    expect(discover?.Environment.Variables.REGIONS).toBe('europe-west3');
    expect(Object.keys(JSON.parse(create?.Environment.Variables.AUDIT_QUEUES))).toEqual(['europe-west3']);
  });

  test('keeps checks and reports for the same time', () => {
    for (const name of Object.keys(environments)) {
      const { home, environment } = synthesized(name);
      const [bucket] = resourcesOf(home, 'AWS::S3::Bucket');
      const { RETENTION_DAYS, TREND_DAYS } = functionsOf(home)['create-check']?.Environment.Variables ?? {};
      const { retentionDays: days } = environment;
      expect(bucket?.LifecycleConfiguration.Rules).toContainEqual(
        expect.objectContaining({ Prefix: reportsOf(days), ExpirationInDays: days }),
      );
      expect(RETENTION_DAYS).toBe(String(environment.retentionDays));
      expect(TREND_DAYS).toBe(String(environment.trendDays));
    }
  });

  test('the rules that expire reports are the same in every environment, so that none reaches back', () => {
    const rulesOf = (name: string) =>
      resourcesOf(synthesized(name).home, 'AWS::S3::Bucket').map((each) => each.LifecycleConfiguration.Rules);
    const [rules = [], ...others] = Object.keys(environments).map((name) => rulesOf(name)[0] as Rule[]);
    for (const other of others) expect(other).toEqual(rules);
    const expiring = rules.filter((rule) => rule.ExpirationInDays !== undefined);
    expect(expiring.map(({ Prefix, ExpirationInDays }) => [Prefix, ExpirationInDays])).toEqual([
      ...reportLives.map((days) => [`reports/${days}d/`, days]),
      ['secrets/', 2],
    ]);
    expect(() => environmentOf('dev', {}, { dev: { ...environments.dev, retentionDays: 45 } })).toThrow(
      'retentionDays',
    );
  });

  test('the table of prod and its index of open items are prepared for more than a new table takes', () => {
    const tableOf = (name: string) => resourcesOf(synthesized(name).home, 'AWS::DynamoDB::GlobalTable')[0];
    const prepared = { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 12_000 };
    const prod = tableOf('prod');
    expect(prod).toMatchObject({ TableName: 'page-audit-prod-1', WarmThroughput: prepared });
    const indexes = prod?.GlobalSecondaryIndexes as { IndexName: string; WarmThroughput?: object }[];
    expect(indexes.map(({ IndexName, WarmThroughput }) => [IndexName, WarmThroughput])).toEqual([
      ['open', prepared],
      ['list', undefined],
    ]);
    expect(JSON.stringify(tableOf('dev'))).not.toContain('WarmThroughput');
  });

  test('a table of the next generation has another name in every stack', () => {
    const { table, service } = environmentOf('dev', {}, { dev: { ...environments.dev, tableGeneration: 2 } }).names;
    expect([table, service]).toEqual(['page-audit-dev-2', 'page-audit-dev']);
  });

  test('prod is protected from deletion', () => {
    const { home } = synthesized('prod');
    expect(home.terminationProtection).toBe(true); // other stacks hold no data
    const [table] = resourcesOf(home, 'AWS::DynamoDB::GlobalTable');
    expect(table?.Replicas[0].DeletionProtectionEnabled).toBe(true);
  });
});

describe('an invalid setting is rejected with a valid value', () => {
  const row = environments.dev;

  test('an unknown environment', () => {
    expect(() => environmentOf('production')).toThrow(
      'no environment "production". Use trial, dev, staging, prod, large.',
    );
    expect(() => environmentOf('constructor')).toThrow('no environment "constructor"');
  });

  test('an unknown region', () => {
    expect(() => environmentOf('dev', {}, { dev: { ...row, regions: ['us-west1', 'mars'] } })).toThrow(
      /no region "mars". Use us-west1, us-east4/,
    );
  });

  test('a repeated region, and no region', () => {
    const withRegions = (regions: string[]) => () => environmentOf('dev', {}, { dev: { ...row, regions } });
    expect(withRegions(['us-west1', 'us-west1'])).toThrow('lists a region twice');
    expect(withRegions([])).toThrow('List at least one region.');
  });

  test('an invalid e-mail address, and an invalid account id', () => {
    expect(() => environmentOf('dev', { alarmEmail: 'ops@' })).toThrow(
      /"ops@" is not an e-mail address. Set ALARM_EMAIL/,
    );
    expect(() => environmentOf('dev', { account: '1234' })).toThrow(/"1234" is not an AWS account id of twelve digits/);
  });

  test('the app prints one line', async () => {
    const run = promisify(execFile)(process.execPath, ['infra/aws/app.ts'], {
      env: { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ environment: 'tset', assets: 'none' }) },
    });
    await expect(run).rejects.toMatchObject({
      code: 1,
      stderr: 'There is no environment "tset". Use trial, dev, staging, prod, large.\n',
    });
  });

  test('a missing e-mail address gives a warning and no subscription', () => {
    const { home } = stacksOf(newApp({ assets: 'none' }), environmentOf('dev'));
    expect(resourcesOf(home, 'AWS::SNS::Subscription')).toEqual([]);
    Annotations.fromStack(home).hasWarning('*', Match.stringLikeRegexp('Alarms reach nobody.* Set ALARM_EMAIL'));
  });

  test('a given account id is in every stack', () => {
    const { home, regionStacks } = stacksOf(
      newApp({ assets: 'none' }),
      environmentOf('dev', { account: '210987654321', alarmEmail: 'ops@example.com' }),
    );
    for (const stack of [home, ...regionStacks]) expect(stack.account).toBe('210987654321');
    const { AUDIT_QUEUES } = functionsOf(home)['create-check']?.Environment.Variables ?? {};
    expect(JSON.parse(AUDIT_QUEUES)['europe-north1']).toBe(
      'https://sqs.eu-north-1.amazonaws.com/210987654321/page-audit-dev-audits-europe-north1',
    );
  });
});
