import { commandLine } from './command-line.ts';

/** The message of this error says all that an operator needs. */
export class UnusableError extends Error {}

/** Returns the error of a start that can't use a folder or file. The error names it, the cause and the way out. */
export const unusable = (path: string, cause: unknown): Error => {
  const { message, code } = cause as NodeJS.ErrnoException;
  const [, wayOut] = waysOut.find(([pattern]) => pattern.test(`${code} ${message}`)) ?? [];
  return new UnusableError(`${path} can't be used: ${message}. ${wayOut ?? WAY_OUT_OF_DAMAGE}`);
};

const waysOut: [RegExp, string][] = [
  [
    /EACCES|EPERM|EROFS|unable to open|readonly|permission denied|read-only/i,
    'Make it writable for the user of the service, or set DATA_DIR to another folder.',
  ],
  [/ENOSPC|EDQUOT|no space left|is full|quota/i, 'Free some space on its disk and start again.'],
  [/EEXIST|ENOTDIR/, 'Set DATA_DIR to a folder.'],
  [/ENOENT|ENAMETOOLONG/, 'Set DATA_DIR to another folder.'],
];
const WAY_OUT_OF_DAMAGE = `Its data are damaged or incomplete. Move the data folder away, and restore a backup: ${commandLine('restore', 'FILE')}. Without one, start with an empty folder.`;

/** Runs work on a file or folder. Its error names the path, the cause and the way out. */
export const inFolder = <T>(path: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw error instanceof UnusableError ? error : unusable(path, error);
  }
};
