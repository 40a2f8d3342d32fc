import type { AddCommand } from '../flags/command.ts';
import { DATA } from '../flags/common-options.ts';
import { oneDevice, textOrMarkdown, wholeNumber } from '../flags/flag-values.ts';
import type { FixesOptions } from '../flags/options.ts';

/** Adds `fixes`, which prints what to fix first. */
export const addFixes: AddCommand = (program, execute) => {
  program
    .command('fixes')
    .description('print what to fix first, with the points that it gains at most')
    .argument('<target>', 'id of a run, id of a check (its worst run), or a URL to audit')
    .option('--device <name>', 'of the audit of a URL: mobile or desktop (default: mobile)', oneDevice)
    .option('--audit-version <version>', 'of the audit of a URL', 'latest')
    .option('--samples <number>', 'of the audit of a URL', wholeNumber)
    .option('--timeout <seconds>', 'time limit of the audit of a URL', wholeNumber, 900)
    .option('--format <name>', 'text, json or markdown', textOrMarkdown, 'text')
    .option(...DATA)
    .action(
      execute(async (context, target: string, options: FixesOptions) =>
        (await import('./fixes.ts')).fixes(context, target, options),
      ),
    );
};
