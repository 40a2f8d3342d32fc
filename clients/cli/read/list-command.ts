import type { AddCommand } from '../flags/command.ts';
import { DATA } from '../flags/common-options.ts';
import { textOrJson, wholeNumber } from '../flags/flag-values.ts';
import type { ReadOptions } from '../flags/options.ts';
import { filterFlags } from './filter-flags.ts';

/** Adds `list`, which lists checks. */
export const addList: AddCommand = (program, execute) => {
  const command = program
    .command('list')
    .description('list checks, newest first')
    .option(...DATA)
    .option('--limit <number>', '1 to 100', wholeNumber, 20)
    .option('--format <name>', 'text or json', textOrJson, 'text')
    .action(execute(async (context, options: ReadOptions) => (await import('./read.ts')).list(context, options)));
  for (const flag of filterFlags('checks')) command.addOption(flag);
};
