import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes the entries `<prefix><pid>…` of a folder that exited processes have left behind. With `ownPid` also those of this
 * process: before its first entry, they are of an earlier process with the same pid.
 */
export const removeStale = async (dir: string, prefix: string, { ownPid = false } = {}): Promise<void> => {
  for (const name of await readdir(dir)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || (isAlive(pid) && !(ownPid && pid === process.pid))) continue;
    await rm(join(dir, name), { recursive: true, force: true }).catch(() => {}); // another user owns the entry
  }
};

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
