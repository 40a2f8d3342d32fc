import type { AddCommand } from '../flags/command.ts';
import { DATA } from '../flags/common-options.ts';
import type { ReadOptions } from '../flags/options.ts';

/** Adds `report`, which prints a report. */
export const addReport: AddCommand = (program, execute) => {
  program
    .command('report')
    .description('print the Lighthouse report of a run as JSON')
    .option(...DATA)
    .argument('<run>', 'id of a run')
    .option('--html', 'as a web page')
    .action(
      execute(async (context, id: string, options: ReadOptions) =>
        (await import('./read.ts')).report(context, id, options),
      ),
    );
};
