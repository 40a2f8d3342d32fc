import type { AddCommand } from '../flags/command.ts';
import { DATA } from '../flags/common-options.ts';
import { textOrJson } from '../flags/flag-values.ts';

/** Adds `regions`, which lists the regions of the service. */
export const addRegions: AddCommand = (program, execute) => {
  program
    .command('regions')
    .description('list the regions of the service')
    .option('--format <name>', 'text or json', textOrJson, 'text')
    .option(...DATA)
    .action(
      execute(async (context, options: { format: 'text' | 'json'; data?: string }) =>
        (await import('./offer.ts')).regions(context, options),
      ),
    );
};
