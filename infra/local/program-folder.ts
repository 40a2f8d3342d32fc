import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeProgramFolder } from './own-folder.ts';

const DEFAULT = fileURLToPath(new URL('../../.chromium', import.meta.url));

/**
 * Returns the folder of the unpacked Chromium and of the auditor's bundle: the given one, or one beside the sources. It
 * lies outside the data folder, because auditors that run as other users read it. If the sources can't be written, it
 * lies in the data folder.
 */
export const programFolder = (
  given: string | undefined,
  dataDir: string,
  print: (line: string) => void,
  normal = DEFAULT,
): string => {
  if (given) {
    takeProgramFolder(given);
    return given;
  }
  try {
    takeProgramFolder(normal);
    accessSync(normal, constants.W_OK);
    return normal;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!code) throw error; // another user owns the folder
    if (process.getuid?.() === 0)
      print(
        `✗ ${normal} can't be written (${code}), so Chromium is in the data folder, and audits run as root. Set CHROMIUM_DIR to a folder that all users can read.`,
      );
    return join(dataDir, 'chromium');
  }
};
