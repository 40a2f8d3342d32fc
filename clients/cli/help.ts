import { type Command, Help, type HelpConfiguration, type Option } from 'commander';

/** Width of the terms, such as options. A longer term has its description below. */
const TERM_WIDTH = 28;
/** In a narrower terminal, each description is below its term. */
const MIN_COLUMNS = 70;
const INDENT = '  ';
const USAGE = 'Usage: ';

/** Argument that shows the help with all options. */
const HELP_ALL = '--help-all';
/** A command with more options shows the common ones only. */
const MANY_OPTIONS = 20;
/** Options of a short help, in their groups. */
const common = [
  ...['--urls-file', '--sitemap', '--region', '--device', '--samples', '--category', '--label', '--detach', '--every'],
  ...['--base', '--base-url', '--against', '--assert', '--budget', '--header', '--storage-state'],
  ...['--format', '--output', '--verbose', '--open', '--url', '--name', '--help'],
];

/** Returns the arguments with `--help` in place of `--help-all`, and whether all options are asked for. */
export const helpArguments = (args: readonly string[]): { args: string[]; showsAll: boolean } => ({
  args: args.map((arg) => (arg === HELP_ALL ? '--help' : arg)),
  showsAll: args.includes(HELP_ALL),
});

/** Returns how many options of a command its short help leaves out. */
const leftOut = ({ options }: Command): number =>
  options.length > MANY_OPTIONS ? options.filter(({ long }) => !common.includes(long ?? '')).length : 0;

/** Help that fits the terminal. Only a word that is wider than the terminal is wider, so that people can copy it. */
export const helpFormat = (showsAll: boolean): HelpConfiguration => ({
  minWidthToWrap: 1,
  visibleOptions(this: Help, command: Command): Option[] {
    const options = Help.prototype.visibleOptions.call(this, command);
    return showsAll || leftOut(command) === 0 ? options : options.filter(({ long }) => common.includes(long ?? ''));
  },
  commandUsage(this: Help, command: Command): string {
    const usage = Help.prototype.commandUsage.call(this, command);
    return this.boxWrap(usage, widthOf(this) - USAGE.length).replaceAll('\n', `\n${' '.repeat(USAGE.length)}`);
  },
  formatItem(term: string, _: number, description: string, help: Help): string {
    const width = widthOf(help);
    const isBeside = width >= MIN_COLUMNS && term.length <= TERM_WIDTH;
    const indent = width >= MIN_COLUMNS ? TERM_WIDTH + 2 * INDENT.length : 2 * INDENT.length;
    const name = INDENT + help.boxWrap(term, width - INDENT.length).replaceAll('\n', `\n${INDENT}${INDENT}`);
    if (!description) return name;
    const lines = help.boxWrap(description, width - indent).replaceAll('\n', `\n${' '.repeat(indent)}`);
    return isBeside ? name.padEnd(indent) + lines : `${name}\n${' '.repeat(indent)}${lines}`;
  },
});

const widthOf = ({ helpWidth = 80 }: Help): number => helpWidth;

const variables = [
  ['PAGE_AUDIT_URL', 'URL of the service, such as http://127.0.0.1:4080'],
  ['PAGE_AUDIT_KEY', 'API key of the service'],
  ['LHCI_SERVER_BASE_URL', 'the URL, where PAGE_AUDIT_URL is not set'],
  ['LHCI_TOKEN', 'the key, with LHCI_SERVER_BASE_URL'],
  ['PAGE_AUDIT_BASIC_AUTH', 'user:password for the page, as --basic-auth'],
] as const;

const exitCodes = [
  ['0', 'good'],
  ['1', 'a failed assertion or a regression'],
  ['2', 'wrong use, or a base without a verdict'],
  ['3', "the page's fault"],
  ['4', "the service's fault, a timeout, or an output that can't be written"],
  ['130', 'interrupted'],
] as const;

/** Returns the end of the help: what the short help leaves out, or the variables and the exit codes of every command. */
export const helpEnd = (command: Command, { width, showsAll }: { width: number; showsAll: boolean }): string => {
  const help = Object.assign(command.createHelp(), { helpWidth: width });
  const more = showsAll ? 0 : leftOut(command);
  if (command.parent && more === 0 && !showsAll) return '';
  if (more > 0)
    return `\n${help.boxWrap(`${HELP_ALL} shows ${more} more options, the variables and the exit codes.`, width)}`;
  const items = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([term, description]) => help.formatItem(term, 0, description, help));
  return ['', 'Environment:', ...items(variables), '', 'Exit codes:', ...items(exitCodes)].join('\n');
};
