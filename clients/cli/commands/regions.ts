import { textOrJson } from '../flag-values.ts';
import type { AddCommand } from './command.ts';
import { DATA } from './common-options.ts';

/** Adds `regions`, which lists the regions of the service. */
export const addRegions: AddCommand = (program, execute) => {
  program
    .command('regions')
    .description('list the regions of the service')
    .option('--format <name>', 'text or json', textOrJson, 'text')
    .option(...DATA)
    .action(
      execute(async (context, options: { format: 'text' | 'json'; data?: string }) =>
        (await import('../offer.ts')).regions(context, options),
      ),
    );
};
