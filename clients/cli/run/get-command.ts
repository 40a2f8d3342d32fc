import { Option } from 'commander';
import { ciNames, inCi } from '../ci/ci.ts';
import type { AddCommand } from '../flags/command.ts';
import {
  BASE,
  BASE_URL,
  CI,
  DATA,
  FORMAT_OR_HTML,
  INTENDED,
  OPEN,
  OUTPUT,
  POOL,
  VERBOSE,
} from '../flags/common-options.ts';
import { wholeNumber } from '../flags/flag-values.ts';
import type { GetOptions } from '../flags/options.ts';

/** Adds `get`, which prints checks, and follows and judges them as `run` does. */
export const addGet: AddCommand = (program, execute) => {
  program
    .command('get')
    .description('print checks, or wait for them and judge them as run does')
    .argument('<check...>', 'ids of checks or their starts, URLs for their newest checks, or last for the newest one')
    .option('--wait', 'wait until the checks are finished. The exit codes are those of run')
    .option('--timeout <seconds>', 'time limit of the command. Unfinished checks stay', wholeNumber, 900)
    .option(...FORMAT_OR_HTML)
    .option(...OUTPUT)
    .option(...VERBOSE)
    .addOption(new Option(...CI).choices(ciNames))
    .option(...OPEN)
    .option('--assert <file>', 'lighthouserc file, whose assertions replace those of the checks')
    .option('--budget <file>', 'budget.json of Lighthouse. A value over budget is exit code 1')
    .option(...BASE)
    .option(...BASE_URL)
    .option(...POOL)
    .option(...INTENDED)
    .option('--allow-empty', 'no matching assertion, no base and no verdict are no failure')
    .option(...DATA)
    .action(
      execute(async (context, ids: string[], options: GetOptions) =>
        inCi(context, options, async (each) => (await import('./get.ts')).get(each, ids, options)),
      ),
    );
};
