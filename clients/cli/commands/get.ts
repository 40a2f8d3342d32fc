import { format } from '../flag-values.ts';
import { formatNames } from '../formats/render.ts';
import type { ReadOptions } from '../options.ts';
import type { AddCommand } from './command.ts';
import { DATA } from './common-options.ts';

/** Adds `get`, which prints a check. */
export const addGet: AddCommand = (program, execute) => {
  program
    .command('get')
    .description('print a check')
    .option(...DATA)
    .argument('<check>', 'id of a check')
    .option('--format <name>', formatNames.join(', '), format, 'text')
    .action(
      execute(async (context, id: string, options: ReadOptions) =>
        (await import('../read.ts')).get(context, id, options),
      ),
    );
};
