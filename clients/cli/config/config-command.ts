import type { Command } from 'commander';
import type { AddCommand } from '../flags/command.ts';

/** Adds `config-schema`, which prints the JSON schema of the file page-audit.json. */
export const addConfigSchema: AddCommand = (program, execute) => {
  program
    .command('config-schema')
    .description('print the JSON schema of page-audit.json, a file with options of run for its folder')
    .action(
      execute(async (context, _: object, { parent }: Command) => {
        const run = parent?.commands.find((each) => each.name() === 'run') as Command;
        return (await import('./config.ts')).printSchema(context, run);
      }),
    );
};
