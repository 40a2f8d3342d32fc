import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, inject, test } from 'vitest';
import { environmentOf } from '../../infra/environments.ts';
import { awsCli } from '../../infra/operator/aws-cli.ts';
import { preflight } from '../../infra/operator/preflight.ts';
import { tableDefinition } from '../support/table-definition.ts';
import { cliEnv } from './aws-env.ts';

test('an account without a bootstrap and with a taken name is refused before anything is uploaded', async () => {
  Object.assign(process.env, cliEnv(inject('motoUrl')));
  const environment = environmentOf('staging'); // other tests have `trial` and `dev` on the same server
  const { table } = environment.names;
  await new DynamoDBClient({}).send(new CreateTableCommand(tableDefinition(table)));
  const needs = await preflight(environment, async (operation, region, input) =>
    // moto knows no quotas of Lambda.
    operation === 'lambda get-account-settings'
      ? { AccountLimit: { ConcurrentExecutions: 10 } }
      : awsCli(operation, region, input),
  );
  const unmet = needs.filter(({ isMet }) => !isMet).map(({ what, found }) => [what, found]);
  expect(unmet).toEqual(
    expect.arrayContaining([
      ['bootstrap of the CDK', 'none'],
      [`table ${table}`, 'taken'],
    ]),
  );
});
