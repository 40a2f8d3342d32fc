import { resolve } from 'node:path';
import { openDb } from '../../functions/lib/store/dynamodb.ts';
import { keyStore } from '../../functions/lib/store/keys.ts';
import { environmentOf, InvalidSetting } from '../environments.ts';
import { openTable } from '../local/dynamodb.ts';
import { commandFrom, notify, UsageError, usage } from './key-commands.ts';

/** `npm run keys`: makes, lists and revokes API keys. Answers go to stdout, words for people to stderr. */
const main = async (): Promise<void> => {
  const command = commandFrom(process.argv.slice(2));
  if (command === 'help') return console.log(usage);
  const table = await tableOf(command.environment);
  try {
    Object.assign(process.env, table.env);
    await command.run(keyStore(openDb({ TABLE_NAME: table.name, HOME_REGION: table.region })));
  } finally {
    await table.close();
  }
};

/** The table to work on: an environment's on AWS, or this machine's. */
const tableOf = async (environment: string | undefined) => {
  if (environment !== undefined) {
    const { homeRegion, names } = environmentOf(environment);
    return { name: names.table, region: homeRegion, env: {}, close: async () => {} };
  }
  const { env, close } = await openTable(resolve(process.env.DATA_DIR || '.local'));
  return { name: env.TABLE_NAME as string, region: env.HOME_REGION as string, env, close };
};

/** What to do about what AWS says. */
const advice = (error: Error): string => {
  if (error instanceof InvalidSetting) return error.message;
  switch (error.name) {
    case 'CredentialsProviderError':
    case 'ExpiredTokenException':
    case 'UnrecognizedClientException':
      return `AWS takes no credentials from here (${error.message}). Log in, or set AWS_PROFILE, and try again.`;
    case 'ResourceNotFoundException':
      return 'This account has no such environment. Deploy it first (infra/DEPLOY.md), or set AWS_PROFILE to the account that has it.';
    case 'AccessDeniedException':
      return `${error.message}\nIt takes dynamodb:Query, GetItem, PutItem and UpdateItem on the table.`;
    default:
      return error.message;
  }
};

try {
  await main();
} catch (error) {
  const { message } = error as Error;
  notify(error instanceof UsageError ? `${message}\nTo read how: npm run keys -- --help` : advice(error as Error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
