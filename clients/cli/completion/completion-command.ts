import { Argument, type Command } from 'commander';
import type { AddCommand } from '../flags/command.ts';
import type { Shell } from './completion.ts';

/** Adds `completion`, which prints a script for a shell. */
export const addCompletion: AddCommand = (program, execute) => {
  program
    .command('completion')
    .description('print the completion of a shell, such as eval "$(page-audit completion bash)"')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish']))
    .action(
      execute(async ({ print }, shell: Shell, _: object, command: Command) => {
        await print((await import('./completion.ts')).completionOf(command.parent ?? command, shell));
        return 0;
      }),
    );
};
