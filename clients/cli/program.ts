import { Command, CommanderError, InvalidArgumentError } from 'commander';
import type { Context } from './context.ts';
import { list, oneDevice, repeated, wholeNumber } from './flag-values.ts';
import { type FormatName, formatNames } from './formats/render.ts';
import { withLighthouseFlags } from './lighthouse-flags.ts';
import { againstFlags, optionFlags, SAMPLES_OF_VARIANTS } from './option-flags.ts';
import type { FixesOptions, ReadOptions, RunOptions, ThirdPartiesOptions, VersionsOptions } from './options.ts';

import manifest from './package.json' with { type: 'json' };
import { secretFlags } from './secrets.ts';
import { throttlingFlags } from './throttling.ts';

const device = (text: string, before?: string[]): string[] => {
  const wrong = list(text).find((each) => each !== 'mobile' && each !== 'desktop');
  if (wrong !== undefined) throw new InvalidArgumentError('Use mobile, desktop or mobile,desktop.');
  return list(text, before);
};
const label = (text: string, before: Record<string, string> = {}): Record<string, string> => {
  const [, name, value] = /^([^:=]+)[:=](.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Use name=value.');
  return { ...before, [name]: value };
};
const format = (text: string): FormatName => {
  if (!formatNames.includes(text as FormatName))
    throw new InvalidArgumentError(`Use one of ${formatNames.join(', ')}.`);
  return text as FormatName;
};
const textOrMarkdown = (text: string): 'text' | 'json' | 'markdown' => {
  if (text !== 'text' && text !== 'json' && text !== 'markdown')
    throw new InvalidArgumentError('Use text, json or markdown.');
  return text;
};
const textOrJson = (text: string): 'text' | 'json' => {
  if (text !== 'text' && text !== 'json') throw new InvalidArgumentError('Use text or json.');
  return text;
};

const DATA = ['--data <folder>', 'data folder of the service that the command starts without PAGE_AUDIT_URL'] as const;
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

  addRun(program, async (...given) => {
    exitCode = await (await import('./run.ts')).run(context, ...given);
  });
  addFixes(program, async (...given) => {
    exitCode = await (await import('./fixes.ts')).fixes(context, ...given);
  });
  addThirdParties(program, async (...given) => {
    exitCode = await (await import('./third-parties.ts')).thirdParties(context, ...given);
  });
  addVersions(program, async (...given) => {
    exitCode = await (await import('./versions.ts')).versions(context, ...given);
  });
  addReaders(program, (read) => async (first, second) => {
    const options = (typeof first === 'object' ? first : second) as ReadOptions;
    exitCode = await (await import('./read.ts'))[read](context, first as string, options);
  });
  program
    .command('mcp')
    .description('serve tools for agents (Model Context Protocol) over standard input and output')
    .option(...DATA)
    .action(async (options) => {
      exitCode = await (await import('./mcp.ts')).mcp(context, options);
    });
  try {
    await program.parseAsync(withLighthouseFlags(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    await context.print(help);
    return error.exitCode === 0 ? 0 : 2;
  }
};

const POOL = ['--pool <number>', 'checks with the label of --base whose samples count, 1 to 10', wholeNumber] as const;
const INTENDED = ['--intended <names>', 'differences from the base that you meant, such as url', list] as const;

const addRun = (program: Command, action: (urls: string[], options: RunOptions) => Promise<void>): void => {
  const command = program
    .command('run')
    .description('audit pages and print the results')
    .argument('[url...]', 'URLs with scheme, such as https://example.com/ (default: ci.collect.url of --assert)')
    .option('--region <names>', 'regions, or "all" (default: the first region of the service)', list)
    .option('--device <names>', 'mobile, desktop or both (default: mobile)', device)
    .option('--audit-version <version>', 'Lighthouse version, its major, or latest', 'latest');
  for (const flag of [...optionFlags, ...throttlingFlags(''), ...againstFlags, ...secretFlags]) command.addOption(flag);
  command
    .option('--label <name=value>', 'label of the checks. Repeat it for more labels', label)
    .option('--idempotency-key <key>', 'a repeated command with this key returns the same checks')
    .option('--timeout <seconds>', 'time limit of the command. Unfinished checks stay', wholeNumber, 900)
    .option('--detach', 'print the ids of the checks and return at once')
    .option(...FORMAT)
    .option(...OUTPUT)
    .option('--assert <file>', 'lighthouserc file: its ci.assert and ci.collect. A failed assertion is exit code 1')
    .option('--budget <file>', 'budget.json of Lighthouse. A value over budget is exit code 1')
    .option(
      '--base <check>',
      'id of an earlier check, or a label such as branch=main. A regression is exit code 1, no verdict is 2',
    )
    .option(...POOL)
    .option(...INTENDED)
    .option('--allow-empty', 'no matching assertion, no base and no verdict are no failure')
    .option(...DATA)
    .action(action);
};

const addFixes = (program: Command, action: (target: string, options: FixesOptions) => Promise<void>): void => {
  program
    .command('fixes')
    .description('print what to fix first, with the points that it gains at most')
    .argument('<target>', 'id of a run, id of a check (its worst run), or a URL to audit')
    .option('--device <name>', 'of the audit of a URL: mobile or desktop (default: mobile)', oneDevice)
    .option('--audit-version <version>', 'of the audit of a URL', 'latest')
    .option('--samples <number>', 'of the audit of a URL', wholeNumber)
    .option('--timeout <seconds>', 'time limit of the audit of a URL', wholeNumber, 900)
    .option('--format <name>', 'text, json or markdown', textOrMarkdown, 'text')
    .option(...DATA)
    .action(action);
};

const ONE_DEVICE = ['--device <name>', 'mobile or desktop (default: mobile)', oneDevice] as const;
const EXPERIMENT_SAMPLES = ['--samples <number>', 'audits of each side', wholeNumber, SAMPLES_OF_VARIANTS] as const;
const FORMAT = ['--format <name>', `format on stdout: ${formatNames.join(', ')}`, format, 'text'] as const;
const OUTPUT = [
  '--output <file>',
  'also write a file: .txt, .json, .md, .xml (JUnit) or .csv. Repeat it for more',
  repeated,
] as const;

const addThirdParties = (
  program: Command,
  action: (url: string, options: ThirdPartiesOptions) => Promise<void>,
): void => {
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
    .action(action);
};

const addVersions = (program: Command, action: (url: string, options: VersionsOptions) => Promise<void>): void => {
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
    .action(action);
};

type Reader = 'get' | 'list' | 'compare' | 'report' | 'erase';
type Action = (read: Reader) => (first: unknown, second: unknown) => Promise<void>;

const addReaders = (program: Command, action: Action): void => {
  const add = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .option(...DATA);
  const formats = ['--format <name>', 'text or json', textOrJson, 'text'] as const;
  add('get', 'print a check')
    .argument('<check>', 'id of a check')
    .option('--format <name>', formatNames.join(', '), format, 'text')
    .action(action('get'));
  add('list', 'list checks, newest first')
    .option('--limit <number>', '1 to 100', wholeNumber, 20)
    .option('--url <url>', 'checks of this URL only')
    .option('--state <state>', 'checks in this state only')
    .option('--assertions-passed <true or false>', 'checks whose assertions passed, or failed')
    .option('--label <name=value>', 'checks with this label only. Repeat it for more labels', label)
    .option(...formats)
    .action(action('list'));
  add('compare', 'compare the regions of a check as JSON, or two checks')
    .argument('<check>', 'id of a check')
    .option('--base <check>', 'id of an earlier check, or a label. A regression is exit code 1, no verdict is 2')
    .option(...POOL)
    .option(...INTENDED)
    .option('--why', 'with --base: also say why the two checks differ')
    .option('--format <name>', 'text, json or markdown', textOrMarkdown, 'text')
    .action(action('compare'));
  add('report', 'print the Lighthouse report of a run as JSON')
    .argument('<run>', 'id of a run')
    .option('--html', 'as a web page')
    .action(action('report'));
  add('delete', 'erase a check, its runs and reports').argument('<check>', 'id of a check').action(action('erase'));
};
