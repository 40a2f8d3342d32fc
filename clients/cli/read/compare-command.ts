import type { AddCommand } from '../flags/command.ts';
import { DATA, INTENDED, POOL } from '../flags/common-options.ts';
import { textOrMarkdown } from '../flags/flag-values.ts';
import type { ReadOptions } from '../flags/options.ts';

/** Adds `compare`, which compares checks or regions. */
export const addCompare: AddCommand = (program, execute) => {
  program
    .command('compare')
    .description('compare the regions of a check as JSON, or two checks')
    .option(...DATA)
    .argument('<check>', 'id of a check')
    .option('--base <check>', 'id of an earlier check, or a label. A regression is exit code 1, no verdict is 2')
    .option(...POOL)
    .option(...INTENDED)
    .option('--why', 'with --base: also say why the two checks differ')
    .option('--format <name>', 'text, json or markdown', textOrMarkdown, 'text')
    .action(
      execute(async (context, id: string, options: ReadOptions) =>
        (await import('./read.ts')).compare(context, id, options),
      ),
    );
};
