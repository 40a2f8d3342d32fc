import { label, oneDevice, tableFormat, wholeNumber } from '../flag-values.ts';
import type { PagesOptions } from '../pages.ts';
import type { AddCommand } from './command.ts';
import { DATA } from './common-options.ts';

/** Adds `pages`, which lists the newest results of pages. */
export const addPages: AddCommand = (program, execute) => {
  program
    .command('pages')
    .description('list the newest result of each page, device and region, worst first, and what has changed')
    .option('--limit <number>', 'most results (default: all)', wholeNumber)
    .option('--url <url>', 'results of this URL only')
    .option('--device <name>', 'results on mobile or desktop only', oneDevice)
    .option('--region <name>', 'results of this region only')
    .option('--label <name=value>', 'results with this label only. Repeat it for more labels', label)
    .option('--format <name>', 'text, json, csv or markdown', tableFormat, 'text')
    .option(...DATA)
    .action(execute(async (context, options: PagesOptions) => (await import('../pages.ts')).pages(context, options)));
};
