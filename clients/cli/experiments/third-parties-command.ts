import type { AddCommand } from '../flags/command.ts';
import { DATA, EXPERIMENT_SAMPLES, FORMAT, ONE_DEVICE, OUTPUT } from '../flags/common-options.ts';
import { wholeNumber } from '../flags/flag-values.ts';
import type { ThirdPartiesOptions } from '../flags/options.ts';

/** Adds `third-parties`, which prints what each third party of a page costs. */
export const addThirdParties: AddCommand = (program, execute) => {
  program
    .command('third-parties')
    .description('print what each third party of a page costs: audits the page with and without it in turns')
    .argument('<url>', 'URL with scheme, such as https://example.com/')
    .option('--region <name>', 'region (default: the first region of the service)')
    .option(...ONE_DEVICE)
    .option('--audit-version <version>', 'Lighthouse version, its major, or latest', 'latest')
    .option(...EXPERIMENT_SAMPLES)
    .option('--timeout <seconds>', 'time limit of the command. Unfinished checks stay', wholeNumber, 3600)
    .option(...FORMAT)
    .option(...OUTPUT)
    .option(...DATA)
    .action(
      execute(async (context, url: string, options: ThirdPartiesOptions) =>
        (await import('./third-parties.ts')).thirdParties(context, url, options),
      ),
    );
};
