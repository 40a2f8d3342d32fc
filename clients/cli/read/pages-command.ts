import { pageOrders, standings } from '../../../shared/pages/page-list.ts';
import { USUAL_SINCE } from '../../words/pages.ts';
import type { AddCommand } from '../flags/command.ts';
import { DATA } from '../flags/common-options.ts';
import { label, oneDevice, tableFormat, wholeNumber } from '../flags/flag-values.ts';
import type { PagesOptions } from './pages.ts';

/** Adds `pages`, which lists pages with their newest results and changes. */
export const addPages: AddCommand = (program, execute) => {
  program
    .command('pages')
    .description('list your pages with their newest results, and which got worse')
    .option('--since <time>', 'what changed since: previous, 7d, 30d, or a label such as release=1.2', USUAL_SINCE)
    .option('--changed <name>', `pages of one kind only: ${standings.join(', ')}`)
    .option('--search <text>', 'pages with this text in their URL only')
    .option('--sort <name>', `order: ${pageOrders.join(', ')}`, 'change')
    .option('--limit <number>', 'most pages (default: all)', wholeNumber)
    .option('--url <url>', 'this page only')
    .option('--device <name>', 'results on mobile or desktop only', oneDevice)
    .option('--region <name>', 'results of this region only')
    .option('--label <name=value>', 'results with this label only. Repeat it for more labels', label)
    .option('--format <name>', 'text, json, csv or markdown', tableFormat, 'text')
    .option(...DATA)
    .action(execute(async (context, options: PagesOptions) => (await import('./pages.ts')).pages(context, options)));
};
