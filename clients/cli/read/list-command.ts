import type { AddCommand } from '../flags/command.ts';
import { DATA } from '../flags/common-options.ts';
import { label, textOrJson, wholeNumber } from '../flags/flag-values.ts';
import type { ReadOptions } from '../flags/options.ts';

/** Adds `list`, which lists checks. */
export const addList: AddCommand = (program, execute) => {
  program
    .command('list')
    .description('list checks, newest first')
    .option(...DATA)
    .option('--limit <number>', '1 to 100', wholeNumber, 20)
    .option('--url <url>', 'checks of this URL only')
    .option('--state <state>', 'checks in this state only')
    .option('--assertions-passed <true or false>', 'checks whose assertions passed, or failed')
    .option('--label <name=value>', 'checks with this label only. Repeat it for more labels', label)
    .option('--format <name>', 'text or json', textOrJson, 'text')
    .action(execute(async (context, options: ReadOptions) => (await import('./read.ts')).list(context, options)));
};
