import { accessSync, closeSync, constants, openSync, statSync, unlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import type { Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import type { CheckResult } from '../run/result.ts';
import { WriteError } from '../streams.ts';
import { extensions, type FormatName, render } from './render.ts';
import { hasPlaceholder, isRunFile } from './report-names.ts';
import type { View } from './terminal.ts';

/** Files have no colours and no terminal. */
const fileView = { width: 120, color: false };

const formatOf = (file: string): FormatName => {
  const format = extensions.get(extname(file).toLowerCase());
  if (!format) {
    const known = [...extensions.keys(), '.html', '.har', 'trace.json'].join(', ');
    throw new UsageError(`${file} has an unknown extension. Use one of ${known}.`);
  }
  if (hasPlaceholder(file))
    throw new UsageError(
      `${file} has all runs. {url}, {region} and {device} are for .html, .har and trace.json, which have one run.`,
    );
  return format;
};

/** Throws a UsageError if a file can't be written or has an unknown extension. Changes no file. */
export const checkOutputs = (files: readonly string[]): void => {
  for (const file of files) {
    if (!isRunFile(file)) formatOf(file);
    else if (hasPlaceholder(file)) continue; // until the runs are known
    try {
      tryToOpen(file);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue; // a link to a missing file
      if (code === 'EISDIR') throw new UsageError(`${file} is a folder. Name a file in it.`);
      if (code === 'ENOENT')
        throw new UsageError(`The folder ${dirname(file)} can't be written. Create it, or name another file.`);
      throw new UsageError(`${file} can't be written (${message}). Change its rights, or name another file.`);
    }
  }
};

const tryToOpen = (file: string): void => {
  const status = statSync(file, { throwIfNoEntry: false });
  if (!status) {
    closeSync(openSync(file, 'wx'));
    unlinkSync(file);
  } else if (status.isFile() || status.isDirectory()) closeSync(openSync(file, 'a'));
  else accessSync(file, constants.W_OK); // the open of a pipe would wait for its reader
};

type Forms<Name> = (format: Name, view: View) => Promise<string> | string;
type Outputs<Name> = { format: Name; output?: readonly string[] | undefined; verbose?: boolean | undefined };

/** Prints the results in one format, and writes a file for each output. */
export const writeResults = (
  context: Context,
  results: readonly CheckResult[],
  outputs: Outputs<FormatName>,
): Promise<void> => writeForms(context, (format, view) => render(results, format, view), outputs);

/** Prints the results in one format, and writes the other output files except reports. A failed one does not stop the others. */
export const writeForms = async <Name extends string>(
  { print, note, view }: Context,
  formOf: Forms<Name | FormatName>,
  { format, output = [], verbose }: Outputs<Name>,
): Promise<void> => {
  const printForm = async () => print(await formOf(format, { ...view, verbose }));
  const written = await Promise.allSettled([
    printForm(),
    ...output
      .filter((file) => !isRunFile(file))
      .map(async (file) => writeOutput(file, await formOf(formatOf(file), { ...fileView, verbose }))),
  ]);
  const [first, ...others] = written.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  for (const { message } of others) note(message);
  if (first) throw first;
};

/** Writes a file. Throws a WriteError that says what to do. */
export const writeOutput = async (file: string, text: string): Promise<void> => {
  await writeFile(file, text).catch((error) => {
    throw new WriteError(file, error);
  });
};
