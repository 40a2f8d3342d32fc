import type { AddCommand } from '../flags/command.ts';

/** Adds `share`, which makes a link to a check. */
export const addShare: AddCommand = (program, execute) => {
  program
    .command('share')
    .description('print a link with which anyone can read a check for some days')
    .argument('<check>', 'id of a check')
    .option('--expires <days>', 'life of the link, 1d to 30d (default: 7d)')
    .action(
      execute(async (context, id: string, options: { expires?: string }) =>
        (await import('./offer.ts')).share(context, id, options),
      ),
    );
};
