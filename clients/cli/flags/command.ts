import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** Adds one command to the program. `execute` wraps the work of the command, and keeps its exit code. */
export type AddCommand = (program: Command, execute: Execute) => void;

/** Returns the action of a command. The work imports its own code, so that a command loads no other command. */
export type Execute = <Given extends unknown[]>(
  work: (context: Context, ...given: Given) => Promise<number>,
) => (...given: Given) => Promise<void>;
