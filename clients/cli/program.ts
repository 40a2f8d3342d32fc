import { Command, CommanderError } from 'commander';
import { addCompletion } from './completion/completion-command.ts';
import { addConfigSchema } from './config/config-command.ts';
import type { Context } from './context.ts';
import { addThirdParties } from './experiments/third-parties-command.ts';
import { addVersions } from './experiments/versions-command.ts';
import type { Execute } from './flags/command.ts';
import { helpArguments, helpEnd, helpFormat } from './help.ts';
import { withLighthouseFlags } from './lighthouserc/lighthouse-flags.ts';
import { addMcp } from './mcp/mcp-command.ts';
import manifest from './package.json' with { type: 'json' };
import {
  addBadge,
  addCompare,
  addDelete,
  addFixes,
  addList,
  addPages,
  addRegions,
  addReport,
  addShare,
} from './read/read-commands.ts';
import { addGet } from './run/get-command.ts';
import { addRun } from './run/run-command.ts';
import { addSchedule } from './schedule/schedule-command.ts';

/** The commands, in the order of the help. */
const commands = [
  addRun,
  addFixes,
  addThirdParties,
  addVersions,
  addRegions,
  addGet,
  addList,
  addPages,
  addCompare,
  addReport,
  addShare,
  addBadge,
  addDelete,
  addSchedule,
  addMcp,
  addCompletion,
  addConfigSchema,
];

/** Runs the command line and returns its exit code. A command's code is imported when the command runs. */
export const runProgram = async (given: readonly string[], context: Context): Promise<number> => {
  const { args, showsAll } = helpArguments(given);
  let exitCode = 0;
  let help = '';
  const program = new Command('page-audit')
    .description(
      'Audits web pages: page-audit https://example.com/. Without PAGE_AUDIT_URL, the command starts a service and stops it at its end.',
    )
    .version(manifest.version)
    .addHelpText('afterAll', ({ command }) => helpEnd(command, { width: context.view.width, showsAll }))
    .configureHelp(helpFormat(showsAll))
    .showHelpAfterError('Add --help to see what the command accepts.')
    .exitOverride()
    .configureOutput({
      getOutHelpWidth: () => context.view.width,
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
      await context.print(await (await import('./service/service-version.ts')).versionLine(context));
    return error.exitCode === 0 ? 0 : 2;
  }
};
