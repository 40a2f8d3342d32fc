import { closeSync, openSync, readSync } from 'node:fs';
import { UsageError } from './exit-codes.ts';

/** The largest file of the user that is read into memory. */
export const MAX_FILE_BYTES = 10 * 1024 ** 2;

const reasons: Record<string, string> = { ENOENT: 'does not exist', EISDIR: 'is a folder' };

/** Returns the text of a file or pipe of the user. Throws an error of the user that names the file, if it can't be read or is too large. */
export const readTextFile = (name: string): string => {
  try {
    return decodeText(readBytes(name));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${name} ${reasons[code ?? ''] ?? `can't be read (${code})`}. Name a readable file.`);
  }
};

/** Reads in parts, because a pipe or a device has no known size and may never end. */
const readBytes = (name: string): Buffer => {
  const file = openSync(name, 'r');
  try {
    const parts: Buffer[] = [];
    for (let total = 0; ; ) {
      const part = Buffer.allocUnsafe(64 * 1024);
      const length = readSync(file, part);
      if (length === 0) return Buffer.concat(parts);
      parts.push(part.subarray(0, length));
      total += length;
      if (total > MAX_FILE_BYTES) throw new UsageError(tooLarge(name));
    }
  } finally {
    closeSync(file);
  }
};

export const tooLarge = (name: string): string => `${name} has more than 10 MiB. Name a shorter file.`;

/** Returns the text of a file of the user without a byte order mark. PowerShell writes UTF-16. */
export const decodeText = (bytes: Uint8Array): string =>
  new TextDecoder(markedEncoding(bytes) ?? 'utf-8').decode(bytes);

/** Returns the encoding that a byte order mark names, or undefined without one. */
export const markedEncoding = ([first, second, third]: Uint8Array): string | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
};
