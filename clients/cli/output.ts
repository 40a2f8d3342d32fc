import { accessSync, constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import type { Context } from './context.ts';
import { UsageError } from './exit-codes.ts';
import { type FormatName, render } from './formats/render.ts';
import type { CheckResult } from './result.ts';

/** Format of an output file by its extension. */
const byExtension: Readonly<Record<string, FormatName>> = {
  '.txt': 'text',
  '.json': 'json',
  '.md': 'markdown',
  '.xml': 'junit',
  '.csv': 'csv',
};
/** Files have no colours and no terminal. */
const fileView = { width: 120, color: false };

const formatOf = (file: string): FormatName => {
  const format = byExtension[extname(file).toLowerCase()];
  if (format) return format;
  throw new UsageError(`${file} has an unknown extension. Use one of ${Object.keys(byExtension).join(', ')}.`);
};

/** Throws a UsageError if a file can't be written or has an unknown extension. */
export const checkOutputs = (files: readonly string[]): void => {
  for (const file of files) {
    formatOf(file);
    try {
      accessSync(dirname(file), constants.W_OK);
    } catch {
      throw new UsageError(`The folder ${dirname(file)} can't be written. Create it, or name another file.`);
    }
  }
};

/** Prints the results in one format, and writes a file for each output. */
export const writeResults = async (
  { print, view }: Context,
  results: readonly CheckResult[],
  { format, output = [] }: { format: FormatName; output?: readonly string[] },
): Promise<void> => {
  for (const file of output) await writeFile(file, await render(results, formatOf(file), fileView));
  await print(await render(results, format, view));
};
