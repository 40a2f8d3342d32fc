import { Option } from 'commander';
import { categories } from '../../../shared/options/audit-options.ts';
import { pageOrders } from '../../../shared/pages/page-list.ts';
import { USUAL_SINCE } from '../../words/pages.ts';
import type { AddCommand } from '../flags/command.ts';
import { CHECK, DATA, INTENDED, POOL } from '../flags/common-options.ts';
import { oneDevice, tableFormat, textOrJson, textOrMarkdown, wholeNumber } from '../flags/flag-values.ts';
import type { FixesOptions, ReadOptions } from '../flags/options.ts';
import type { BadgeOptions } from './badge.ts';
import { badgeFlags, filterFlags } from './filter-flags.ts';
import type { PagesOptions } from './pages.ts';

/* The commands that read what a service has, and `share`, `badge` and `delete`. */

export const addFixes: AddCommand = (program, execute) => {
  program
    .command('fixes')
    .description('print what to fix first, with the points that it gains at most')
    .argument('<target>', 'id of a run, a check (its worst run) such as last, or a URL to audit')
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

export const addRegions: AddCommand = (program, execute) => {
  program
    .command('regions')
    .description('list the regions of the service')
    .option('--format <name>', 'text or json', textOrJson, 'text')
    .option(...DATA)
    .action(
      execute(async (context, options: { format: 'text' | 'json'; data?: string }) =>
        (await import('./offer.ts')).regions(context, options),
      ),
    );
};

export const addList: AddCommand = (program, execute) => {
  const command = program
    .command('list')
    .description('list checks, newest first')
    .option(...DATA)
    .option('--limit <number>', '1 to 100', wholeNumber, 20)
    .option('--format <name>', 'text or json', textOrJson, 'text')
    .action(execute(async (context, options: ReadOptions) => (await import('./read.ts')).list(context, options)));
  for (const flag of filterFlags('checks')) command.addOption(flag);
};

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

export const addCompare: AddCommand = (program, execute) => {
  program
    .command('compare')
    .description('compare the regions of a check as JSON, or two checks')
    .option(...DATA)
    .argument(...CHECK)
    .option('--base <check>', 'id of an earlier check, or a label. A regression is exit code 1, no verdict is 2')
    .option(...POOL)
    .option(...INTENDED)
    .option('--why', 'with --base: also say why the two checks differ')
    .option('--format <name>', 'text, json or markdown', textOrMarkdown, 'text')
    .action(
      execute(async (context, check: string, options: ReadOptions) =>
        (await import('./read.ts')).compare(context, check, options),
      ),
    );
};

export const addReport: AddCommand = (program, execute) => {
  program
    .command('report')
    .description('print the Lighthouse report of a run as JSON')
    .option(...DATA)
    .argument('<run>', 'id of a run, which get --verbose prints')
    .option('--html', 'as a web page')
    .action(
      execute(async (context, id: string, options: ReadOptions) =>
        (await import('./read.ts')).report(context, id, options),
      ),
    );
};

export const addShare: AddCommand = (program, execute) => {
  program
    .command('share')
    .description('print a link with which anyone can read a check for some days')
    .argument(...CHECK)
    .option('--expires <days>', 'life of the link, 1d to 30d (default: 7d)')
    .action(
      execute(async (context, check: string, options: { expires?: string }) =>
        (await import('./offer.ts')).share(context, check, options),
      ),
    );
};

export const addBadge: AddCommand = (program, execute) => {
  const command = program
    .command('badge')
    .description('print the Markdown of an image that shows the newest score of a page to anyone, or list your badges')
    .argument('[url]', 'URL of the page. Without it, the command lists your badges')
    .addOption(new Option('--category <name>', 'score to show (default: performance)').choices(categories))
    .option('--revoke <id>', 'end a badge')
    .action(
      execute(async (context, url: string | undefined, options: BadgeOptions) =>
        (await import('./badge.ts')).badge(context, url, options),
      ),
    );
  for (const flag of badgeFlags()) command.addOption(flag);
};

export const addDelete: AddCommand = (program, execute) => {
  program
    .command('delete')
    .description('erase a check, its runs and reports')
    .option(...DATA)
    .argument('<check>', 'id of a check, or its start')
    .action(
      execute(async (context, check: string, options: ReadOptions) =>
        (await import('./read.ts')).erase(context, check, options),
      ),
    );
};
