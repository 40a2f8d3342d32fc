import type { AddCommand } from '../flags/command.ts';
import { DATA } from '../flags/common-options.ts';
import type { ReadOptions } from '../flags/options.ts';

/** Adds `mcp`, which serves tools for agents. */
export const addMcp: AddCommand = (program, execute) => {
  program
    .command('mcp')
    .description('serve tools for agents (Model Context Protocol) over standard input and output')
    .option(...DATA)
    .action(execute(async (context, options: ReadOptions) => (await import('./mcp.ts')).mcp(context, options)));
};
