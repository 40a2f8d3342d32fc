import { list, wholeNumber } from '../flag-values.ts';
import type { VersionsOptions } from '../options.ts';
import type { AddCommand } from './command.ts';
import { DATA, EXPERIMENT_SAMPLES, FORMAT, ONE_DEVICE, OUTPUT } from './common-options.ts';

/** Adds `versions`, which compares two versions of Lighthouse. */
export const addVersions: AddCommand = (program, execute) => {
  program
    .command('versions')
    .description('print how scores change between two versions of Lighthouse, and which audits make them change')
    .argument('<url>', 'URL with scheme, such as https://example.com/')
    .requiredOption('--from <version>', 'Lighthouse version or its major, such as 12')
    .option('--to <version>', 'the version to compare with it', 'latest')
    .option('--region <names>', 'regions, or "all" (default: the first region of the service)', list)
    .option(...ONE_DEVICE)
    .option(...EXPERIMENT_SAMPLES)
    .option('--timeout <seconds>', 'time limit of the command. Unfinished checks stay', wholeNumber, 900)
    .option(...FORMAT)
    .option(...OUTPUT)
    .option(...DATA)
    .action(
      execute(async (context, url: string, options: VersionsOptions) =>
        (await import('../versions.ts')).versions(context, url, options),
      ),
    );
};
