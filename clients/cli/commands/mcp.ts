import type { ReadOptions } from '../options.ts';
import type { AddCommand } from './command.ts';
import { DATA } from './common-options.ts';

/** Adds `mcp`, which serves tools for agents. */
export const addMcp: AddCommand = (program, execute) => {
  program
    .command('mcp')
    .description('serve tools for agents (Model Context Protocol) over standard input and output')
    .option(...DATA)
    .action(execute(async (context, options: ReadOptions) => (await import('../mcp.ts')).mcp(context, options)));
};
