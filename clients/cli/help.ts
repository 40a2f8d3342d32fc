import { type Command, Help, type HelpConfiguration } from 'commander';

/** Width of the terms, such as options. A longer term has its description below. */
const TERM_WIDTH = 28;
/** In a narrower terminal, each description is below its term. */
const MIN_COLUMNS = 70;
const INDENT = '  ';
const USAGE = 'Usage: ';

/** Help that fits the terminal. Only a word that is wider than the terminal is wider, so that people can copy it. */
export const helpFormat: HelpConfiguration = {
  minWidthToWrap: 1,
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
};

const widthOf = ({ helpWidth = 80 }: Help): number => helpWidth;

const variables = [
  ['PAGE_AUDIT_URL', 'URL of the service, such as http://127.0.0.1:4080'],
  ['PAGE_AUDIT_KEY', 'API key of the service'],
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

/** Returns the end of the help: the variables and the exit codes of every command. */
export const helpEnd = (command: Command, width: number): string => {
  const help = Object.assign(command.createHelp(), helpFormat, { helpWidth: width });
  const items = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([term, description]) => help.formatItem(term, 0, description, help));
  return ['', 'Environment:', ...items(variables), '', 'Exit codes:', ...items(exitCodes)].join('\n');
};
