import type { AddCommand } from '../flags/command.ts';
import { DATA } from '../flags/common-options.ts';
import type { ReadOptions } from '../flags/options.ts';

/** Adds `delete`, which erases a check. */
export const addDelete: AddCommand = (program, execute) => {
  program
    .command('delete')
    .description('erase a check, its runs and reports')
    .option(...DATA)
    .argument('<check>', 'id of a check')
    .action(
      execute(async (context, id: string, options: ReadOptions) =>
        (await import('./read.ts')).erase(context, id, options),
      ),
    );
};
