import type { AddCommand } from '../flags/command.ts';
import { DATA, EXPERIMENT_SAMPLES, FORMAT, ONE_DEVICE, OUTPUT } from '../flags/common-options.ts';
import { list, wholeNumber } from '../flags/flag-values.ts';
import type { VersionsOptions } from '../flags/options.ts';
import { DEFAULT_LIMIT } from '../many/limits.ts';

/** Adds `versions`, which compares two versions of Lighthouse. */
export const addVersions: AddCommand = (program, execute) => {
  program
    .command('versions')
    .description(
      'list the versions of Lighthouse, or print how scores change between two, and which audits make them change',
    )
    .argument('[url]', 'URL with scheme, such as https://example.com/. Without it, the command lists the versions')
    .option('--from <version>', 'Lighthouse version, its minor or its major, such as 12. Needed with pages')
    .option('--to <version>', 'the version to compare with it', 'latest')
    .option(
      '--urls-file <file>',
      'file with one URL on each line, or - for standard input. Prints one row for each page',
    )
    .option('--sitemap <url>', 'pages of a sitemap, an index of sitemaps, a list of URLs or a robots.txt')
    .option('--limit <number>', `most pages (default: all of --urls-file, ${DEFAULT_LIMIT} of --sitemap)`, wholeNumber)
    .option('--region <names>', 'regions, or "all" (default: the first region of the service)', list)
    .option(...ONE_DEVICE)
    .option(...EXPERIMENT_SAMPLES)
    .option(
      '--timeout <seconds>',
      'time limit of the command (default: 900, or 3600 for many pages). Unfinished checks stay',
      wholeNumber,
    )
    .option(...FORMAT)
    .option(...OUTPUT)
    .option(...DATA)
    .action(
      execute(async (context, url: string | undefined, options: VersionsOptions) =>
        (await import('./versions.ts')).versions(context, url, options),
      ),
    );
};
