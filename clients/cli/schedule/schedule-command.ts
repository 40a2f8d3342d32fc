import type { Command } from 'commander';
import type { AddCommand } from '../flags/command.ts';
import { ONE_DEVICE } from '../flags/common-options.ts';
import { label, list, textOrJson } from '../flags/flag-values.ts';
import { againstFlags, optionFlags } from '../flags/option-flags.ts';
import type { ScheduleEditOptions, ScheduleOptions } from '../flags/options.ts';
import { throttlingFlags } from '../flags/throttling.ts';
import { secretFlags } from '../login/secrets.ts';

/** Adds `schedule`, which repeats checks. */
export const addSchedule: AddCommand = (program, execute) => {
  const schedule = program
    .command('schedule')
    .description('repeat checks: add, list, pause, resume or delete schedules of the service in PAGE_AUDIT_URL');
  const add = schedule
    .command('add')
    .description('create a schedule, and print its id')
    .argument('<url>', 'URL with scheme, such as https://example.com/')
    .requiredOption(...EVERY)
    .option(...TIME_ZONE)
    .option('--name <text>', 'name of the schedule (default: the URL)')
    .option('--region <names>', 'regions, or "all" (default: the first region of the service)', list)
    .option('--audit-version <version>', VERSION, 'latest');
  withInputs(add).action(
    execute(async (context, url: string, options: ScheduleOptions) =>
      (await import('./schedule.ts')).add(context, url, options),
    ),
  );
  const edit = schedule
    .command('edit')
    .description('change a schedule: only what its options say')
    .argument('<schedule>', 'id of a schedule')
    .option('--url <url>', 'URL with scheme, such as https://example.com/')
    .option(...EVERY)
    .option(...TIME_ZONE)
    .option('--name <text>', 'name of the schedule')
    .option('--region <names>', 'regions, or "all"', list)
    .option('--audit-version <version>', VERSION)
    .option('--forget-login', 'erase its headers, credentials, cookies and storage');
  withInputs(edit).action(
    execute(async (context, id: string, options: ScheduleEditOptions) =>
      (await import('./schedule.ts')).edit(context, id, options),
    ),
  );
  schedule
    .command('list')
    .description('print the schedules, each with its last result and its next time')
    .option('--format <name>', 'text or json', textOrJson, 'text')
    .action(
      execute(async (context, options: { format: 'text' | 'json' }) =>
        (await import('./schedule.ts')).list(context, options),
      ),
    );
  for (const [name, description] of actions)
    schedule
      .command(name)
      .description(description)
      .argument('<schedule>', 'id of a schedule')
      .action(execute(async (context, id: string) => (await import('./schedule.ts'))[name](context, id)));
};

const EVERY = ['--every <times>', 'an interval such as 30m, 6h or 1d, or cron such as "0 6 * * 1-5"'] as const;
const TIME_ZONE = [
  '--time-zone <name>',
  'time zone of cron, such as Europe/Berlin (default: that of this machine)',
] as const;
const VERSION = 'Lighthouse version, its major, or latest at each time';

/** Adds the options of a check that `add` and `edit` have. */
const withInputs = (command: Command): Command => {
  command.option(...ONE_DEVICE);
  for (const flag of [...optionFlags, ...throttlingFlags(''), ...againstFlags, ...secretFlags]) command.addOption(flag);
  return command.option('--label <name=value>', 'label of the checks. Repeat it for more labels', label);
};

const actions = [
  ['pause', 'pause a schedule'],
  ['resume', 'resume a schedule at its next time'],
  ['delete', 'delete a schedule and its secrets. Its checks stay'],
] as const;
