import { type Command, Option } from 'commander';
import { ciNames, inCi } from '../ci/ci.ts';
import type { AddCommand } from '../flags/command.ts';
import {
  BASE,
  BASE_URL,
  CHROME_PATH,
  CI,
  DATA,
  FORMAT_OR_HTML,
  INTENDED,
  OPEN,
  OUTPUT,
  POOL,
  VERBOSE,
} from '../flags/common-options.ts';
import { device, label, list, wholeNumber } from '../flags/flag-values.ts';
import { againstFlags, optionFlags } from '../flags/option-flags.ts';
import type { RunOptions } from '../flags/options.ts';
import { throttlingFlags } from '../flags/throttling.ts';
import { secretFlags } from '../login/secrets.ts';
import { DEFAULT_LIMIT } from '../many/limits.ts';

/** Adds `run`, which audits pages. */
export const addRun: AddCommand = (program, execute) => {
  const command = program
    .command('run')
    .description('audit pages and print the results')
    .argument(
      '[url...]',
      'URLs with scheme, such as https://example.com/ (default: those of page-audit.json or of a lighthouserc file in this folder)',
    )
    .optionsGroup('What to audit:')
    .option('--urls-file <file>', 'file with one URL on each line, or - for standard input')
    .option('--sitemap <url>', 'audit the pages of a sitemap, an index of sitemaps, a list of URLs or a robots.txt')
    .addOption(
      new Option('--sitemap-host <name>', 'same: audit the pages of other hosts on the host of the sitemap').choices([
        'same',
      ]),
    )
    .option('--limit <number>', `most pages (default: all of --urls-file, ${DEFAULT_LIMIT} of --sitemap)`, wholeNumber)
    .optionsGroup('How:')
    .option('--region <names>', 'regions, or "all" (default: the first region of the service)', list)
    .option('--device <names>', 'mobile, desktop or both (default: mobile)', device)
    .option('--audit-version <version>', 'Lighthouse version, its major, or latest', 'latest');
  for (const flag of [...optionFlags, ...throttlingFlags('')]) command.addOption(flag);
  command
    .option('--label <name=value>', 'label of the checks. Repeat it for more labels', label)
    .option('--idempotency-key <key>', 'a repeated command with this key returns the same checks')
    .option('--timeout <seconds>', 'time limit of the command (default: 900, or 3600 for many pages)', wholeNumber)
    .option('--detach', 'print the ids of the checks and return at once')
    .option(...DATA)
    .option(...CHROME_PATH)
    .optionsGroup('Compare:')
    .option(...BASE)
    .option(...BASE_URL)
    .option(...POOL)
    .option(...INTENDED)
    .option('--confirm', 'audit once more if the page may be worse than its base (default with a base)')
    .option('--no-confirm', 'leave a change that is only suspected open');
  for (const flag of againstFlags) command.addOption(flag);
  command
    .optionsGroup('Gate:')
    .option('--assert <file>', 'lighthouserc file: its ci.assert and ci.collect. A failed assertion is exit code 1')
    .option(
      '--budget <file or score>',
      'budget.json of Lighthouse, or the lowest performance score. A worse page is exit code 1',
    )
    .option('--allow-empty', 'no matching assertion, no base and no verdict are no failure')
    .optionsGroup('Login:');
  for (const flag of secretFlags) command.addOption(flag);
  command
    .optionsGroup('Output:')
    .option(...FORMAT_OR_HTML)
    .option(...OUTPUT)
    .option(...VERBOSE)
    .addOption(new Option(...CI).choices(ciNames))
    .option(...OPEN)
    .action(
      execute(
        async (context, given: string[], typed: Omit<RunOptions, 'timeout'> & { timeout?: number }, run: Command) => {
          const { urls, options } = await (await import('../config/config.ts')).withConfig(context, given, typed, run);
          return inCi(context, options, async (each) => (await import('./run.ts')).run(each, urls, options));
        },
      ),
    );
};
