import { expect, test } from 'vitest';
import { environmentOf } from '../../infra/environments.ts';
import { type Aws, AwsError } from '../../infra/operator/aws-cli.ts';
import { concurrencyOf, preflight } from '../../infra/operator/preflight.ts';
import { functionsOf, synthesized } from './support.ts';

const [trial, prod] = [synthesized('trial'), synthesized('prod')]; // outside the time limit of a test

/** An account that answers each question. `answers` replaces some of the answers. */
const account = (answers: Record<string, unknown>): Aws => {
  const all: Record<string, unknown> = {
    'lambda get-account-settings': { AccountLimit: { ConcurrentExecutions: 1000 } },
    'lambda get-function-configuration': new AwsError('ResourceNotFoundException', ''),
    'logs describe-log-groups': { logGroups: [] },
    'cloudformation describe-stacks': new AwsError('ValidationError', 'Stack with id x does not exist'),
    'sts get-caller-identity': { Account: '123456789012' },
    'dynamodb describe-table': new AwsError('ResourceNotFoundException', ''),
    's3api head-bucket': new AwsError('404', ''),
    ...answers,
  };
  return async (operation, _, input) => {
    const isBootstrap = String(input?.Name).startsWith('/cdk-bootstrap');
    const answer = operation === 'ssm get-parameter' ? (isBootstrap ? parameter : noParameter) : all[operation];
    if (answer instanceof Error || answer === undefined) throw answer ?? new Error(`No answer to ${operation}.`);
    return answer as never;
  };
};
const parameter = { Parameter: { Value: '30' } };
const noParameter = new AwsError('ParameterNotFound', '');
const unmet = async (name: string, answers = {}) =>
  (await preflight(environmentOf(name), account(answers)))
    .filter(({ isMet }) => !isMet)
    .map(({ what, region, needed, found }) => [what, region, needed, found]);

test('an account with the default quotas is enough for prod, and nothing says its quota of memory', async () => {
  const needs = await preflight(environmentOf('prod'), account({}));
  expect(needs.filter(({ isMet }) => !isMet)).toEqual([]);
  expect(needs.filter(({ found }) => found === undefined).map(({ what }) => what)).toEqual(['memory of a function']);
});

test('a new account is too small for prod, but fits the environment trial', async () => {
  const small = { 'lambda get-account-settings': { AccountLimit: { ConcurrentExecutions: 10 } } };
  expect(await unmet('trial', small)).toEqual([]);
  expect(await unmet('prod', small)).toContainEqual(['concurrent executions of Lambda', 'us-west-2', '702', '10']);
  expect(functionsOf(trial.region)['run-audit']?.MemorySize).toBe(3008);
});

test('the concurrency of prod is that of its templates, and what AWS keeps unreserved', () => {
  const reserved = Object.values(functionsOf(prod.home)).map(
    ({ ReservedConcurrentExecutions: each = 0 }) => each as number,
  );
  const sum = reserved.reduce((total, each) => total + each, 0);
  expect(concurrencyOf(environmentOf('prod'), 'us-west-2')).toBe(sum + 100 + 50);
  expect(concurrencyOf(environmentOf('prod'), 'eu-north-1')).toBe(50);
});

test('a first deploy is stopped by names that an earlier environment kept', async () => {
  const kept = {
    'dynamodb describe-table': { Table: {} },
    's3api head-bucket': {},
    'logs describe-log-groups': { logGroups: [{ logGroupName: '/aws/lambda/page-audit-trial-sweep' }] },
  };
  expect(await unmet('trial', kept)).toEqual([
    ['log groups of functions', 'us-west-2', 'free names', '1 taken'],
    ['table page-audit-trial-1', 'us-west-2', 'a free name', 'taken'],
    ['bucket page-audit-trial-reports-123456789012', 'us-west-2', 'a free name', 'taken'],
  ]);
});

test('an error of AWS that is no answer stops the deploy', async () => {
  const denied = { 'dynamodb describe-table': new AwsError('AccessDeniedException', 'You may not.') };
  await expect(unmet('trial', denied)).rejects.toThrow('You may not.');
});
