import { type ParseArgsConfig, parseArgs } from 'node:util';
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
