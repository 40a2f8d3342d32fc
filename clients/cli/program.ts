import { Command, CommanderError } from 'commander';
import type { Execute } from './commands/command.ts';
import { addCompare } from './commands/compare.ts';
import { addDelete } from './commands/delete.ts';
import { addFixes } from './commands/fixes.ts';
import { addGet } from './commands/get.ts';
import { addList } from './commands/list.ts';
import { addMcp } from './commands/mcp.ts';
import { addRegions } from './commands/regions.ts';
import { addReport } from './commands/report.ts';
import { addRun } from './commands/run.ts';
import { addSchedule } from './commands/schedule.ts';
import { addShare } from './commands/share.ts';
import { addThirdParties } from './commands/third-parties.ts';
import { addVersions } from './commands/versions.ts';
import type { Context } from './context.ts';
import { withLighthouseFlags } from './lighthouse-flags.ts';

import manifest from './package.json' with { type: 'json' };

/** The commands, in the order of the help. */
const commands = [
  addRun,
  addFixes,
  addThirdParties,
  addVersions,
  addRegions,
  addGet,
  addList,
  addCompare,
  addReport,
  addShare,
  addDelete,
  addSchedule,
  addMcp,
];

const environment = `
Environment:
  PAGE_AUDIT_URL  URL of the service, such as http://127.0.0.1:4080
  PAGE_AUDIT_KEY  API key of the service
  PAGE_AUDIT_BASIC_AUTH  user:password for the page, as --basic-auth

Exit codes: 0 good, 1 a failed assertion or a regression, 2 wrong use or a base without a verdict, 3 the page's fault, 4 the service's fault, a timeout or an output that can't be written, 130 interrupted`;

/** Runs the command line and returns its exit code. A command's code is imported when the command runs. */
export const runProgram = async (args: readonly string[], context: Context): Promise<number> => {
  let exitCode = 0;
  let help = '';
  const program = new Command('page-audit')
    .description('Audits web pages. Without PAGE_AUDIT_URL, a service is started for the length of the command.')
    .version(manifest.version)
    .addHelpText('after', environment)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        help += text;
      },
      writeErr: (text) => context.note(text.trimEnd()),
    });

  const execute: Execute =
    (work) =>
    async (...given) => {
      exitCode = await work(context, ...given);
    };
  for (const add of commands) add(program, execute);
  try {
    await program.parseAsync(withLighthouseFlags(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    await context.print(help);
    if (error.code === 'commander.version')
      await context.print(await (await import('./service-version.ts')).versionLine(context));
    return error.exitCode === 0 ? 0 : 2;
  }
};
