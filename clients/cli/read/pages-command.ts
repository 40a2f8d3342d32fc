import { pageOrders } from '../../../shared/pages/page-list.ts';
import { USUAL_SINCE } from '../../words/pages.ts';
import type { AddCommand } from '../flags/command.ts';
import { DATA } from '../flags/common-options.ts';
import { tableFormat, wholeNumber } from '../flags/flag-values.ts';
import { filterFlags } from './filter-flags.ts';
import type { PagesOptions } from './pages.ts';

/** Adds `pages`, which lists pages with their newest results and changes. */
export const addPages: AddCommand = (program, execute) => {
  const command = program
    .command('pages')
    .description('list your pages with their newest results, and which got worse')
    .option('--since <time>', 'what changed since: previous, 7d, 30d, or a label such as release=1.2', USUAL_SINCE)
    .option('--sort <name>', `order: ${pageOrders.join(', ')}`, 'change')
    .option('--limit <number>', 'most pages (default: all)', wholeNumber)
    .option('--format <name>', 'text, json, csv or markdown', tableFormat, 'text')
    .option(...DATA)
    .action(execute(async (context, options: PagesOptions) => (await import('./pages.ts')).pages(context, options)));
  for (const flag of filterFlags('pages')) command.addOption(flag);
};
