import { resolve } from 'node:path';
import { openDb } from '../../functions/lib/store/dynamodb.ts';
import { keyStore } from '../../functions/lib/store/keys.ts';
import { environmentOf, InvalidSetting } from '../environments.ts';
import { openTable } from '../local/dynamodb.ts';
import { commandFrom, notify, UsageError, usage } from './key-commands.ts';

/** `npm run keys`: creates, lists and revokes API keys. Results go to stdout, messages to stderr. */
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

/** Opens the table of an environment on AWS, or the table of this machine. */
const tableOf = async (environment: string | undefined) => {
  if (environment !== undefined) {
    const { homeRegion, names } = environmentOf(environment);
    return { name: names.table, region: homeRegion, env: {}, close: async () => {} };
  }
  const { env, close } = await openTable(resolve(process.env.DATA_DIR || '.local'));
  return { name: env.TABLE_NAME as string, region: env.HOME_REGION as string, env, close };
};

/** Returns the message of an error, with what to do next. */
const advice = (error: Error): string => {
  if (error instanceof InvalidSetting) return error.message;
  switch (error.name) {
    case 'CredentialsProviderError':
    case 'ExpiredTokenException':
    case 'UnrecognizedClientException':
      return `AWS did not accept the credentials (${error.message}). Log in or set AWS_PROFILE, then run the command again.`;
    case 'ResourceNotFoundException':
      return 'This AWS account has no such environment. Deploy it first (infra/DEPLOY.md), or set AWS_PROFILE to the right account.';
    case 'AccessDeniedException':
      return `${error.message}\nThe command needs dynamodb:Query, GetItem, PutItem and UpdateItem on the table.`;
    default:
      return error.message;
  }
};

try {
  await main();
} catch (error) {
  const { message } = error as Error;
  notify(error instanceof UsageError ? `${message}\nFor help: npm run keys -- --help` : advice(error as Error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
