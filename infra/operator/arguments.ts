import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Environment, environmentOf } from '../environments.ts';
import { UsageError } from './table.ts';

/** Options of every command of an operator. */
export const commonOptions = {
  environment: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Returns the options and the other arguments of a command. Throws a UsageError if an argument is invalid. */
export const parseArguments = <const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> => {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

/** Returns the environment of a command that works on AWS only, or undefined for `--help`. */
export const environmentFrom = (args: string[]): Environment | undefined => {
  const { environment, help } = parseArguments({ args, options: commonOptions }).values;
  if (help) return undefined;
  if (environment === undefined) throw new UsageError('Name the environment, for example --environment staging.');
  return environmentOf(environment);
};

/** Returns the only argument of a command, a file, or undefined for `--help`. Throws a UsageError if an argument is invalid. */
export const fileFrom = (args: string[]): string | undefined => {
  const { values, positionals } = parseArguments({ args, options: commonOptions, allowPositionals: true });
  if (values.help) return undefined;
  refuseEnvironment(values.environment);
  const [file, ...rest] = positionals;
  if (!file || rest.length > 0) throw new UsageError('Name one file.');
  return file;
};

/** Throws if a command that works on the data of one machine gets an environment. */
export const refuseEnvironment = (environment: string | undefined): void => {
  if (environment !== undefined)
    throw new UsageError('This command works on the data of this machine only. infra/RUNBOOK.md has those on AWS.');
};
