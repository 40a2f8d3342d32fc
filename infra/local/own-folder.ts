import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UnusableError } from './unusable.ts';

/** Entries of a data folder that only the service's user may read. */
const PRIVATE = /^(in-use\.lock|data\.db)/;
/** The other entries of a data folder. */
const OPEN = /^(web-page|chromium)$/;
const isData = (name: string): boolean => PRIVATE.test(name) || OPEN.test(name);
const OTHERS = 0o077; // all rights of other users
const WRITE = 0o022;
const ROOT = 0;
const SHARED = 0o1000; // the mode of /tmp: every user has files in it

/** Creates the data folder, or makes it private. Files that this process creates later are private too. */
export const takeDataFolder = (dataDir: string, print: (line: string) => void): void => {
  const before = modeOf(dataDir);
  const exposed = before & OTHERS ? readdirSync(dataDir).filter((name) => name !== 'lost+found') : [];
  const foreign = exposed.find((name) => !isData(name));
  if (foreign && (before & SHARED || !exposed.some(isData)))
    throw new UnusableError(
      `${dataDir} has files of other programs, such as ${foreign}. Set DATA_DIR to a folder of its own.`,
    );
  takeFolder(dataDir, OTHERS, 'DATA_DIR');
  process.umask(OTHERS);
  if (exposed.length === 0) return;
  print(
    `${dataDir} was open to other users of this machine (mode ${before.toString(8)}). It is private now. If you don't trust them, revoke the share links of its checks.`,
  );
};

/** Makes the files of a data folder private. */
export const makeFilesPrivate = (dataDir: string): void => {
  const names = readdirSync(dataDir).filter((name) => PRIVATE.test(name));
  for (const path of names.map((name) => join(dataDir, name))) if (lstatSync(path).isFile()) chmodSync(path, 0o600);
};

/** Creates a folder of programs that all users may run, or makes sure that no other user but root can change it. */
export const takeProgramFolder = (folder: string): void => {
  if (modeOf(folder) & SHARED)
    throw new UnusableError(`${folder} is a folder for all users. Set CHROMIUM_DIR to a folder inside it.`);
  takeFolder(folder, WRITE, 'CHROMIUM_DIR', [ROOT]);
};

/**
 * Creates a folder, or takes some rights to it from other users. Throws if the folder belongs to a user who is not
 * trusted, because the owner could get the rights back. `setting` is the variable that names the folder.
 */
const takeFolder = (folder: string, rights: number, setting: string, trusted: number[] = []): void => {
  if (makeFolder(folder, 0o700)) return void chmodSync(folder, 0o777 & ~rights); // independent of the umask
  const { uid, mode } = statSync(folder);
  if (uid !== (process.getuid?.() ?? uid) && !trusted.includes(uid))
    throw new UnusableError(
      `${folder} belongs to another user of this machine (uid ${uid}). Change its owner with chown, or set ${setting} to another folder.`,
    );
  if (mode & rights) chmodSync(folder, mode & 0o777 & ~rights);
};

/**
 * Makes a folder and its parents. Returns false if it exists. The recursive `mkdir` never returns where a folder can't
 * exist, such as in /proc.
 */
const makeFolder = (folder: string, mode = 0o777): boolean => {
  if (isFolder(folder)) return false;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, mode);
    return true;
  } catch (error) {
    if (!isFolder(folder)) throw error; // another process may have made it
    return false;
  }
};

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
const modeOf = (path: string): number => (isFolder(path) ? statSync(path).mode & 0o1777 : 0);
