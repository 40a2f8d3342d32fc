import { cookiesFrom, type FileCookie } from '../../login/cookies.ts';
import { FaultyLoginError } from '../../login/fault.ts';
import { storageStateFrom } from '../../login/storage-state.ts';
import { UsageError } from '../exit-codes.ts';
import { readTextFile } from '../text-file.ts';

/* Files of secrets. An error names a file and a place in it, and never a value of the file. */

export const readCookieFile = (name: string): FileCookie[] => {
  const text = readTextFile(name);
  return explained(() => cookiesFrom(text), `${name}: `);
};

export const readStorageState = (name: string): ReturnType<typeof storageStateFrom> => {
  const text = readTextFile(name);
  return explained(() => storageStateFrom(text), `${name}: `);
};

const advice = {
  cookies: ' For a file of cookies, use --cookie-file.',
  storageState: ' For the file of a storage state, use --storage-state.',
};

/** Returns the result of reading some secrets. Throws a fault as an error of the user. */
export const explained = <T>(read: () => T, prefix = ''): T => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FaultyLoginError)) throw error;
    throw new UsageError(`${prefix}${error.message}${error.isInstead ? advice[error.isInstead] : ''}`);
  }
};
