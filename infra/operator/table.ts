import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Streams } from '../../clients/cli/streams.ts';
import { type Db, openDb } from '../../functions/lib/store/dynamodb.ts';
import { StoreEnv } from '../../shared/service/env.ts';
import { environmentOf, InvalidSettingError } from '../environments.ts';
import { openTable } from '../local/aws.ts';
import { type CommandName, commandLine } from '../local/command-line.ts';

/** An invalid call of a command. The message says what would be valid. */
export class UsageError extends Error {}

/** Calls `run` with the table of an environment on AWS, or with the table of this machine. */
export const withTable = async (environment: string | undefined, run: (db: Db) => Promise<void>): Promise<void> => {
  const table = await tableOf(environment);
  try {
    Object.assign(process.env, table.env);
    await run(openDb(StoreEnv.parse({ TABLE_NAME: table.name, HOME_REGION: table.region })));
  } finally {
    await table.close();
  }
};

const tableOf = async (environment: string | undefined) => {
  if (environment !== undefined) {
    const { homeRegion, names } = environmentOf(environment);
    return { name: names.table, region: homeRegion, env: {}, close: async () => {} };
  }
  const { env, close } = await openTable(existingFolder());
  return { name: env.TABLE_NAME as string, region: env.HOME_REGION as string, env, close };
};

/** Returns the data folder that the environment names. */
export const dataFolder = (): string => resolve(process.env.DATA_DIR || '.local');

/** Returns the data folder. Throws if it does not exist, because a command would make one that no service uses. */
export const existingFolder = (): string => {
  const dataDir = dataFolder();
  if (existsSync(dataDir)) return dataDir;
  throw new Error(
    `The data folder ${dataDir} does not exist. Start the service once, or set DATA_DIR to the folder of its data.`,
  );
};

/** A command of an operator. `rights` are those that it needs on AWS, if it works there. */
type OperatorCommand = { command: CommandName; rights?: string; run: (streams: Streams) => Promise<void> };

/** Runs a command and sets the exit code. Reports why the command failed and what to do next. */
export const runCommand = async ({ command, rights, run }: OperatorCommand): Promise<void> => {
  const streams = new Streams();
  const code = await run(streams).then(
    () => 0,
    (error: Error) => {
      const usage = error instanceof UsageError;
      streams.note(usage ? `${error.message}\nFor help: ${commandLine(command, '--help')}` : advice(error, rights));
      return usage ? 2 : 1;
    },
  );
  process.exitCode = await streams.end(code, 1);
};

const advice = (error: Error, rights = 'rights on AWS'): string => {
  if (error instanceof InvalidSettingError) return error.message;
  switch (error.name) {
    case 'CredentialsProviderError':
    case 'ExpiredTokenException':
    case 'UnrecognizedClientException':
      return `AWS did not accept the credentials (${error.message}). Log in or set AWS_PROFILE, then run the command again.`;
    case 'ResourceNotFoundException':
      return 'This AWS account has no such environment. Deploy it first (infra/DEPLOY.md), or set AWS_PROFILE to the right account.';
    case 'AccessDeniedException':
      return `${error.message}\nThe command needs ${rights}.`;
    default:
      return error.message;
  }
};
